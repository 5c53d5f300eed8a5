//! Selects the run of a worker's next pair: the runs share the threads of the machine in
//! proportion to their priorities.
//!
//! This is stride scheduling (C. A. Waldspurger and W. E. Weihl, 1995, MIT/LCS/TM-528):
//! the run with the smallest `pass` is next, and each pair that is taken increases its
//! run's `pass` by the pair's threads divided by the run's priority.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::abilities::Resources;
use crate::ids::Name;
use crate::message::Notice;

/// A run without a notice for this long is left out until its next notice.
const NOTICE_TIMEOUT: Duration = Duration::from_secs(40);
/// A run without a notice for this long is removed.
pub(super) const REMOVE_AFTER: Duration = Duration::from_secs(60 * 60);
/// Time for which a run without jobs is left out.
const EMPTY_PAUSE: Duration = Duration::from_millis(250);

#[derive(Debug)]
struct Entry {
    notice: Notice,
    notice_at: Instant,
    /// Threads taken for it, divided by its priority: the smallest is next.
    pass: f64,
    empty_until: Option<Instant>,
}

/// The runs that a worker can choose from.
#[derive(Debug, Default)]
pub(crate) struct RunScheduler {
    runs: BTreeMap<Name, Entry>,
    /// The largest `pass` of a run that was next: the minimum for each run after its next
    /// pair. So a run that is new, was left out or had no jobs does not catch up on the
    /// pairs of the others.
    max_pass: f64,
}

impl RunScheduler {
    /// Updates a run by its notice.
    pub(super) fn update(&mut self, run: Name, notice: Notice, now: Instant) {
        let known = self.runs.get(&run);
        let (pass, empty_until) = known.map_or((0.0, None), |run| (run.pass, run.empty_until));
        let entry = Entry {
            notice,
            notice_at: now,
            pass,
            empty_until,
        };
        self.runs.insert(run, entry);
    }

    /// The runs whose last notice is older than [`REMOVE_AFTER`].
    pub(super) fn gone(&self, now: Instant) -> Vec<Name> {
        let is_gone = |entry: &Entry| now.duration_since(entry.notice_at) >= REMOVE_AFTER;
        let gone = self.runs.iter().filter(|(_, entry)| is_gone(entry));
        gone.map(|(run, _)| run.clone()).collect()
    }

    pub(super) fn forget(&mut self, run: &Name) {
        self.runs.remove(run);
    }

    pub(super) fn notice(&self, run: &Name) -> Option<&Notice> {
        self.runs.get(run).map(|entry| &entry.notice)
    }

    /// The next run, of those that `fits` accepts and that may have jobs. `None` if the
    /// resources `free` do not suffice for it: no other run is next in its place, so a run
    /// that needs many threads gets them once enough are free.
    pub(super) fn next(
        &self,
        free: Resources,
        now: Instant,
        fits: impl Fn(&Name, &Notice) -> bool,
    ) -> Option<&Name> {
        let candidates = self.runs.iter().filter(|(run, entry)| {
            now.duration_since(entry.notice_at) < NOTICE_TIMEOUT
                && !entry.notice.draining
                && entry.empty_until.is_none_or(|until| until <= now)
                && fits(run, &entry.notice)
        });
        let (run, entry) = candidates.min_by(|(_, a), (_, b)| a.pass.total_cmp(&b.pass))?;
        free.suffice(&entry.notice).then_some(run)
    }

    /// Records that a pair of the run was taken.
    pub(super) fn taken(&mut self, run: &Name) {
        if let Some(entry) = self.runs.get_mut(run) {
            let threads = entry.notice.threads as f64;
            self.max_pass = self.max_pass.max(entry.pass);
            entry.pass = self.max_pass + threads / f64::from(entry.notice.priority);
            entry.empty_until = None;
        }
    }

