//! `hone report`.

use std::path::PathBuf;

use clap::Args;

use super::common::{is_inside, write_page};
use super::play::print;
use super::{Exit, Failure, bisect, track, tune};
use crate::kinds::experiment_of;
use crate::report::RunFacts;
use crate::report::html::{self, Source};
use crate::run::{Fold, Folder, Kind, Manifest, open_pairs};

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
        if track::is_folder_of_nights(&self.run) {
            return track::report(&self.run, self.html.as_deref(), self.json);
        }
        let folder = Folder::open(&self.run);
        let manifest = Manifest::read(folder.path())?;
        if manifest.kind == Kind::Tune {
            return tune::report(&folder, &manifest, self.html.as_deref(), self.json);
        }
        if manifest.kind == Kind::Bisect {
            return bisect::report(&folder, &manifest, self.html.as_deref(), self.json);
        }
        let pairs = open_pairs(&folder, &manifest)?;
        let experiment = experiment_of(&folder, &manifest)?;
        let fold = Fold::of(experiment, manifest.engines.len(), &pairs)?;
        let facts = RunFacts::new(folder.name(), &manifest, &fold, &pairs)?;
        if let Some(path) = &self.html {
            let source = Source {
                dir: folder.path(),
                manifest: &manifest,
                pairs: &pairs,
                inside: is_inside(path, folder.path()),
            };
            write_page(path, html::run_page(&facts, source)?)?;
        }
        print(&facts, self.json)?;
        Ok(Exit::Done)
    }
}
