//! How long engines have been searching their positions without an answer.

use std::time::Duration;

/// Waits are counted in ticks while `hone` runs: a pause of `hone` itself
/// counts as one tick.
pub(crate) const TICK: Duration = Duration::from_millis(50);

/// The positions that are being searched. Each engine takes the next position
/// when it has answered.
#[derive(Debug)]
pub(crate) struct Waits {
    /// Indices of positions with the ticks since they were taken, in the order
    /// in which they were taken: the longest wait first.
    at_work: Vec<(usize, u32)>,
    next: usize,
    count: usize,
    notice_after: Duration,
}

impl Waits {
    /// The waits of `engines` engines for `count` positions. Waits from
    /// `notice_after` on are reported.
    pub(crate) fn new(engines: usize, count: usize, notice_after: Duration) -> Self {
        let mut waits = Self {
            at_work: Vec::with_capacity(engines),
            next: 0,
            count,
            notice_after,
        };
        for _ in 0..engines {
            waits.take();
        }
        waits
    }

    /// An engine has answered this position.
    pub(crate) fn answered(&mut self, index: usize) {
        self.at_work.retain(|(at, _)| *at != index);
        self.take();
    }

    /// A tick has passed. Gives the position of the longest wait and its
    /// length, after a time that doubles with each report.
    pub(crate) fn tick(&mut self) -> Option<(usize, Duration)> {
        for (_, ticks) in &mut self.at_work {
            *ticks = ticks.saturating_add(1);
        }
        let &(index, ticks) = self.at_work.first()?;
        // The first tick may have begun long before the search.
        let waited = TICK.saturating_mul(ticks.saturating_sub(1));
        if waited < self.notice_after {
            return None;
        }
        self.notice_after = waited.saturating_mul(2);
        Some((index, waited))
    }

    fn take(&mut self) {
        if self.next < self.count {
            self.at_work.push((self.next, 0));
            self.next += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: fn(u64) -> Duration = Duration::from_millis;

    /// What is reported in this many ticks, with the number of the tick.
    fn reports(waits: &mut Waits, ticks: u32) -> Vec<(u32, usize, Duration)> {
        (1..=ticks)
            .filter_map(|tick| waits.tick().map(|(index, waited)| (tick, index, waited)))
            .collect()
    }

    #[test]
    fn notices_come_after_twice_as_long_each() {
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
    fn an_answer_begins_the_next_wait_and_the_longest_counts() {
        let mut waits = Waits::new(2, 4, MS(150));
        assert_eq!(reports(&mut waits, 3), []);
        waits.answered(1);
        // Position 2 follows for that engine; 0 has waited longer.
        assert_eq!(reports(&mut waits, 2), [(1, 0, MS(150))]);
        waits.answered(0);
        assert_eq!(reports(&mut waits, 6), [(5, 2, MS(300))]);
    }

    #[test]
    fn engines_without_a_position_wait_for_nothing() {
        let mut waits = Waits::new(3, 1, MS(50));
        waits.answered(0);
        assert_eq!(reports(&mut waits, 10), []);
    }
}
