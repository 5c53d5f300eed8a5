//! `hone report`.

use std::path::PathBuf;

use clap::Args;

use super::common::{is_inside, write_page};
use super::outcome::show;
use super::{Exit, Failure};
use crate::kinds;
use crate::report::Report;
use crate::report::html::PageLocation;
use crate::run::find_run;
use crate::track::{TrackReport, is_folder_of_nights};

/// Print the result of a run, finished or not, or of all nights.
#[derive(Debug, Args)]
pub(super) struct ReportArgs {
    /// The run: its folder, the beginning of its name in results/, or latest.
    /// Or the folder of `hone track`.
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
        let run = find_run(&self.run)?;
        let report: Box<dyn Report> = if is_folder_of_nights(&run) {
            Box::new(TrackReport::read(&run)?)
        } else {
            kinds::report(&run)?
        };
        if let Some(path) = &self.html {
            let place = match is_inside(path, &run) {
                true => PageLocation::Inside,
                false => PageLocation::Elsewhere,
            };
            write_page(path, report.page(place)?)?;
        }
        show(&*report, self.json)?;
        Ok(Exit::Done)
    }
}
