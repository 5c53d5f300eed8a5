//! Pauses of `hone` itself during a wait: it was stopped by a signal, frozen with
//! its container, or starved of CPU. An answer that arrived meanwhile is read late,
//! and the engine is not charged for that time.

use std::time::{Duration, Instant};

/// `hone` polls an engine at least this often while it waits for an answer.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// A poll may be this late because timers are inexact. It is also the time in which an
/// answer must be read after a pause to count as delayed by the pause.
const TOLERANCE: Duration = Duration::from_millis(20);

/// A longer pause is not CPU starvation: everything was frozen, most likely the engine
/// too.
const FROZEN: Duration = Duration::from_secs(1);

/// The pauses of `hone` while it waits for one answer.
#[derive(Debug, Default)]
pub(super) struct PauseTracker {
    /// Sum of the pauses above [`FROZEN`].
    frozen: Duration,
    /// The recent shorter pauses and [`TOLERANCE`]; zero if no pause is recent.
    recent: Duration,
    /// The shorter pause that ended with the last poll; zero if none did.
    last: Duration,
    /// When the last pause ended.
    ended: Option<Instant>,
}

impl PauseTracker {
    /// Time that is not charged to the engine: every pause above [`FROZEN`], and a
    /// shorter pause that ended at most [`TOLERANCE`] before the last poll, together with
    /// one that ended at the poll before the pause. The first poll after a pause may find
    /// nothing, because the runtime reports new data only at the second.
    pub(super) fn credit(&self) -> Duration {
        self.frozen + self.recent
    }

    /// The deadline, later by [`Self::credit`].
    pub(super) fn extended(&self, deadline: Instant) -> Instant {
        deadline + self.credit()
    }

    /// When the next poll is due.
    pub(super) fn next_poll(&self, now: Instant, deadline: Instant) -> Instant {
        self.extended(deadline).min(now + POLL_INTERVAL)
    }

    /// Records a poll at `now` that was due at `due`.
    pub(super) fn record_poll(&mut self, now: Instant, due: Instant) {
        let late = now.saturating_duration_since(due);
        if late > TOLERANCE {
            let before = std::mem::take(&mut self.last);
            if late > FROZEN {
                self.frozen += late;
            } else {
                self.last = late;
            }
            self.recent = before + self.last + TOLERANCE;
            self.ended = Some(now);
            return;
        }
        self.last = Duration::ZERO;
        if self.ended.is_some_and(|ended| now > ended + TOLERANCE) {
            self.recent = Duration::ZERO;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: fn(u64) -> Duration = Duration::from_millis;

    #[test]
    fn a_wait_without_pauses_ends_at_its_deadline() {
        let mut pauses = PauseTracker::default();
        let start = Instant::now();
        let deadline = start + MS(150);
        let due = pauses.next_poll(start, deadline);
        assert_eq!(due, start + POLL_INTERVAL);
        pauses.record_poll(due + MS(2), due);
        let due = pauses.next_poll(due + MS(2), deadline);
        assert_eq!(due, deadline);
        pauses.record_poll(start + MS(90), due);
        assert_eq!(pauses.credit(), Duration::ZERO);
        assert_eq!(pauses.extended(deadline), deadline);
    }

    #[test]
    fn a_freeze_is_added_to_the_deadline() {
        let mut pauses = PauseTracker::default();
        let start = Instant::now();
        let deadline = start + MS(150);
        let due = pauses.next_poll(start, deadline);
        let now = start + MS(5_100);
        pauses.record_poll(now, due);
        assert_eq!(pauses.credit(), MS(5_000) + TOLERANCE);
        assert!(pauses.extended(deadline) > now, "there is time for a poll");
        assert_eq!(
            pauses.next_poll(now, deadline),
            start + MS(5_150) + TOLERANCE
        );
        pauses.record_poll(now + MS(30), now + MS(50));
        assert_eq!(pauses.credit(), MS(5_000), "it is permanent");
    }

    #[test]
    fn the_poll_that_finds_the_answer_keeps_the_pause() {
        let mut pauses = PauseTracker::default();
        let start = Instant::now();
        let deadline = start + MS(150);
        let due = pauses.next_poll(start, deadline);
        // The first poll finds nothing yet, the second the answer.
        pauses.record_poll(start + MS(500), due);
        let credit = pauses.credit();
        pauses.record_poll(start + MS(501), start + MS(600));
        assert_eq!(pauses.credit(), credit);
        assert!(pauses.extended(deadline) > start + MS(501));
        // A longer search gets no credit.
        pauses.record_poll(start + MS(530), start + MS(600));
        assert_eq!(pauses.credit(), Duration::ZERO);
    }

    #[test]
    fn a_pause_before_the_next_poll_is_added_to_the_first() {
        let mut pauses = PauseTracker::default();
        let start = Instant::now();
        let deadline = start + MS(5_000);
        let due = pauses.next_poll(start, deadline);
        pauses.record_poll(due + MS(500), due);
        let due = pauses.next_poll(due + MS(500), deadline);
        pauses.record_poll(due + MS(300), due);
        assert_eq!(pauses.credit(), MS(800) + TOLERANCE);
        // By the third poll an answer from the first pause would have been read.
        let due = pauses.next_poll(due + MS(300), deadline);
        pauses.record_poll(due + MS(40), due);
        assert_eq!(pauses.credit(), MS(340) + TOLERANCE);
        pauses.record_poll(due + MS(45), due + MS(140));
        pauses.record_poll(due + MS(240), due + MS(145));
        assert_eq!(pauses.credit(), MS(95) + TOLERANCE);
    }

    #[test]
    fn a_short_pause_counts_only_for_an_answer_right_after_it() {
        let mut pauses = PauseTracker::default();
        let start = Instant::now();
        let deadline = start + MS(150);
        let due = pauses.next_poll(start, deadline);
        pauses.record_poll(due + MS(90), due);
        assert_eq!(pauses.credit(), MS(90) + TOLERANCE);
        assert!(pauses.extended(deadline) > due + MS(90));
        let next = pauses.next_poll(due + MS(90), deadline);
        pauses.record_poll(next, next);
        assert_eq!(pauses.extended(deadline), deadline);
        assert!(next >= deadline, "the wait is over");
    }
}
