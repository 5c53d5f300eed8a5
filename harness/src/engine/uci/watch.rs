//! Time in which `hone` itself was not running: stopped by a signal, frozen
//! with its container, or starved. An answer that came meanwhile is seen late,
//! and that is not the engine's fault.

use std::time::{Duration, Instant};

/// `hone` looks up at least so often while it waits.
const GLANCE: Duration = Duration::from_millis(100);

/// Waking up later than this is not the timer's own inexactness.
const LATE: Duration = Duration::from_millis(20);

/// Not running for so long is no lack of a processor: everything was frozen,
/// most likely the engine too.
const FROZEN: Duration = Duration::from_secs(1);

/// A wait of which one wants to know whether it was watched.
#[derive(Debug, Default)]
pub(super) struct Watch {
    frozen: Duration,
    /// Before `hone` looked last: an answer found then may be as old.
    gap: Duration,
}

impl Watch {
    /// The time in which nobody watched and which is not the engine's: all of
    /// being frozen, and any shorter gap just before the last look.
    pub(super) fn unwatched(&self) -> Duration {
        self.frozen + self.gap
    }

    /// The deadline, later by the time in which nobody watched.
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
        self.gap = Duration::ZERO;
        if late > FROZEN {
            self.frozen += late;
        } else if late > LATE {
            self.gap = late;
        }
        if late > LATE {
            // A moment for looking at what has come.
            self.gap += LATE;
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
        watch.woke(woke + MS(10), woke + MS(50));
        assert_eq!(watch.unwatched(), MS(5_000), "it stays so");
    }

    #[test]
    fn a_short_gap_excuses_only_what_was_found_right_after_it() {
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
