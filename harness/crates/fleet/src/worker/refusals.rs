//! The runs that a worker does not play, with the reasons and times.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::scheduler::REMOVE_AFTER;
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

/// The runs that are not played.
#[derive(Debug, Default)]
pub(super) struct Refusals(BTreeMap<Name, Refused>);

#[derive(Debug)]
struct Refused {
    why: String,
    /// After failures: their number, and when the run is tried again. `None` for a reason
    /// that lasts until the run itself changes.
    failures: Option<(u32, Instant)>,
    /// The time of the run's last notice or failure.
    noticed: Instant,
}

impl Refusals {
    /// Refuses a run, whose notice has arrived, until it is allowed. Returns whether the reason
    /// is new.
    pub(super) fn refuse(&mut self, run: Name, why: &str, now: Instant) -> bool {
        let why = shortened(why);
        let refused = Refused {
            why: why.clone(),
            failures: None,
            noticed: now,
        };
        let before = self.0.insert(run, refused);
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
        if self.contains(run, now) {
            return None;
        }
        let before = self.0.get(run).and_then(|refused| refused.failures);
        let before = before.map_or(0, |(failures, _)| failures);
        let wait = FIRST_PAUSE.saturating_mul(2_u32.saturating_pow(before));
        let wait = wait.min(MAX_PAUSE).max(cost.saturating_mul(PAUSE_PER_COST));
        let refused = Refused {
            why: shortened(why),
            failures: Some((before + 1, now + wait)),
            noticed: now,
        };
        self.0.insert(run.clone(), refused);
        Some(wait)
    }

    /// Clears the failures of a run, because a pair of it was played.
    pub(super) fn played(&mut self, run: &Name) {
        if self.0.get(run).is_some_and(|one| one.failures.is_some()) {
            self.0.remove(run);
        }
    }

    /// Ends a refusal of a run whose notice has arrived, but not its pause after a failure.
    pub(super) fn allow(&mut self, run: &Name, now: Instant) {
        match self.0.get_mut(run) {
            Some(one) if one.failures.is_some() => one.noticed = now,
            _ => self.forget(run),
        }
    }

    /// The runs whose last notice is older than [`REMOVE_AFTER`].
    pub(super) fn gone(&self, now: Instant) -> Vec<Name> {
        let is_gone = |one: &Refused| now.duration_since(one.noticed) >= REMOVE_AFTER;
        let gone = self.0.iter().filter(|(_, one)| is_gone(one));
        gone.map(|(run, _)| run.clone()).collect()
    }

    /// Removes a run that is over.
    pub(super) fn forget(&mut self, run: &Name) {
        self.0.remove(run);
    }

    /// Whether the run is not played now.
    pub(super) fn contains(&self, run: &Name, now: Instant) -> bool {
        self.0.get(run).is_some_and(|one| one.holds(now))
    }

    /// The runs that are not played now, with the reasons that `hone fleet status` shows.
    pub(super) fn in_words(&self, now: Instant) -> BTreeMap<Name, String> {
        let held = self.0.iter().filter(|(_, one)| one.holds(now));
        let words = held.map(|(run, one)| {
            let why = match one.failures {
                Some((_, until)) => {
                    let wait = in_minutes(until.duration_since(now));
                    format!("{}{NEXT_TRY}{wait}", one.why)
                }
                None => one.why.clone(),
            };
            (run.clone(), why)
        });
        words.collect()
    }
}

impl Refused {
    fn holds(&self, now: Instant) -> bool {
        self.failures.is_none_or(|(_, until)| now < until)
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
        let mut refusals = Refusals::default();
        let mut now = Instant::now();
        for minutes in [5, 10, 20, 40, 60, 60] {
            let wait = refusals.failed(&run(), "disk full", Duration::ZERO, now);
            assert_eq!(wait, Some(minutes * MINUTE));
            let shown = refusals.in_words(now + MINUTE / 2);
            let words = format!("disk full; next try in {minutes} min");
            assert_eq!(shown[&run()], words);
            now += minutes * MINUTE;
            let again = now - MINUTE / 60;
            assert!(refusals.contains(&run(), again));
            let wait = refusals.failed(&run(), "disk full", Duration::ZERO, again);
            assert_eq!(wait, None, "another pairing, the same disk");
            assert!(!refusals.contains(&run(), now));
            assert!(refusals.in_words(now).is_empty());
        }
        refusals.played(&run());
        let wait = refusals.failed(&run(), "disk full", Duration::ZERO, now);
        assert_eq!(wait, Some(5 * MINUTE), "it had played meanwhile");
    }

    #[test]
    fn builds_that_fail_take_a_tenth_of_the_time() {
        let now = Instant::now();
        let failed = |cost| Refusals::default().failed(&run(), "does not build", cost, now);
        assert_eq!(failed(MINUTE / 6), Some(5 * MINUTE));
        assert_eq!(failed(60 * MINUTE), Some(600 * MINUTE));
    }

    #[test]
    fn long_reasons_are_cut() {
        let mut refusals = Refusals::default();
        let now = Instant::now();
        refusals.failed(&run(), &"é".repeat(20_000), Duration::ZERO, now);
        let words = &refusals.in_words(now)[&run()];
        assert_eq!(words.matches('é').count(), 500);
        assert!(words.ends_with("; next try in 5 min"), "{words}");
        let [long, longer] = [600, 20_000].map(|length| "à".repeat(length));
        assert!(refusals.refuse(run(), &long, now));
        assert!(
            !refusals.refuse(run(), &longer, now),
            "the stored part is the same"
        );
    }

    #[test]
    fn a_refusal_lasts_until_it_is_allowed() {
        let mut refusals = Refusals::default();
        let now = Instant::now();
        let day = 24 * 60 * MINUTE;
        refusals.failed(&run(), "disk full", Duration::ZERO, now);
        assert!(refusals.refuse(run(), "in quarantine", now));
        assert!(
            !refusals.refuse(run(), "in quarantine", now),
            "not a new reason"
        );
        let wait = refusals.failed(&run(), "disk full", Duration::ZERO, now);
        assert_eq!(wait, None);
        refusals.played(&run());
        assert!(refusals.contains(&run(), now + day));
        assert_eq!(refusals.in_words(now + day)[&run()], "in quarantine");
        refusals.allow(&run(), now);
        assert!(!refusals.contains(&run(), now));
        refusals.failed(&run(), "disk full", Duration::ZERO, now);
        refusals.allow(&run(), now);
        assert!(refusals.contains(&run(), now), "the disk is still full");
        refusals.forget(&run());
        assert!(!refusals.contains(&run(), now));
    }

    #[test]
    fn a_run_is_gone_an_hour_after_its_last_notice() {
        let mut refusals = Refusals::default();
        let start = Instant::now();
        let noticed = start + 30 * MINUTE;
        refusals.refuse(name("excluded"), "in quarantine", start);
        refusals.refuse(name("excluded"), "in quarantine", noticed);
        refusals.failed(&name("failed"), "disk full", Duration::ZERO, start);
        refusals.allow(&name("failed"), noticed);
        assert!(refusals.gone(noticed + 59 * MINUTE).is_empty());
        let gone = refusals.gone(noticed + REMOVE_AFTER);
        assert_eq!(gone, [name("excluded"), name("failed")]);
    }
}
