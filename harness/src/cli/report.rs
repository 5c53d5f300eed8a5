//! `hone report`.

use std::path::PathBuf;

use clap::Args;

use super::common::{is_inside, write_page};
use super::play::show;
use super::{Exit, Failure};
use crate::kinds;
use crate::report::Report;
use crate::track::{TrackReport, is_folder_of_nights};

/// Print the result of a run, finished or not, or of all nights.
#[derive(Debug, Args)]
pub(super) struct ReportArgs {
    /// The run's folder, or that of `hone track`.
    run: PathBuf,
    /// Also write a self-contained HTML report: charts, failures, and every
    /// game on a board.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Print one JSON object on standard output.
    #[arg(long)]
    json: bool,
}

impl ReportArgs {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let report: Box<dyn Report> = if is_folder_of_nights(&self.run) {
            Box::new(TrackReport::read(&self.run)?)
        } else {
            kinds::report(&self.run)?
        };
        if let Some(path) = &self.html {
            write_page(path, report.page(is_inside(path, &self.run))?)?;
        }
        show(&*report, self.json)?;
        Ok(Exit::Done)
    }
}
