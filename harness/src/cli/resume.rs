//! `hone resume`.

use std::path::PathBuf;

use clap::Args;

use super::common::{announce, failure};
use super::ends::EndArgs;
use super::play::conclude;
use super::{Exit, Failure};
use crate::kinds;
use crate::ledger::Recovery;
use crate::run::Manifest;

/// Continue a run that was interrupted or stopped.
#[derive(Debug, Args)]
pub(super) struct ResumeArgs {
    /// The run's folder.
    run: PathBuf,
    /// Also remove finished games that are missing in games.pgn or games.csv,
    /// and play them again. Without this, more than the one pair that a kill
    /// can have torn is an error.
    #[arg(long)]
    replay_missing: bool,
    #[command(flatten)]
    ends: EndArgs,
}

impl ResumeArgs {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let kind = kinds::of(Manifest::read(&self.run)?.kind);
        let recovery = match self.replay_missing {
            true => Recovery::Replay,
            false => Recovery::LastPair,
        };
        let resumed = kind.resume(&self.run, recovery, self.ends.max_time(), &mut announce);
        conclude(resumed.map_err(failure)?, &self.ends)
    }
}
