//! What the pages need of the kinds of runs.

use std::path::{Path, PathBuf};

use hone_report::{Following, Report};
use hone_run::config::Config;
use hone_run::{Kind, Manifest, RunFiles};

/// The functions of the kinds of runs. The program fills them in, because no kind is known
/// here.
#[derive(Debug, Clone, Copy)]
pub struct Kinds {
    /// The results of a run, updated as its ledger grows.
    pub follow: fn(RunFiles) -> anyhow::Result<Box<dyn Following>>,
    /// The folders of the started follow-up runs whose verdict replaces that of the run in a
    /// folder.
    pub later: fn(&Manifest, &Path) -> Vec<PathBuf>,
    /// Refuses a submitted configuration that the command of its kind would refuse before it
    /// prepares an engine.
    pub check_submitted: fn(Kind, Config) -> anyhow::Result<()>,
    /// The report of a folder of nights.
    pub nights: fn(&Path) -> anyhow::Result<Box<dyn Report>>,
}

#[cfg(test)]
pub(crate) mod samples {
    use super::Kinds;
    use hone_kinds::{self as kinds, track::TrackReport};

    /// The kinds of the program.
    pub(crate) fn kinds() -> Kinds {
        Kinds {
            follow: |files| kinds::of(files.manifest.kind).follow(files),
            later: |manifest, dir| kinds::of(manifest.kind).later(manifest, dir),
            check_submitted: |kind, config| kinds::of(kind).check_submitted(config),
            nights: |dir| Ok(Box::new(TrackReport::read(dir)?)),
        }
    }
}
