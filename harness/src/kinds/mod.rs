//! The kinds of runs, a module for each: its engines, its experiment, its live view and its
//! report.
//!
//! [`of`] is the one place where a manifest is mapped to its kind.

mod any;
pub(crate) mod bisect;
mod changes;
#[cfg(feature = "serve")]
mod follow;
mod kind;
mod match_;
mod place;
#[cfg(feature = "serve")]
mod reread;
mod scale;
mod session;
mod sprt;
pub(crate) mod tune;

pub(crate) use any::AnyKind;
pub(crate) use changes::Changes;
#[cfg(feature = "serve")]
pub(crate) use follow::{CurrentResults, Following};
pub(crate) use kind::RunKind;
pub(crate) use match_::Match;
pub(crate) use place::Place;
pub(crate) use session::{Conclusion, NewRun, Session, check_shard};
pub(crate) use sprt::StagedTest;
#[cfg(feature = "serve")]
pub(crate) use sprt::stage_folder;

use crate::experiment::Experiment;
use crate::ledger::RecordedPair;
use crate::run::{Fold, Kind, RunFiles};

/// The implementation of a kind.
pub(crate) fn of(kind: Kind) -> &'static dyn AnyKind {
    match kind {
        Kind::Match => &Match,
        Kind::Sprt => &StagedTest,
        Kind::Tune => &tune::Tuning,
        Kind::Bisect => &bisect::Bisection,
    }
}

/// The follow-up runs of a run that have been started and whose verdict replaces its own:
/// later stages of a test.
///
/// # Errors
/// If one cannot be read.
pub(crate) fn later(files: &RunFiles) -> anyhow::Result<Vec<RunFiles>> {
    let folders = of(files.manifest.kind).later(&files.manifest, files.folder.path());
    folders.iter().map(|dir| RunFiles::open(dir)).collect()
}

/// The experiment of a run before its results.
///
/// # Errors
/// If the manifest, or a file next to it, is invalid.
pub(crate) fn experiment_of(files: &RunFiles) -> anyhow::Result<Box<dyn Experiment>> {
    of(files.manifest.kind).experiment(files.folder.path(), &files.manifest)
}

/// The experiment of a run after all its results.
///
/// # Errors
/// As [`experiment_of`], and if the ledger cannot be read.
pub(crate) fn fold_of(files: &RunFiles) -> anyhow::Result<Fold<Box<dyn Experiment>>> {
    Ok(files.fold(experiment_of(files)?)?)
}

/// The pairs that count for a run's result, by number: the absorbed ones without dropped
/// repeats.
///
/// # Errors
/// As [`fold_of`].
pub(crate) fn counted(files: &RunFiles) -> anyhow::Result<Vec<RecordedPair>> {
    let fold = fold_of(files)?;
    let entries = files
        .pairs
        .in_order(fold.experiment.shard(), fold.absorbed())?;
    entries
        .filter(|entry| !matches!(entry, Ok(entry) if !fold.counts(entry.result.pair)))
        .map(|entry| Ok(entry?))
        .collect()
}
