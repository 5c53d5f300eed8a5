//! `hone resume`.

use std::num::{NonZeroU32, NonZeroUsize};
use std::path::{Path, PathBuf};

use clap::Args;

use super::args::ends::EndArgs;
use super::args::place::PlaceArgs;
use super::args::ranges::{from_one, share};
use super::dropin;
use super::results::outcome::{conclude, not_played, stopped};
use super::results::progress::announce;
use super::{Exit, Failure};
use hone_base::errln;
use hone_base::text::with_causes;
use hone_kinds::{self as kinds, Changes, Place};
use hone_run::ledger::{LedgerError, Recovery};
use hone_run::{Manifest, SessionError, find_run};

/// Continue a run that was interrupted or stopped.
#[derive(Debug, Args)]
pub(super) struct ResumeArgs {
    /// The run: its folder, the beginning of its name in results/, or latest.
    #[arg(add = super::completions::run())]
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
    #[arg(long, value_name = "N", value_parser = from_one::<NonZeroUsize>)]
    concurrency: Option<NonZeroUsize>,
    /// New number of pairs, including those already played; at least as many as
    /// planned. For a match: pairs of each pairing. For a test: its budget.
    #[arg(long, value_name = "N", value_parser = from_one::<NonZeroU32>)]
    pairs: Option<NonZeroU32>,
    /// New share of its games that an engine may lose by failures before the run
    /// stops, from 0 to 1; 1 never stops it.
    #[arg(long, value_name = "SHARE", value_parser = share)]
    max_failures: Option<f64>,
    /// Continue on this machine a run that was played on a fleet.
    #[cfg(feature = "fleet")]
    #[arg(long, conflicts_with_all = ["fleet", "priority"])]
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
        let recovery = if self.replay_missing {
            Recovery::Replay
        } else {
            Recovery::LastPair
        };
        // Before any change.
        Manifest::read(&run)?;
        let refused = |error: anyhow::Error| not_played(error.into(), &self.ends.results);
        let place = self.place(&run).map_err(refused)?;
        let mut changes = Changes::new(recovery, place.clone());
        if let Err(error) = self.change(&run, &mut changes) {
            changes.undo(&mut announce);
            return Err(refused(error));
        }
        let resumed = kinds::resume(&run, recovery, self.ends.max_time(), place, &mut announce);
        // Another process writes its own files.
        let is_in_use = matches!(resumed, Err(SessionError::Ledger(LedgerError::Locked(_))));
        if !is_in_use && resumed.as_ref().is_err_and(|error| !error.is_of_run()) {
            changes.undo(&mut announce);
        }
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

    fn change(&self, run: &Path, changes: &mut Changes) -> anyhow::Result<()> {
        if self.verify {
            changes.verification(run)?;
        }
        let concurrency = self.concurrency.map(NonZeroUsize::get);
        // The processors of this machine were not checked when the run started on a fleet.
        #[cfg(feature = "fleet")]
        let concurrency = match concurrency {
            None if self.local => Some(Manifest::read(run)?.concurrency),
            given => given,
        };
        if let Some(pairs) = concurrency {
            changes.concurrency(run, pairs, &mut announce)?;
        }
        if let Some(share) = self.max_failures {
            changes.max_failures(run, share)?;
        }
        if let Some(pairs) = self.pairs {
            changes.pairs(run, pairs.get().into(), &mut announce)?;
        }
        Ok(())
    }

    fn place(&self, run: &Path) -> anyhow::Result<Place> {
        #[cfg(feature = "fleet")]
        if self.local {
            return Ok(Place::Here);
        }
        self.place.place_of(run)
    }
}
