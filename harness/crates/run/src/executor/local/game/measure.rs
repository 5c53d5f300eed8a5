//! The processor time of both engines during a move.

use std::time::{Duration, Instant};

use shakmaty::Color;

use super::Game;
use super::turn::PendingSearch;

/// Measuring takes 1.3 µs: on average at most one move in this time is measured, so that fast
/// games are not slower. After a pause, two moves in succession are: otherwise the moves of an
/// engine whose opponent answers at once would never be.
const INTERVAL: Duration = Duration::from_millis(5);

impl Game<'_> {
    /// The processor time of both players at `now`, the begin of a move; `None` if it is
    /// unknown or a move was measured a moment ago.
    pub(super) fn measure_if_due(&mut self, now: Instant) -> Option<[Duration; 2]> {
        let due = self.resources.measure_due.map_or(now, |due| due.max(now));
        if due.saturating_duration_since(now) > INTERVAL {
            return None;
        }
        *self.resources.measure_due = Some(due + INTERVAL);
        self.processor_times(now)
    }

    /// Adds the processor time that both engines have used in a move of `color` that took
    /// `used`.
    pub(super) fn measure(&mut self, color: Color, search: &PendingSearch, used: Duration) {
        let Some(before) = search.processor else {
            return;
        };
        let Some(after) = self.processor_times(search.written) else {
            return;
        };
        let spent = [color, !color].map(|color| {
            let player = self.player(color);
            micros(after[player].saturating_sub(before[player]))
        });
        let mover = &mut self.effort[color];
        mover.measured_us = mover.measured_us.saturating_add(micros(used));
        mover.cpu_us = mover.cpu_us.saturating_add(spent[0]);
        let waiting = &mut self.effort[!color];
        waiting.idle_cpu_us = waiting.idle_cpu_us.saturating_add(spent[1]);
    }

    /// `now` need not be exact. The same moment as at the begin of a move looks up no new
    /// child processes, whose earlier time would count for the move.
    fn processor_times(&mut self, now: Instant) -> Option<[Duration; 2]> {
        let [first, second] = &mut *self.resources.slots;
        Some([first.processor_time(now)?, second.processor_time(now)?])
    }
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}
