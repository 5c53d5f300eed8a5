//! Counts the games of a worker.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use hone_run::executor::PlayedPair;
use hone_uci::rules::Termination;

/// The time over which the pace is measured.
const PACE: Duration = Duration::from_secs(180);

/// The games of a worker since it started.
#[derive(Debug)]
pub(super) struct Totals {
    pub(super) games: u64,
    pub(super) time_forfeits: u64,
    pub(super) failures: u64,
    /// When each pair of the last minutes was finished.
    finished: VecDeque<Instant>,
    started: Instant,
}

impl Totals {
    pub(super) fn new(now: Instant) -> Self {
        Self {
            games: 0,
            time_forfeits: 0,
            failures: 0,
            finished: VecDeque::new(),
            started: now,
        }
    }

    /// Counts a pair that is finished now.
    pub(super) fn count(&mut self, played: &PlayedPair, now: Instant) {
        self.games += 2;
        for game in &played.result.games {
            self.time_forfeits += u64::from(game.termination == Termination::TimeForfeit);
            self.failures += u64::from(game.termination.is_failure());
        }
        self.finished.retain(|at| is_recent(*at, now));
        self.finished.push_back(now);
    }

    /// Games per minute, over the last [`PACE`].
    pub(super) fn pace(&self, now: Instant) -> f64 {
        let over = PACE.min(now.duration_since(self.started));
        let recent = self.finished.iter().filter(|at| is_recent(**at, now));
        120.0 * recent.count() as f64 / over.as_secs_f64().max(1.0)
    }
}

fn is_recent(at: Instant, now: Instant) -> bool {
    now.duration_since(at) < PACE
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::samples::played_pair;

    #[test]
    fn the_pace_is_that_of_the_last_three_minutes() {
        let start = Instant::now();
        let mut totals = Totals::new(start);
        assert_eq!(totals.pace(start).to_bits(), 0.0_f64.to_bits());
        let mut lost = played_pair(0);
        lost.result.games[0].termination = Termination::TimeForfeit;
        lost.result.games[1].termination = Termination::Disconnect;
        totals.count(&lost, start);
        let later = start + PACE / 3;
        assert_eq!(totals.pace(later).to_bits(), 2.0_f64.to_bits());
        totals.count(&played_pair(1), start + PACE);
        // Two games within three minutes: the first pair is no longer one of them.
        let pace = totals.pace(start + PACE);
        assert!((pace - 2.0 / 3.0).abs() < 1e-12, "{pace}");
        assert_eq!(totals.finished.len(), 1);
        assert_eq!(totals.games, 4);
        assert_eq!((totals.time_forfeits, totals.failures), (1, 2));
    }
}
