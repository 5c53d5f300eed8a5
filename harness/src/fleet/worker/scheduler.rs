//! Which run a worker takes its next pair from: in proportion to the runs'
//! priorities, among those that fit this machine.
//!
//! This is stride scheduling (C. A. Waldspurger and W. E. Weihl, 1995, MIT/LCS/TM-528):
//! the run with the smallest `pass` is next, and each pair that is taken moves its
//! run's `pass` on by the pair's threads divided by the run's priority.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::abilities::Room;
use crate::fleet::ids::Name;
use crate::fleet::message::Notice;

/// A run that has been silent for this long is left out: its runner is gone, and
/// comes back with a notice.
const SILENCE: Duration = Duration::from_secs(40);
/// A run that has been silent for this long is forgotten.
const GONE: Duration = Duration::from_secs(60 * 60);
/// How long a run without jobs is left out.
const DRY: Duration = Duration::from_millis(250);

#[derive(Debug)]
struct Entry {
    notice: Notice,
    heard: Instant,
    /// Threads taken for it, divided by its priority: the smallest is next.
    pass: f64,
    dry_until: Option<Instant>,
}

/// The runs that a worker can choose from.
#[derive(Debug, Default)]
pub(crate) struct RunScheduler {
    runs: BTreeMap<Name, Entry>,
    /// The largest `pass` of a run whose turn it was. A run that is new, was left out or
    /// had no jobs gets one turn and then has at least this: it does not catch up on what
    /// others had meanwhile.
    turn: f64,
}

impl RunScheduler {
    /// Takes a run's notice.
    pub(crate) fn heard(&mut self, run: Name, notice: Notice, now: Instant) {
        let entry = self.runs.entry(run).or_insert_with(|| Entry {
            notice: notice.clone(),
            heard: now,
            pass: 0.0,
            dry_until: None,
        });
        entry.notice = notice;
        entry.heard = now;
    }

    /// The runs that have been silent for long.
    pub(crate) fn gone(&self, now: Instant) -> Vec<Name> {
        let is_gone = |entry: &Entry| now.duration_since(entry.heard) >= GONE;
        let gone = self.runs.iter().filter(|(_, entry)| is_gone(entry));
        gone.map(|(run, _)| run.clone()).collect()
    }

    pub(crate) fn forget(&mut self, run: &Name) {
        self.runs.remove(run);
    }

    pub(crate) fn notice(&self, run: &Name) -> Option<&Notice> {
        self.runs.get(run).map(|entry| &entry.notice)
    }

    /// The run whose turn it is, of those in `fits` that have jobs. If it does
    /// not fit into `free`, nothing else does in its place: a run that needs
    /// many threads gets them when they are free together.
    pub(crate) fn next(
        &self,
        free: Room,
        now: Instant,
        fits: impl Fn(&Name, &Notice) -> bool,
    ) -> Option<&Name> {
        let candidates = self.runs.iter().filter(|(run, entry)| {
            now.duration_since(entry.heard) < SILENCE
                && !entry.notice.draining
                && entry.dry_until.is_none_or(|until| until <= now)
                && fits(run, &entry.notice)
        });
        let (run, entry) = candidates.min_by(|(_, a), (_, b)| a.pass.total_cmp(&b.pass))?;
        free.holds(&entry.notice).then_some(run)
    }

    /// A pair of the run was taken.
    pub(crate) fn taken(&mut self, run: &Name) {
        if let Some(entry) = self.runs.get_mut(run) {
            let threads = entry.notice.threads as f64;
            self.turn = self.turn.max(entry.pass);
            entry.pass = self.turn + threads / f64::from(entry.notice.priority);
            entry.dry_until = None;
        }
    }

    /// The run had no job.
    pub(crate) fn dry(&mut self, run: &Name, now: Instant) {
        if let Some(entry) = self.runs.get_mut(run) {
            entry.dry_until = Some(now + DRY);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fleet::message::samples::notice_of as notice;
    use crate::fleet::samples::name;

    const FREE: Room = Room::SAMPLE;

    #[test]
    fn runs_share_the_machine_by_priority() {
        let now = Instant::now();
        let mut scheduler = RunScheduler::default();
        scheduler.heard(name("a"), notice(3, 1), now);
        scheduler.heard(name("b"), notice(1, 1), now);
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
        scheduler.heard(name("big"), notice(1, 8), now);
        scheduler.heard(name("small"), notice(1, 1), now);
        let busy = Room { threads: 3, ..FREE };
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
    fn dry_silent_draining_and_refused_runs_are_left_out() {
        let now = Instant::now();
        let mut scheduler = RunScheduler::default();
        scheduler.heard(name("a"), notice(1, 1), now);
        assert!(scheduler.next(FREE, now, |_, _| false).is_none());
        assert!(scheduler.next(FREE, now + SILENCE, |_, _| true).is_none());
        scheduler.dry(&name("a"), now);
        assert!(scheduler.next(FREE, now, |_, _| true).is_none());
        assert!(scheduler.next(FREE, now + DRY, |_, _| true).is_some());
        let draining = Notice {
            draining: true,
            ..notice(1, 1)
        };
        scheduler.heard(name("a"), draining, now + DRY);
        assert!(scheduler.next(FREE, now + DRY, |_, _| true).is_none());
    }

    /// How many of the next pairs are of a run.
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
    fn a_new_run_shares_with_others_after_a_run_that_fell_silent_or_drains() {
        for is_silent in [true, false] {
            let start = Instant::now();
            let mut scheduler = RunScheduler::default();
            scheduler.heard(name("ended"), notice(1, 1), start);
            let ending = Notice {
                draining: !is_silent,
                ..notice(1, 1)
            };
            let later = start + SILENCE;
            if !is_silent {
                scheduler.heard(name("ended"), ending, later);
            }
            scheduler.heard(name("old"), notice(1, 1), later);
            assert_eq!(share(&mut scheduler, later, "old", 1000), 1000);
            scheduler.heard(name("new"), notice(1, 1), later);
            let of_new = share(&mut scheduler, later, "new", 100);
            assert!((49..=51).contains(&of_new), "{of_new}");
            // It comes back, as with `hone resume`.
            scheduler.heard(name("ended"), notice(1, 1), later);
            let of_ended = share(&mut scheduler, later, "ended", 99);
            assert!((32..=34).contains(&of_ended), "{of_ended}");
        }
    }

    #[test]
    fn a_run_that_starts_while_all_others_are_silent_does_not_starve_them_later() {
        let start = Instant::now();
        let mut scheduler = RunScheduler::default();
        scheduler.heard(name("a"), notice(1, 1), start);
        share(&mut scheduler, start, "a", 1000);
        let later = start + SILENCE;
        scheduler.heard(name("b"), notice(1, 1), later);
        scheduler.heard(name("a"), notice(1, 1), later);
        let of_b = share(&mut scheduler, later, "b", 100);
        assert!((49..=51).contains(&of_b), "{of_b}");
    }

    #[test]
    fn a_run_is_gone_after_an_hour_of_silence() {
        let now = Instant::now();
        let mut scheduler = RunScheduler::default();
        scheduler.heard(name("a"), notice(1, 1), now);
        assert!(scheduler.gone(now + GONE - DRY).is_empty());
        assert_eq!(scheduler.gone(now + GONE), [name("a")]);
    }
}
