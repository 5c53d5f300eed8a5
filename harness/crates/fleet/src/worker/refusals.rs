//! The runs that a worker does not play, with the reasons and times.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::runs::{RunState, Runs};
use crate::ids::Name;
use crate::message::NEXT_TRY;

/// Pause of a run after its first failure; it doubles with each further failure.
const FIRST_PAUSE: Duration = Duration::from_secs(5 * 60);
/// Maximum pause, unless a try costs more than a tenth of it.
const MAX_PAUSE: Duration = Duration::from_secs(60 * 60);
/// Minimum ratio of a pause to the playing time that the failed try has cost.
const PAUSE_PER_COST: u32 = 10;

/// Maximum length of a reason in characters: it may contain the output of an engine, and
/// a status contains the reasons of all runs.
const MAX_REASON: usize = 500;

/// The first [`MAX_REASON`] characters of a reason.
pub(super) fn shortened(why: &str) -> String {
    why.chars().take(MAX_REASON).collect()
}

/// Why a run is not played.
#[derive(Debug)]
pub(super) struct Refused {
    why: String,
    /// After failures: their number, and when the run is tried again. `None` for a reason
    /// that lasts until the run itself changes.
    failures: Option<(u32, Instant)>,
}

impl Refused {
    fn holds(&self, now: Instant) -> bool {
        self.failures.is_none_or(|(_, until)| now < until)
    }

    pub(super) fn is_failure(&self) -> bool {
        self.failures.is_some()
    }

    /// The reason and the time of the next try, as `hone fleet status` shows them.
    fn in_words(&self, now: Instant) -> String {
        match self.failures {
            Some((_, until)) => {
                let wait = in_minutes(until.duration_since(now));
                format!("{}{NEXT_TRY}{wait}", self.why)
            }
            None => self.why.clone(),
        }
    }
}

impl RunState {
    /// Whether the run is not played now.
    pub(super) fn is_refused(&self, now: Instant) -> bool {
        self.refused.as_ref().is_some_and(|one| one.holds(now))
    }
}

impl Runs {
    /// Refuses a run, whose notice has arrived, until it is allowed. Returns whether the reason
    /// is new.
    pub(super) fn refuse(&mut self, run: Name, why: &str, now: Instant) -> bool {
        let why = shortened(why);
        let state = self.state(&run);
        state.heard = Some(now);
        let refused = Refused {
            why: why.clone(),
            failures: None,
        };
        let before = state.refused.replace(refused);
        before.is_none_or(|before| before.why != why)
    }

    /// Pauses a run after a failure that has cost the playing time `cost`. The cause may
    /// be temporary, such as a full disk or a busy server. Returns the length of the pause;
    /// `None` if the run is paused already, because its pairings are prepared at the same
    /// time and fail together.
    pub(super) fn failed(
        &mut self,
        run: &Name,
        why: &str,
        cost: Duration,
        now: Instant,
    ) -> Option<Duration> {
        let state = self.state(run);
        if state.is_refused(now) {
            return None;
        }
        let before = state.refused.as_ref().and_then(|refused| refused.failures);
        let before = before.map_or(0, |(failures, _)| failures);
        let wait = FIRST_PAUSE.saturating_mul(2_u32.saturating_pow(before));
        let wait = wait.min(MAX_PAUSE).max(cost.saturating_mul(PAUSE_PER_COST));
        state.heard = Some(now);
        state.refused = Some(Refused {
            why: shortened(why),
            failures: Some((before + 1, now + wait)),
        });
        Some(wait)
    }

    /// Ends a refusal of a run whose notice has arrived, but not its pause after a failure.
    pub(super) fn allow(&mut self, run: &Name, now: Instant) {
        let state = self.state(run);
        state.heard = Some(now);
        state.refused.take_if(|refused| !refused.is_failure());
    }

    /// Whether the run is not played now.
    pub(super) fn is_refused(&self, run: &Name, now: Instant) -> bool {
        self.get(run).is_some_and(|state| state.is_refused(now))
    }