    /// Records that the run had no job.
    pub(crate) fn was_empty(&mut self, run: &Name, now: Instant) {
        if let Some(entry) = self.runs.get_mut(run) {
            entry.empty_until = Some(now + EMPTY_PAUSE);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::samples::notice_of as notice;
    use crate::samples::name;

    const FREE: Resources = Resources::SAMPLE;

    #[test]
    fn runs_share_the_machine_by_priority() {
        let now = Instant::now();
        let mut scheduler = RunScheduler::default();
        scheduler.update(name("a"), notice(3, 1), now);
        scheduler.update(name("b"), notice(1, 1), now);
        let mut count = BTreeMap::<Name, u32>::new();
        for _ in 0..400 {
            let run = scheduler
                .next(FREE, now, |_, _| true)
                .expect("a run")
                .clone();
            scheduler.taken(&run);
            *count.entry(run).or_default() += 1;
        }
        assert!((299..=301).contains(&count[&name("a")]), "{count:?}");
    }

    #[test]
    fn a_run_of_many_threads_is_not_starved_by_small_ones() {
        let now = Instant::now();
        let mut scheduler = RunScheduler::default();
        scheduler.update(name("big"), notice(1, 8), now);
        scheduler.update(name("small"), notice(1, 1), now);
        let busy = Resources { threads: 3, ..FREE };
        let mut waited = 0;
        for _ in 0..20 {
            match scheduler.next(busy, now, |_, _| true).cloned() {
                Some(run) => scheduler.taken(&run),
                None => waited += 1,
            }
        }
        assert!(waited > 0, "it never was the turn of the big one");
        assert_eq!(scheduler.next(FREE, now, |_, _| true), Some(&name("big")));
    }

    #[test]
    fn empty_silent_draining_and_refused_runs_are_left_out() {
        let now = Instant::now();
        let mut scheduler = RunScheduler::default();
        scheduler.update(name("a"), notice(1, 1), now);
        assert!(scheduler.next(FREE, now, |_, _| false).is_none());
        assert!(
            scheduler
                .next(FREE, now + NOTICE_TIMEOUT, |_, _| true)
                .is_none()
        );
        scheduler.was_empty(&name("a"), now);
        assert!(scheduler.next(FREE, now, |_, _| true).is_none());
        assert!(
            scheduler
                .next(FREE, now + EMPTY_PAUSE, |_, _| true)
                .is_some()
        );
        let draining = Notice {
            draining: true,
            ..notice(1, 1)
        };
        scheduler.update(name("a"), draining, now + EMPTY_PAUSE);
        assert!(
            scheduler
                .next(FREE, now + EMPTY_PAUSE, |_, _| true)
                .is_none()
        );
    }

    /// Number of the next `pairs` pairs that are of a run.
    fn share(scheduler: &mut RunScheduler, now: Instant, run: &str, pairs: u32) -> u32 {
        let mut count = 0;
        for _ in 0..pairs {
            let next = scheduler
                .next(FREE, now, |_, _| true)
                .expect("a run")
                .clone();
            scheduler.taken(&next);
            count += u32::from(next == name(run));
        }
        count
    }

    #[test]
    fn a_new_run_shares_with_others_after_a_run_stopped_or_drains() {
        for is_silent in [true, false] {
            let start = Instant::now();
            let mut scheduler = RunScheduler::default();
            scheduler.update(name("ended"), notice(1, 1), start);
            let ending = Notice {
                draining: !is_silent,
                ..notice(1, 1)
            };
            let later = start + NOTICE_TIMEOUT;
            if !is_silent {
                scheduler.update(name("ended"), ending, later);
            }
            scheduler.update(name("old"), notice(1, 1), later);
            assert_eq!(share(&mut scheduler, later, "old", 1000), 1000);
            scheduler.update(name("new"), notice(1, 1), later);
            let of_new = share(&mut scheduler, later, "new", 100);
            assert!((49..=51).contains(&of_new), "{of_new}");
            // It continues, as with `hone resume`.
            scheduler.update(name("ended"), notice(1, 1), later);
            let of_ended = share(&mut scheduler, later, "ended", 99);
            assert!((32..=34).contains(&of_ended), "{of_ended}");
        }
    }

    #[test]
    fn a_run_that_starts_while_all_others_are_silent_does_not_starve_them_later() {
        let start = Instant::now();
        let mut scheduler = RunScheduler::default();
        scheduler.update(name("a"), notice(1, 1), start);
        share(&mut scheduler, start, "a", 1000);
        let later = start + NOTICE_TIMEOUT;
        scheduler.update(name("b"), notice(1, 1), later);
        scheduler.update(name("a"), notice(1, 1), later);
        let of_b = share(&mut scheduler, later, "b", 100);
        assert!((49..=51).contains(&of_b), "{of_b}");
    }

    #[test]
    fn a_run_is_gone_after_an_hour_without_a_notice() {
        let now = Instant::now();
        let mut scheduler = RunScheduler::default();
        scheduler.update(name("a"), notice(1, 1), now);
        assert!(scheduler.gone(now + REMOVE_AFTER - EMPTY_PAUSE).is_empty());
        assert_eq!(scheduler.gone(now + REMOVE_AFTER), [name("a")]);
    }
}
