//! The kinds of runs, a module for each: its engines, its experiment, its live view and its
//! report.
//!
//! Uses: the core and `report`.
//!
//! A kind answers in two traits: [`RunKind`] to play it, and its `hone_report::Report` to show
//! it. `of_kind` is the one place where a manifest is mapped to its kind.
//!
//! # Layout
//!
//! * `kind`: the questions that each kind answers.
//! * `session`: one run from its configuration to its report; `place`: where it is played.
//! * `match_`, `sprt`, [`tune`], [`bisect`]: the kinds.
//! * [`track`]: Elo from night to night, as a client of runs.

// `println!` panics on a closed pipe: `hone_base::output` prints in its place.
#![cfg_attr(not(test), warn(clippy::print_stdout, clippy::print_stderr))]
#![cfg_attr(not(test), warn(clippy::unwrap_used, clippy::string_slice))]

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

pub use changes::Changes;
pub use kind::RunKind;
pub use match_::Match;
pub use place::{Place, StartRemote};
pub use session::{Conclusion, NewRun, Session, check_shard};
pub use sprt::SequentialTest;

use std::path::Path;
use std::time::Duration;

use hone_base::output::Announce;
use hone_experiment::Experiment;
use hone_report::{Following, Report};
use hone_run::config::Config;
use hone_run::ledger::{RecordedPair, Recovery};
use hone_run::{Fold, Kind, Manifest, RunFiles, SessionError, StopRequests};

/// The value of an expression with the type `K` of a kind.
macro_rules! of_kind {
    ($kind:expr, $K:ident => $value:expr) => {
        match $kind {
            Kind::Match => {
                type $K = Match;
                $value
            }
            Kind::Sprt => {
                type $K = SequentialTest;
                $value
            }
            Kind::Tune => {
                type $K = tune::Tuning;
                $value
            }
            Kind::Bisect => {
                type $K = bisect::Bisection;
                $value
            }
        }
    };
}

/// Refuses a submitted configuration that the command of this kind would refuse before it
/// prepares an engine.
///
/// # Errors
/// What is refused.
pub fn check_submitted(kind: Kind, config: Config) -> anyhow::Result<()> {
    of_kind!(kind, K => session::check_submitted::<K>(config))
}

/// Continues the run in `dir`.
///
/// # Errors
/// [`SessionError`].
pub fn resume(
    dir: &Path,
    recovery: Recovery,
    max_time: Option<Duration>,
    place: Place,
    announce: Announce<'_>,
) -> Result<Conclusion<Box<dyn Report>>, SessionError> {
    of_kind!(Manifest::read(dir)?.kind, K => {
        let session = Session::<K>::resume(dir, recovery, announce)?;
        let session = session.limited(max_time).at(place);
        Ok(session.run(&mut StopRequests::listen()?, announce)?.boxed())
    })
}

/// The results of a run so far.
///
/// # Errors
/// If the run's files cannot be read.
pub fn report(files: RunFiles) -> anyhow::Result<Box<dyn Report>> {
    of_kind!(files.manifest.kind, K => Ok(Box::new(K::read_report(files)?)))
}

/// The results of a run, updated as its ledger grows.
///
/// # Errors
/// If the manifest is not valid.
pub fn follow(files: RunFiles) -> anyhow::Result<Box<dyn Following>> {
    of_kind!(files.manifest.kind, K => K::follow(files))
}

/// The experiment of a run before its results.
///
/// # Errors
/// If the manifest, or a file next to it, is invalid.
pub fn experiment_of(files: &RunFiles) -> anyhow::Result<Box<dyn Experiment>> {
    let (dir, manifest) = (files.folder.path(), &files.manifest);
    of_kind!(manifest.kind, K => Ok(Box::new(K::experiment(dir, manifest)?)))
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
