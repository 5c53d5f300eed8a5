//! `hone resume`.

use std::path::{Path, PathBuf};

use anyhow::ensure;
use clap::Args;

use super::common::announce;
use super::dropin;
use super::ends::EndArgs;
use super::outcome::{conclude, stopped};
use super::place::PlaceArgs;
use super::ranges::from_one;
use super::{Exit, Failure};
use crate::kinds::{self, Place};
use crate::ledger::{LedgerError, Lock, Recovery};
use crate::output::with_causes;
use crate::run::{Kind, Manifest, SessionError, find_run};

/// Continue a run that was interrupted or stopped.
#[derive(Debug, Args)]
pub(super) struct ResumeArgs {
    /// The run: its folder, the beginning of its name in results/, or latest.
    run: PathBuf,
    /// For a tuning: test the tuned values against the start values at the end.
    #[arg(long)]
    verify: bool,
    /// If games.pgn or games.csv lacks finished games, remove the rest of their
    /// pairs and play these pairs again. Without this option, hone repairs only
    /// the last pair, which a kill may have cut off; anything more is an error.
    #[arg(long)]
    replay_missing: bool,
    /// Pairs played at the same time from now on; by default as many as before.
    #[arg(long, value_name = "N", value_parser = from_one::<std::num::NonZeroUsize>)]
    concurrency: Option<std::num::NonZeroUsize>,
    /// Continue on this machine a run that was played on a fleet.
    #[cfg(feature = "fleet")]
    #[arg(long, conflicts_with = "fleet")]
    local: bool,
    #[command(flatten)]
    place: PlaceArgs,
    #[command(flatten)]
    ends: EndArgs,
}

impl ResumeArgs {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        self.ends.results.check()?;
        let run = find_run(&self.run)?;
        if self.verify {
            ask_for_verification(&run)?;
        }
        let kind = kinds::of(Manifest::read(&run)?.kind);
        let recovery = match self.replay_missing {
            true => Recovery::Replay,
            false => Recovery::LastPair,
        };
        if let Some(pairs) = self.concurrency {
            kinds::set_concurrency(&run, pairs.get(), recovery, &mut announce)?;
        }
        let place = self.place(&run)?;
        let resumed = kind.resume(&run, recovery, self.ends.max_time(), place, &mut announce);
        // Another process writes its own files.
        let is_in_use = matches!(
            resumed,
            Err(SessionError::Ledger(LedgerError::Locked { .. }))
        );
        if !is_in_use && let Err(error) = dropin::complete(&run) {
            errln!(
                "warning: the files of the command line that started this run lack games: {}",
                with_causes(&error)
            );
        }
        match resumed {
            Ok(conclusion) => conclude(conclusion, &self.ends.results),
            Err(error) => Err(stopped(error, &run, &self.ends.results)),
        }
    }

    fn place(&self, run: &Path) -> anyhow::Result<Place> {
        #[cfg(feature = "fleet")]
        if self.local {
            return Ok(Place::Here);
        }
        self.place.place_of(run)
    }
}

/// Adds the verifying test to a tuning that was started without one.
fn ask_for_verification(run: &Path) -> anyhow::Result<()> {
    let mut manifest = Manifest::read(run)?;
    ensure!(
        manifest.kind == Kind::Tune,
        "--verify is for tunings, and {} is a {}",
        run.display(),
        manifest.kind.name()
    );
    let section = manifest.config.tune.get_or_insert_default();
    if section.verify.is_some() {
        return Ok(());
    }
    section.verify.get_or_insert_default();
    // Not while another process plays it.
    let _held = Lock::resume(run, Recovery::LastPair)?;
    manifest.write(run)
}
