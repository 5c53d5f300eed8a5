//! What the pages need of the kinds of runs.

use std::path::Path;

use hone_report::{Following, Report};
use hone_run::config::Config;
use hone_run::{Kind, RunFiles};

/// The functions of the kinds of runs. The program fills them in, because no kind is known
/// here.
#[derive(Debug, Clone, Copy)]
pub struct Kinds {
    /// The results of a run, updated as its ledger grows.
    pub follow: fn(RunFiles) -> anyhow::Result<Box<dyn Following>>,
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
            follow: kinds::follow,
            check_submitted: kinds::check_submitted,
            nights: |dir| Ok(Box::new(TrackReport::read(dir)?)),
        }
    }
}
