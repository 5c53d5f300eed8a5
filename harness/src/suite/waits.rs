//! How long engines have been searching their positions without an answer.

use std::time::Duration;

/// Waits are counted in ticks while `hone` runs: a pause of `hone` itself
/// counts as one tick.
pub(crate) const TICK: Duration = Duration::from_millis(50);

/// The first notice, beyond the time that a search should take.
const SOON: Duration = Duration::from_secs(5);

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
    stall: Option<Duration>,
}

/// An engine that has not answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Silence {
    /// It has taken long for the position of this index.
    Long(usize, Duration),
    /// It has stalled at the position of this index.
    Stall(usize),
}

impl Waits {
    /// The waits of `engines` engines for `count` positions. A search should
    /// take `expected`; an engine that has not answered after `stall` stalls.
    pub(crate) fn new(
        engines: usize,
        count: usize,
        expected: Duration,
        stall: Option<Duration>,
    ) -> Self {
        let soon = expected + SOON;
        let mut waits = Self {
            at_work: Vec::with_capacity(engines),
            next: 0,
            count,
            notice_after: stall.map_or(soon, |stall| soon.min(stall / 3)),
            stall,
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

    /// A tick has passed. The longest wait is reported if it is a stall, and
    /// else after a time that doubles with each report.
    pub(crate) fn tick(&mut self) -> Option<Silence> {
        for (_, ticks) in &mut self.at_work {
            *ticks = ticks.saturating_add(1);
        }
        let &(index, ticks) = self.at_work.first()?;
        // The first tick may have begun long before the search.
        let waited = TICK.saturating_mul(ticks.saturating_sub(1));
        if self.stall.is_some_and(|stall| waited >= stall) {
            return Some(Silence::Stall(index));
        }
        if waited < self.notice_after {
            return None;
        }
        self.notice_after = waited.saturating_mul(2);
        Some(Silence::Long(index, waited))
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
    fn reports(waits: &mut Waits, ticks: u32) -> Vec<(u32, Silence)> {
        (1..=ticks)
            .filter_map(|tick| Some((tick, waits.tick()?)))
            .collect()
    }

    #[test]
    fn a_stall_is_announced_before_and_takes_full_ticks() {
        let mut waits = Waits::new(1, 2, Duration::ZERO, Some(MS(300)));
        assert_eq!(
            reports(&mut waits, 7),
            [
                (3, Silence::Long(0, MS(100))),
                (5, Silence::Long(0, MS(200))),
                (7, Silence::Stall(0)),
            ]
        );
    }

    #[test]
    fn notices_come_after_twice_as_long_each_and_begin_beyond_the_expected_time() {
        let mut waits = Waits::new(1, 1, Duration::from_secs(1), None);
        assert_eq!(
            reports(&mut waits, 20 * 60),
            [
                (121, Silence::Long(0, Duration::from_secs(6))),
                (241, Silence::Long(0, Duration::from_secs(12))),
                (481, Silence::Long(0, Duration::from_secs(24))),
                (961, Silence::Long(0, Duration::from_secs(48))),
            ]
        );
    }

    #[test]
    fn an_answer_begins_the_next_wait_and_the_longest_counts() {
        let mut waits = Waits::new(2, 4, Duration::ZERO, Some(MS(500)));
        assert_eq!(reports(&mut waits, 3), []);
        waits.answered(1);
        // Position 2 follows for that engine; 0 has waited longer.
        assert_eq!(reports(&mut waits, 2), [(2, Silence::Long(0, MS(200)))]);
        waits.answered(0);
        assert_eq!(
            reports(&mut waits, 9),
            [(7, Silence::Long(2, MS(400))), (9, Silence::Stall(2))]
        );
    }

    #[test]
    fn engines_without_a_position_wait_for_nothing() {
        let mut waits = Waits::new(3, 1, Duration::ZERO, Some(MS(50)));
        waits.answered(0);
        assert_eq!(reports(&mut waits, 10), []);
    }
}
