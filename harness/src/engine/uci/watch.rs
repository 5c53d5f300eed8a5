//! Time in which `hone` itself was not running: stopped by a signal, frozen
//! with its container, or starved. An answer that came meanwhile is seen late,
//! and that is not the engine's fault.

use std::time::{Duration, Instant};

/// `hone` looks up at least this often while it waits.
const GLANCE: Duration = Duration::from_millis(100);

/// Waking up later than this is not the timer's own inexactness.
const LATE: Duration = Duration::from_millis(20);

/// A pause of this length is not CPU starvation: everything was frozen, most
/// likely the engine too.
const FROZEN: Duration = Duration::from_secs(1);

/// A wait, with a record of when `hone` itself was not running.
#[derive(Debug, Default)]
pub(super) struct Watch {
    frozen: Duration,
    /// A gap that has just ended: an answer found right after it may have come
    /// at its beginning.
    gap: Duration,
    /// When that gap ended.
    gap_end: Option<Instant>,
}

impl Watch {
    /// Time in which `hone` was not running and which is not charged to the engine:
    /// every pause above [`FROZEN`], and a shorter gap that ended at most [`LATE`]
    /// before the last check. The first check after a gap may find nothing, because
    /// the runtime reports new data only at the second.
    pub(super) fn unwatched(&self) -> Duration {
        self.frozen + self.gap
    }

    /// The deadline, moved by the time in which `hone` did not watch.
    pub(super) fn extended(&self, deadline: Instant) -> Instant {
        deadline + self.unwatched()
    }

    /// When to look up next.
    pub(super) fn glance(&self, now: Instant, deadline: Instant) -> Instant {
        self.extended(deadline).min(now + GLANCE)
    }

    /// It is `now`, and the time to look up was `glance`.
    pub(super) fn woke(&mut self, now: Instant, glance: Instant) {
        let late = now.saturating_duration_since(glance);
        if late > LATE {
            // A moment for looking at what has come.
            self.gap = LATE;
            self.gap_end = Some(now);
            if late > FROZEN {
                self.frozen += late;
            } else {
                self.gap += late;
            }
        } else if self.gap_end.is_none_or(|end| now > end + LATE) {
            self.gap = Duration::ZERO;
            self.gap_end = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: fn(u64) -> Duration = Duration::from_millis;

    #[test]
    fn a_wait_that_was_watched_ends_at_its_deadline() {
        let mut watch = Watch::default();
        let start = Instant::now();
        let deadline = start + MS(150);
        let glance = watch.glance(start, deadline);
        assert_eq!(glance, start + GLANCE);
        watch.woke(glance + MS(2), glance);
        let glance = watch.glance(glance + MS(2), deadline);
        assert_eq!(glance, deadline);
        watch.woke(start + MS(90), glance);
        assert_eq!(watch.unwatched(), Duration::ZERO);
        assert_eq!(watch.extended(deadline), deadline);
    }

    #[test]
    fn a_sleep_is_added_to_the_deadline() {
        let mut watch = Watch::default();
        let start = Instant::now();
        let deadline = start + MS(150);
        let glance = watch.glance(start, deadline);
        let woke = start + MS(5_100);
        watch.woke(woke, glance);
        assert_eq!(watch.unwatched(), MS(5_000) + LATE);
        assert!(watch.extended(deadline) > woke, "there is time to look");
        assert_eq!(watch.glance(woke, deadline), start + MS(5_150) + LATE);
        watch.woke(woke + MS(30), woke + MS(50));
        assert_eq!(watch.unwatched(), MS(5_000), "it stays so");
    }

    #[test]
    fn the_look_that_finds_the_answer_keeps_the_gap() {
        let mut watch = Watch::default();
        let start = Instant::now();
        let deadline = start + MS(150);
        let glance = watch.glance(start, deadline);
        // The first look finds nothing yet, the second the answer.
        watch.woke(start + MS(500), glance);
        let excused = watch.unwatched();
        watch.woke(start + MS(501), start + MS(600));
        assert_eq!(watch.unwatched(), excused);
        assert!(watch.extended(deadline) > start + MS(501));
        // A longer search gets nothing.
        watch.woke(start + MS(530), start + MS(600));
        assert_eq!(watch.unwatched(), Duration::ZERO);
    }

    #[test]
    fn a_short_gap_counts_only_for_an_answer_right_after_it() {
        let mut watch = Watch::default();
        let start = Instant::now();
        let deadline = start + MS(150);
        let glance = watch.glance(start, deadline);
        watch.woke(glance + MS(90), glance);
        assert_eq!(watch.unwatched(), MS(90) + LATE);
        assert!(watch.extended(deadline) > glance + MS(90));
        let next = watch.glance(glance + MS(90), deadline);
        watch.woke(next, next);
        assert_eq!(watch.extended(deadline), deadline);
        assert!(next >= deadline, "the wait is over");
    }
}
