//! Selects the run of a worker's next pair: the runs share the threads of the machine in
//! proportion to their priorities.
//!
//! This is stride scheduling (C. A. Waldspurger and W. E. Weihl, 1995, MIT/LCS/TM-528):
//! the run with the smallest `pass` is next, and each pair that is taken increases its
//! run's `pass` by the pair's threads divided by the run's priority.

use std::time::{Duration, Instant};

use super::abilities::Resources;
use super::runs::Runs;
use crate::ids::Name;
use crate::message::Notice;

/// A run without a notice for this long is left out until its next notice.
const NOTICE_TIMEOUT: Duration = Duration::from_secs(40);
/// Time for which a run without jobs is left out.
const EMPTY_PAUSE: Duration = Duration::from_millis(250);

/// A run that this worker may play.
#[derive(Debug)]
pub(super) struct Offer {
    notice: Notice,
    notice_at: Instant,
    /// Threads taken for it, divided by its priority: the smallest is next.
    pass: f64,
    empty_until: Option<Instant>,
}

impl Offer {
    fn is_open(&self, now: Instant) -> bool {
        now.duration_since(self.notice_at) < NOTICE_TIMEOUT
            && !self.notice.draining
            && self.empty_until.is_none_or(|until| until <= now)
    }
}

impl Runs {
    /// Updates a run by its notice.
    pub(super) fn update(&mut self, run: &Name, notice: Notice, now: Instant) {
        let state = self.state(run);
        state.heard = Some(now);
        let known = state.offer.as_ref();
        let (pass, empty_until) = known.map_or((0.0, None), |run| (run.pass, run.empty_until));
        state.offer = Some(Offer {
            notice,
            notice_at: now,
            pass,
            empty_until,
        });
    }

    pub(super) fn notice(&self, run: &Name) -> Option<&Notice> {
        let offer = self.states.get(run)?.offer.as_ref()?;
        Some(&offer.notice)
    }

    /// The next run, of those that may have jobs, whose engines are not being prepared and
    /// that are not refused. `None` if the resources `free` do not suffice for it: no other
    /// run is next in its place, so a run that needs many threads gets them once enough are
    /// free.
    pub(super) fn next(&self, free: Resources, now: Instant) -> Option<&Name> {
        let candidates = self.states.iter().filter_map(|(run, state)| {
            let offer = state.offer.as_ref().filter(|offer| offer.is_open(now))?;
            let is_left_out = state.is_refused(now) || state.engines.are_preparing();
            (!is_left_out).then_some((run, offer))
        });
        let (run, offer) = candidates.min_by(|(_, a), (_, b)| a.pass.total_cmp(&b.pass))?;
        free.suffice(&offer.notice).then_some(run)
    }

    fn offer(&mut self, run: &Name) -> Option<&mut Offer> {
        self.states.get_mut(run)?.offer.as_mut()
    }

    /// Records that a pair of the run was taken.
    pub(super) fn taken(&mut self, run: &Name) {
        let mut max_pass = self.max_pass;
        if let Some(offer) = self.offer(run) {
            let threads = offer.notice.threads as f64;
            max_pass = max_pass.max(offer.pass);
            offer.pass = max_pass + threads / f64::from(offer.notice.priority);
            offer.empty_until = None;
        }
        self.max_pass = max_pass;
    }

