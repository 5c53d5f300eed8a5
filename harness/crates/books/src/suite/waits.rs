//! Measures how long engines have been searching their positions, for notices.

use std::time::Duration;

/// Poll interval. Times are counted in ticks, so that a pause of `hone` itself, for example
/// a suspended machine, counts as a single tick.
pub(super) const TICK: Duration = Duration::from_millis(50);

/// The positions that are being searched. An engine that has answered takes the next one.
#[derive(Debug)]
pub(crate) struct Waits {
    /// Indices of positions with the ticks since they were taken, longest search first.
    searching: Vec<(usize, u32)>,
    /// The next position to be taken.
    next: usize,
    /// Number of positions.
    count: usize,
    /// Time of the next notice.
    notice_after: Duration,
}

impl Waits {
    /// `engines` engines that begin with `count` positions. The first notice is due when a
    /// search has taken `notice_after`.
    pub(super) fn new(engines: usize, count: usize, notice_after: Duration) -> Self {
        let mut waits = Self {
            searching: Vec::with_capacity(engines),
            next: 0,
            count,
            notice_after,
        };
        for _ in 0..engines {
            waits.take();
        }
        waits
    }

    /// Records the answer for a position.
    pub(super) fn answered(&mut self, index: usize) {
        self.searching.retain(|(at, _)| *at != index);
        self.take();
    }

    /// Counts a tick. Returns the position of the longest search and its time if a notice is
    /// due; the time to the next notice then doubles.
    pub(super) fn tick(&mut self) -> Option<(usize, Duration)> {
        for (_, ticks) in &mut self.searching {
            *ticks = ticks.saturating_add(1);
        }
        let &(index, ticks) = self.searching.first()?;
        // The first tick is incomplete: it may have begun before the search.
        let waited = TICK.saturating_mul(ticks.saturating_sub(1));
        if waited < self.notice_after {
            return None;
        }
        self.notice_after = waited.saturating_mul(2);
        Some((index, waited))
    }

    fn take(&mut self) {
        if self.next < self.count {
            self.searching.push((self.next, 0));
            self.next += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: fn(u64) -> Duration = Duration::from_millis;

    /// The notices in `ticks` ticks, each with the number of its tick.
    fn reports(waits: &mut Waits, ticks: u32) -> Vec<(u32, usize, Duration)> {
        (1..=ticks)
            .filter_map(|tick| waits.tick().map(|(index, waited)| (tick, index, waited)))
            .collect()
    }

    #[test]
    fn the_time_to_the_next_notice_doubles() {
        let mut waits = Waits::new(1, 2, MS(100));
        assert_eq!(
            reports(&mut waits, 20),
            [
                (3, 0, MS(100)),
                (5, 0, MS(200)),
                (9, 0, MS(400)),
                (17, 0, MS(800))
            ]
        );
    }

    #[test]
    fn notices_are_about_the_longest_search() {
        let mut waits = Waits::new(2, 4, MS(150));
        assert_eq!(reports(&mut waits, 3), []);
        waits.answered(1);
        // That engine takes position 2; position 0 is searched for longer.
        assert_eq!(reports(&mut waits, 2), [(1, 0, MS(150))]);
        waits.answered(0);
        assert_eq!(reports(&mut waits, 6), [(5, 2, MS(300))]);
    }

    #[test]
    fn engines_without_a_position_cause_no_notice() {
        let mut waits = Waits::new(3, 1, MS(50));
        waits.answered(0);
        assert_eq!(reports(&mut waits, 10), []);
    }
}
