//! Observers of a run in progress.

use std::time::Duration;

use super::tally::Tally;
use crate::executor::PlayedPair;
use hone_base::errln;

/// The progress of a run, for its view.
#[derive(Debug, Clone, Copy)]
pub struct Progress<'a> {
    pub tally: &'a Tally,
    /// Since this process began to play.
    pub elapsed: Duration,
    /// Until the time limit; `None` without one.
    pub time_limit: Option<Duration>,
    /// Pairs this process has played.
    pub played: u64,
    /// Pairs that are being played, or wait for a free worker.
    pub in_flight: u64,
    /// What later results have long waited for, in words; `None` while results are absorbed.
    pub awaited: Option<&'a str>,
    /// After a request to stop: only pairs in flight are being finished.
    pub stopping: bool,
    /// There is a verdict: no further pair is played.
    pub is_over: bool,
}

/// Shows the progress of a run.
pub trait View<E> {
    /// At the start, after each pair, every second, and when a stop was
    /// requested.
    fn update(&mut self, experiment: &E, progress: Progress<'_>);

    /// A pair was handed to the executor.
    fn submitted(&mut self, _pair: u64, _engines: [usize; 2]) {}

    /// A pair was played and is in the ledger; the update follows.
    fn played(&mut self, _pair: &PlayedPair) {}

    /// Whether the run stops now; games in play are aborted.
    fn is_stopped(&self) -> bool {
        false
    }

    /// Shows a warning.
    fn warn(&mut self, text: &str) {
        errln!("{text}");
    }

    /// After the last update: removes the live display.
    fn finish(&mut self) {}
}

impl<E, F: FnMut(&E, Progress<'_>)> View<E> for F {
    fn update(&mut self, experiment: &E, progress: Progress<'_>) {
        self(experiment, progress);
    }
}
