//! The kinds of runs, a module for each: its engines, its experiment, its live view and its
//! report.
//!
//! Uses: the core and `report`.
//!
//! [`of`] is the one place where a manifest is mapped to its kind.
//!
//! # Layout
//!
//! * `kind`, `any`: the questions that each kind answers.
//! * `session`: one run from its configuration to its report; `place`: where it is played.
//! * `match_`, `sprt`, [`tune`], [`bisect`]: the kinds.
//! * [`track`]: Elo from night to night, as a client of runs.

// `println!` panics on a closed pipe: `hone_base::output` prints in its place.
#![cfg_attr(not(test), warn(clippy::print_stdout, clippy::print_stderr))]

mod any;
pub mod bisect;
mod changes;
mod follow;
mod kind;
mod match_;
mod place;
mod reread;
mod scale;
mod session;
mod sprt;
pub mod track;
pub mod tune;

pub use any::AnyKind;
pub use changes::Changes;
pub use kind::RunKind;
pub use match_::Match;
pub use place::{Place, StartRemote};
pub use session::{Conclusion, NewRun, Session, check_shard};
pub use sprt::StagedTest;

use hone_experiment::Experiment;
use hone_run::ledger::RecordedPair;
use hone_run::{Fold, Kind, RunFiles};

/// The implementation of a kind.
pub fn of(kind: Kind) -> &'static dyn AnyKind {
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
pub fn later(files: &RunFiles) -> anyhow::Result<Vec<RunFiles>> {
    let folders = of(files.manifest.kind).later(&files.manifest, files.folder.path());
    folders.iter().map(|dir| RunFiles::open(dir)).collect()
}

/// The experiment of a run before its results.
///
/// # Errors
/// If the manifest, or a file next to it, is invalid.
pub fn experiment_of(files: &RunFiles) -> anyhow::Result<Box<dyn Experiment>> {
    of(files.manifest.kind).experiment(files.folder.path(), &files.manifest)
}

/// The experiment of a run after all its results.
///
/// # Errors
/// As [`experiment_of`], and if the ledger cannot be read.
pub fn fold_of(files: &RunFiles) -> anyhow::Result<Fold<Box<dyn Experiment>>> {
    Ok(files.fold(experiment_of(files)?)?)
}

/// The pairs that count for a run's result, by number: the absorbed ones without dropped
/// repeats.
///
/// # Errors
/// As [`fold_of`].
pub fn counted(files: &RunFiles) -> anyhow::Result<Vec<RecordedPair>> {
    let fold = fold_of(files)?;
    let entries = files
        .pairs
        .in_order(fold.experiment.shard(), fold.absorbed())?;
    entries
        .filter(|entry| !matches!(entry, Ok(entry) if !fold.counts(entry.result.pair)))
        .map(|entry| Ok(entry?))
        .collect()
}
