//! Plays pairs. An executor takes [`PairJob`]s and returns [`PlayedPair`]s in the order in
//! which they finish.

mod job;
mod live_games;
pub mod local;
mod memory;
pub mod placement;
mod program;
pub mod remote;
pub mod simulated;
mod situation;
pub mod spot_checks;

pub use job::{Evidence, GameText, Rules};
pub use job::{PairJob, PlayedPair, Player};
pub use live_games::{BoardWriter, LiveSearch};
pub use live_games::{Boards, LiveGame, LiveMove};
pub use memory::MemoryNote;
pub(crate) use program::ProgramError;
pub use program::ProgramFile;
pub use situation::PonderEnd;
pub use situation::{Pondered, Situation};

use crate::files::findings::PairFinding;
use hone_base::diagnostic::Diagnostic;
use std::future::Future;

/// What an executor reports.
#[derive(Debug)]
pub enum Event {
    Played(Box<PlayedPair>),
    /// The evidence of an engine's failure; the result of the game comes with its pair.
    Evidence(Box<Evidence>),
    /// An engine uses far more memory than its `Hash`.
    Memory(Box<MemoryNote>),
    /// Another warning for the user; may be repeated.
    Warning(String),
    /// A pair that was played has been played again, with what was found.
    Checked(Option<Box<PairFinding>>),
    /// The executor cannot continue; the run stops and can be resumed.
    Failed(ExecutorError),
    /// The last event: the executor has stopped as requested, or it has no job and does not
    /// wait for one.
    Finished,
}

/// Why an executor cannot continue.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct ExecutorError(#[source] pub Diagnostic);

/// How an executor stops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// Finish the pairs that are being played; start no others.
    Drain,
    /// Abandon the pairs that are being played.
    Abort,
    /// Abandon the pairs that are being played for the first time; finish those that are played
    /// again, because they may speak against the verdict.
    Decided,
}

/// Plays pairs.
pub trait Executor {
    /// Number of jobs to keep submitted and not finished.
    fn capacity(&self) -> usize;

    /// Submits a job.
    fn submit(&mut self, job: PairJob);

    /// The next event. Cancel safe.
    fn next(&mut self) -> impl Future<Output = Event>;

    /// Requests a stop; [`Event::Finished`] follows.
    fn stop(&mut self, how: Stop);

    /// Where a pair in flight is, in words, as in `of all/box` or `in the queue`; `None` if it
    /// is on this machine.
    fn whereabouts(&self, _pair: u64) -> Option<String> {
        None
    }

    /// Whether a pair is being played again: [`Event::Checked`] follows.
    fn is_checking(&self) -> bool {
        false
    }

    /// Whether the executor keeps results that [`Self::next`] has returned until
    /// [`Self::recorded`].
    fn awaits_record(&self) -> bool {
        false
    }

    /// Reports that all results that [`Self::next`] has returned are in the ledger, on disk.
    fn recorded(&mut self) {}

    /// Reports that the run has its verdict and needs no more results.
    fn conclude(&mut self) {}
}