    /// Records that the run had no job.
    pub(crate) fn was_empty(&mut self, run: &Name, now: Instant) {
        if let Some(offer) = self.offer(run) {
            offer.empty_until = Some(now + EMPTY_PAUSE);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::message::samples::notice_of as notice;
    use crate::samples::name;
    use crate::worker::runs::REMOVE_AFTER;

    const FREE: Resources = Resources::SAMPLE;

    #[test]
    fn runs_share_the_machine_by_priority() {
        let now = Instant::now();
        let mut runs = Runs::default();
        runs.update(&name("a"), notice(3, 1), now);
        runs.update(&name("b"), notice(1, 1), now);
        let mut count = BTreeMap::<Name, u32>::new();
        for _ in 0..400 {
            let run = runs.next(FREE, now).expect("a run").clone();
            runs.taken(&run);
            *count.entry(run).or_default() += 1;
        }
        assert!((299..=301).contains(&count[&name("a")]), "{count:?}");
    }

    #[test]
    fn a_run_of_many_threads_is_not_starved_by_small_ones() {
        let now = Instant::now();
        let mut runs = Runs::default();
        runs.update(&name("big"), notice(1, 8), now);
        runs.update(&name("small"), notice(1, 1), now);
        let busy = Resources { threads: 3, ..FREE };
        let mut waited = 0;
        for _ in 0..20 {
            match runs.next(busy, now).cloned() {
                Some(run) => runs.taken(&run),
                None => waited += 1,
            }
        }
        assert!(waited > 0, "it never was the turn of the big one");
        assert_eq!(runs.next(FREE, now), Some(&name("big")));
    }

    #[test]
    fn empty_silent_draining_and_refused_runs_are_left_out() {
        let now = Instant::now();
        let mut runs = Runs::default();
        runs.update(&name("a"), notice(1, 1), now);
        runs.refuse(name("a"), "in quarantine", now);
        assert!(runs.next(FREE, now).is_none());
        runs.allow(&name("a"), now);
        runs.state(&name("a")).engines.begin("files");
        assert!(runs.next(FREE, now).is_none(), "not ready");
        runs.state(&name("a")).engines.clear();
        assert!(runs.next(FREE, now + NOTICE_TIMEOUT).is_none());
        runs.was_empty(&name("a"), now);
        assert!(runs.next(FREE, now).is_none());
        assert!(runs.next(FREE, now + EMPTY_PAUSE).is_some());
        let draining = Notice {
            draining: true,
            ..notice(1, 1)
        };
        runs.update(&name("a"), draining, now + EMPTY_PAUSE);
        assert!(runs.next(FREE, now + EMPTY_PAUSE).is_none());
    }

    /// Number of the next `pairs` pairs that are of a run.
    fn share(runs: &mut Runs, now: Instant, run: &str, pairs: u32) -> u32 {
        let mut count = 0;
        for _ in 0..pairs {
            let next = runs.next(FREE, now).expect("a run").clone();
            runs.taken(&next);
            count += u32::from(next == name(run));
        }
        count
    }

    #[test]
    fn a_new_run_shares_with_others_after_a_run_stopped_or_drains() {
        for is_silent in [true, false] {
            let start = Instant::now();
            let mut runs = Runs::default();
            runs.update(&name("ended"), notice(1, 1), start);
            let ending = Notice {
                draining: !is_silent,
                ..notice(1, 1)
            };
            let later = start + NOTICE_TIMEOUT;
            if !is_silent {
                runs.update(&name("ended"), ending, later);
            }
            runs.update(&name("old"), notice(1, 1), later);
            assert_eq!(share(&mut runs, later, "old", 1000), 1000);
            runs.update(&name("new"), notice(1, 1), later);
            let of_new = share(&mut runs, later, "new", 100);
            assert!((49..=51).contains(&of_new), "{of_new}");
            // It continues, as with `hone resume`.
            runs.update(&name("ended"), notice(1, 1), later);
            let of_ended = share(&mut runs, later, "ended", 99);
            assert!((32..=34).contains(&of_ended), "{of_ended}");
        }
    }

    #[test]
    fn a_run_that_starts_while_all_others_are_silent_does_not_starve_them_later() {
        let start = Instant::now();
        let mut runs = Runs::default();
        runs.update(&name("a"), notice(1, 1), start);
        share(&mut runs, start, "a", 1000);
        let later = start + NOTICE_TIMEOUT;
        runs.update(&name("b"), notice(1, 1), later);
        runs.update(&name("a"), notice(1, 1), later);
        let of_b = share(&mut runs, later, "b", 100);
        assert!((49..=51).contains(&of_b), "{of_b}");
    }

    #[test]
    fn a_run_is_gone_after_an_hour_without_a_notice() {
        let now = Instant::now();
        let mut runs = Runs::default();
        runs.update(&name("a"), notice(1, 1), now);
        assert!(runs.gone(now + REMOVE_AFTER - EMPTY_PAUSE).is_empty());
        assert_eq!(runs.gone(now + REMOVE_AFTER), [name("a")]);
    }
}
