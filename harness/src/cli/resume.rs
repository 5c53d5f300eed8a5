//! `hone resume`.

use std::path::PathBuf;

use clap::Args;

use super::common::{announce, failure};
use super::ends::EndArgs;
use super::play::conclude;
use super::{Exit, Failure};
use crate::kinds;
use crate::run::Manifest;

/// Continue a run that was interrupted or stopped.
#[derive(Debug, Args)]
pub(super) struct ResumeArgs {
    /// The run's folder.
    run: PathBuf,
    #[command(flatten)]
    ends: EndArgs,
}

impl ResumeArgs {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let kind = kinds::of(Manifest::read(&self.run)?.kind);
        let resumed = kind.resume(&self.run, self.ends.max_time(), &mut announce);
        conclude(resumed.map_err(failure)?, &self.ends)
    }
}