    /// The runs that are not played now, with the reasons that `hone fleet status` shows.
    pub(super) fn refused_in_words(&self, now: Instant) -> BTreeMap<Name, String> {
        let refused = self.states.iter().filter_map(|(run, state)| {
            let refused = state.refused.as_ref().filter(|one| one.holds(now))?;
            Some((run.clone(), refused.in_words(now)))
        });
        refused.collect()
    }
}

/// A time in whole minutes, rounded up.
pub(super) fn in_minutes(time: Duration) -> String {
    format!("{} min", time.as_secs().div_ceil(60))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::name;

    const MINUTE: Duration = Duration::from_secs(60);

    fn run() -> Name {
        name("run")
    }

    #[test]
    fn pauses_double_after_each_failure() {
        let mut runs = Runs::default();
        let mut now = Instant::now();
        for minutes in [5, 10, 20, 40, 60, 60] {
            let wait = runs.failed(&run(), "disk full", Duration::ZERO, now);
            assert_eq!(wait, Some(minutes * MINUTE));
            let shown = runs.refused_in_words(now + MINUTE / 2);
            let words = format!("disk full; next try in {minutes} min");
            assert_eq!(shown[&run()], words);
            now += minutes * MINUTE;
            let again = now - MINUTE / 60;
            assert!(runs.is_refused(&run(), again));
            let wait = runs.failed(&run(), "disk full", Duration::ZERO, again);
            assert_eq!(wait, None, "another pairing, the same disk");
            assert!(!runs.is_refused(&run(), now));
            assert!(runs.refused_in_words(now).is_empty());
        }
        runs.played(&run());
        let wait = runs.failed(&run(), "disk full", Duration::ZERO, now);
        assert_eq!(wait, Some(5 * MINUTE), "it had played meanwhile");
    }

    #[test]
    fn builds_that_fail_take_a_tenth_of_the_time() {
        let now = Instant::now();
        let failed = |cost| Runs::default().failed(&run(), "does not build", cost, now);
        assert_eq!(failed(MINUTE / 6), Some(5 * MINUTE));
        assert_eq!(failed(60 * MINUTE), Some(600 * MINUTE));
    }

    #[test]
    fn long_reasons_are_cut() {
        let mut runs = Runs::default();
        let now = Instant::now();
        runs.failed(&run(), &"é".repeat(20_000), Duration::ZERO, now);
        let words = &runs.refused_in_words(now)[&run()];
        assert_eq!(words.matches('é').count(), 500);
        assert!(words.ends_with("; next try in 5 min"), "{words}");
        let [long, longer] = [600, 20_000].map(|length| "à".repeat(length));
        assert!(runs.refuse(run(), &long, now));
        assert!(
            !runs.refuse(run(), &longer, now),
            "the stored part is the same"
        );
    }

    #[test]
    fn a_refusal_lasts_until_it_is_allowed() {
        let mut runs = Runs::default();
        let now = Instant::now();
        let day = 24 * 60 * MINUTE;
        runs.failed(&run(), "disk full", Duration::ZERO, now);
        assert!(runs.refuse(run(), "in quarantine", now));
        assert!(
            !runs.refuse(run(), "in quarantine", now),
            "not a new reason"
        );
        let wait = runs.failed(&run(), "disk full", Duration::ZERO, now);
        assert_eq!(wait, None);
        runs.played(&run());
        assert!(runs.is_refused(&run(), now + day));
        assert_eq!(runs.refused_in_words(now + day)[&run()], "in quarantine");
        runs.allow(&run(), now);
        assert!(!runs.is_refused(&run(), now));
        runs.failed(&run(), "disk full", Duration::ZERO, now);
        runs.allow(&run(), now);
        assert!(runs.is_refused(&run(), now), "the disk is still full");
        runs.forget(&run());
        assert!(!runs.is_refused(&run(), now));
    }
}
