//! How long a run has been playing.

use super::manifest::Manifest;
use crate::ledger::RecordedPair;

/// How long a run has been playing, by its ledger: from its start to its last pair, without
/// breaks. A gap between two pairs is a break if it is longer than ten minutes and longer
/// than twice the time of the later pair's moves.
#[derive(Debug, Clone, Copy)]
pub struct PlayTime {
    last_ms: i64,
    total_ms: i64,
}

impl PlayTime {
    const BREAK_MS: i64 = 10 * 60 * 1000;

    /// Before the first pair.
    pub fn new(manifest: &Manifest) -> Self {
        Self {
            last_ms: manifest.created.as_millisecond(),
            total_ms: 0,
        }
    }

    /// Takes the next pair in the order of arrival.
    pub fn absorb(&mut self, entry: &RecordedPair) {
        let ms = entry.result.games.iter().flat_map(|game| game.ms);
        self.absorb_times(entry.finished_ms, ms);
    }

    /// `ms`: the time of the moves, which take most of a pair's time.
    fn absorb_times(&mut self, finished_ms: i64, ms: impl IntoIterator<Item = u64>) {
        let gap = finished_ms.saturating_sub(self.last_ms);
        let moves = ms.into_iter().fold(0, u64::saturating_add);
        let longest = i64::try_from(moves.saturating_mul(2)).unwrap_or(i64::MAX);
        if (0..Self::BREAK_MS.max(longest)).contains(&gap) {
            self.total_ms = self.total_ms.saturating_add(gap);
        }
        // Pairs arrive out of order, and no time counts twice.
        self.last_ms = self.last_ms.max(finished_ms);
    }

    pub fn seconds(&self) -> f64 {
        self.total_ms as f64 / 1000.0
    }
}

#[cfg(test)]
mod tests {
    use super::PlayTime;

    #[test]
    fn no_time_counts_twice() {
        let mut time = PlayTime {
            last_ms: 0,
            total_ms: 0,
        };
        // The second pair ended before the first was written.
        for finished_ms in [4_000, 3_000, 5_000, 5_000 + PlayTime::BREAK_MS, 5_000 + 1] {
            time.absorb_times(finished_ms, [100]);
        }
        assert_eq!(time.seconds(), 5.0);
    }

    #[test]
    fn the_time_of_long_games_counts() {
        let mut time = PlayTime {
            last_ms: 0,
            total_ms: 0,
        };
        let hour = 6 * PlayTime::BREAK_MS;
        time.absorb_times(hour, [hour as u64 - 1_000]);
        time.absorb_times(4 * hour, [hour as u64]);
        assert_eq!(time.seconds(), hour as f64 / 1000.0);
    }

    #[test]
    fn impossible_times_do_not_overflow() {
        let mut time = PlayTime {
            last_ms: 1,
            total_ms: 0,
        };
        for finished_ms in [i64::MIN, i64::MAX - 1, i64::MAX] {
            time.absorb_times(finished_ms, [u64::MAX; 4]);
        }
        assert_eq!(time.total_ms, i64::MAX - 1);
    }
}
