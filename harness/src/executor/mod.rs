//! Plays pairs. An executor takes [`PairJob`]s and gives back [`PlayedPair`]s
//! in whatever order they finish.

mod job;
mod live_games;
pub(crate) mod local;
mod memory;
pub(crate) mod placement;
mod program;
#[cfg(feature = "fleet")]
pub(crate) mod remote;
pub mod simulated;
mod situation;

pub(crate) use job::{Evidence, GameText, PlayedPair, Rules};
pub use job::{PairJob, Player};
pub(crate) use live_games::{BoardWriter, Boards, LiveGame, LiveMove, LiveSearch};
pub(crate) use memory::MemoryNote;
pub(crate) use program::ProgramError;
pub use program::ProgramFile;
pub(crate) use situation::{PonderEnd, Pondered, Situation};

use std::future::Future;

/// What an executor reports.
#[derive(Debug)]
pub enum Event {
    Played(Box<PlayedPair>),
    /// An engine failed; the game's result comes with its pair.
    Evidence(Box<Evidence>),
    /// An engine has far more memory than it was given.
    Memory(Box<MemoryNote>),
    /// Something else that the user should know; it may come again in the same words.
    Warning(String),
    /// It cannot go on; the run stops and can be resumed.
    Failed(ExecutorError),
    /// Nothing more will come: it has stopped as requested, or it has no job and
    /// does not wait for one.
    Finished,
}

/// Why an executor cannot go on.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{0}")]
pub struct ExecutorError(pub String);

/// How an executor is asked to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// Finish the pairs that are being played, start no other.
    Drain,
    /// Leave everything at once.
    Abort,
}

/// Plays pairs.
pub trait Executor {
    /// How many jobs it wants to have at hand.
    fn capacity(&self) -> usize;

    /// Takes a job.
    fn submit(&mut self, job: PairJob);

    /// The next report. Cancel safe.
    fn next(&mut self) -> impl Future<Output = Event>;

    /// Asks it to stop; [`Event::Finished`] follows when it has.
    fn stop(&mut self, how: Stop);

    /// Whether it keeps results that it has given until [`Self::recorded`].
    fn awaits_record(&self) -> bool {
        false
    }

    /// All results that it has given are in the ledger, on disk.
    fn recorded(&mut self) {}

    /// The run has its verdict: nothing of it is needed any more.
    fn conclude(&mut self) {}
}
