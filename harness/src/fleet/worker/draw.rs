//! Which run a worker takes its next pair from: in proportion to the runs'
//! priorities, among those that fit this machine.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crate::fleet::ids::Name;
use crate::fleet::message::Notice;

/// A run that has not been heard of for this long is left out: its owner is
/// gone, and comes back with a notice.
const SILENCE: Duration = Duration::from_secs(40);
/// A run that has not been heard of for this long is forgotten.
const GONE: Duration = Duration::from_secs(60 * 60);
/// How long a run without jobs is left out.
const DRY: Duration = Duration::from_millis(250);

/// What a machine offers, or what of it is free.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Room {
    pub(crate) threads: usize,
    pub(crate) memory_mb: u64,
}

impl Room {
    fn holds(&self, notice: &Notice) -> bool {
        notice.threads <= self.threads && notice.memory_mb <= self.memory_mb
    }
}

/// When a worker builds engines from their commits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BuildWhen {
    Never,
    /// Where their programs are for another system or processor.
    Needed,
    /// In place of every program that is sent.
    Always,
}

/// What a machine can play at all.
#[derive(Debug, Clone)]
pub(crate) struct Abilities {
    pub(crate) room: Room,
    pub(crate) platform: String,
    pub(crate) build: BuildWhen,
    /// Pieces of its endgame tables.
    pub(crate) tables: Option<usize>,
}

impl Abilities {
    /// Whether the machine builds the engines of a run.
    pub(crate) fn builds(&self, notice: &Notice) -> bool {
        match self.build {
            BuildWhen::Never => false,
            BuildWhen::Needed => notice.platform != self.platform,
            BuildWhen::Always => true,
        }
    }

    /// Why the machine does not play a run, if it does not.
    pub(crate) fn misfit(&self, notice: &Notice) -> Option<String> {
        let is_foreign = notice.platform != self.platform;
        if is_foreign && !(self.builds(notice) && notice.has_sources) {
            let help = match notice.has_sources {
                true => "; with `--build needed` it builds them from their commits",
                false => "",
            };
            return Some(format!(
                "the engines are for {}, and this machine is {}{help}",
                notice.platform, self.platform
            ));
        }
        if self.builds(notice) && !notice.has_sources {
            return Some(
                "its engines are not from commits, and this worker plays only what it builds (`--build always`)"
                    .to_string(),
            );
        }
        if notice.threads > self.room.threads {
            return Some(format!(
                "a game needs {} threads, and this worker has {}",
                notice.threads, self.room.threads
            ));
        }
        if notice.memory_mb > self.room.memory_mb {
            return Some(format!(
                "a game needs {} MB, and this worker may use {} MB",
                notice.memory_mb, self.room.memory_mb
            ));
        }
        match (notice.tables, self.tables) {
            (Some(_), None) => {
                Some("it needs endgame tables, and this worker has none (`--syzygy`)".to_string())
            }
            (Some(asked), Some(there)) if asked > there => Some(format!(
                "it needs endgame tables of {asked} pieces, and this worker has {there}"
            )),
            _ => None,
        }
    }
}

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
pub(crate) struct Draw {
    runs: BTreeMap<Name, Entry>,
    /// The largest `pass` of a run whose turn it was. A run that is new, was left out or
    /// had no jobs gets one turn and then has at least this: it does not catch up on what
    /// others had meanwhile.
    turn: f64,
}

impl Draw {
    /// Takes what a run tells of itself.
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

    /// The runs that have not been heard of for long.
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
    use crate::fleet::message::samples;

    fn notice(priority: u32, threads: usize) -> Notice {
        Notice {
            priority,
            threads,
            ..samples::notice()
        }
    }

    fn name(text: &str) -> Name {
        Name::new(text).expect("a name")
    }

    const FREE: Room = Room {
        threads: 8,
        memory_mb: 1000,
    };

    #[test]
    fn runs_share_the_machine_by_priority() {
        let now = Instant::now();
        let mut draw = Draw::default();
        draw.heard(name("a"), notice(3, 1), now);
        draw.heard(name("b"), notice(1, 1), now);
        let mut count = BTreeMap::<Name, u32>::new();
        for _ in 0..400 {
            let run = draw.next(FREE, now, |_, _| true).expect("a run").clone();
            draw.taken(&run);
            *count.entry(run).or_default() += 1;
        }
        assert!((299..=301).contains(&count[&name("a")]), "{count:?}");
    }

    #[test]
    fn a_run_of_many_threads_is_not_starved_by_small_ones() {
        let now = Instant::now();
        let mut draw = Draw::default();
        draw.heard(name("big"), notice(1, 8), now);
        draw.heard(name("small"), notice(1, 1), now);
        let busy = Room { threads: 3, ..FREE };
        let mut waited = 0;
        for _ in 0..20 {
            match draw.next(busy, now, |_, _| true).cloned() {
                Some(run) => draw.taken(&run),
                None => waited += 1,
            }
        }
        assert!(waited > 0, "it never was the turn of the big one");
        assert_eq!(draw.next(FREE, now, |_, _| true), Some(&name("big")));
    }

    #[test]
    fn dry_silent_draining_and_refused_runs_are_left_out() {
        let now = Instant::now();
        let mut draw = Draw::default();
        draw.heard(name("a"), notice(1, 1), now);
        assert!(draw.next(FREE, now, |_, _| false).is_none());
        assert!(draw.next(FREE, now + SILENCE, |_, _| true).is_none());
        draw.dry(&name("a"), now);
        assert!(draw.next(FREE, now, |_, _| true).is_none());
        assert!(draw.next(FREE, now + DRY, |_, _| true).is_some());
        let draining = Notice {
            draining: true,
            ..notice(1, 1)
        };
        draw.heard(name("a"), draining, now + DRY);
        assert!(draw.next(FREE, now + DRY, |_, _| true).is_none());
    }

    /// How many of the next pairs are of a run.
    fn share(draw: &mut Draw, now: Instant, run: &str, pairs: u32) -> u32 {
        let mut count = 0;
        for _ in 0..pairs {
            let next = draw.next(FREE, now, |_, _| true).expect("a run").clone();
            draw.taken(&next);
            count += u32::from(next == name(run));
        }
        count
    }

    #[test]
    fn a_new_run_shares_with_others_after_a_run_that_fell_silent_or_drains() {
        for is_silent in [true, false] {
            let start = Instant::now();
            let mut draw = Draw::default();
            draw.heard(name("ended"), notice(1, 1), start);
            let ending = Notice {
                draining: !is_silent,
                ..notice(1, 1)
            };
            let later = start + SILENCE;
            if !is_silent {
                draw.heard(name("ended"), ending, later);
            }
            draw.heard(name("old"), notice(1, 1), later);
            assert_eq!(share(&mut draw, later, "old", 1000), 1000);
            draw.heard(name("new"), notice(1, 1), later);
            let of_new = share(&mut draw, later, "new", 100);
            assert!((49..=51).contains(&of_new), "{of_new}");
            // It comes back, as with `hone resume`.
            draw.heard(name("ended"), notice(1, 1), later);
            let of_ended = share(&mut draw, later, "ended", 99);
            assert!((32..=34).contains(&of_ended), "{of_ended}");
        }
    }

    #[test]
    fn a_run_that_starts_while_all_others_are_silent_does_not_starve_them_later() {
        let start = Instant::now();
        let mut draw = Draw::default();
        draw.heard(name("a"), notice(1, 1), start);
        share(&mut draw, start, "a", 1000);
        let later = start + SILENCE;
        draw.heard(name("b"), notice(1, 1), later);
        draw.heard(name("a"), notice(1, 1), later);
        let of_b = share(&mut draw, later, "b", 100);
        assert!((49..=51).contains(&of_b), "{of_b}");
    }

    #[test]
    fn a_run_is_gone_after_an_hour_of_silence() {
        let now = Instant::now();
        let mut draw = Draw::default();
        draw.heard(name("a"), notice(1, 1), now);
        assert!(draw.gone(now + GONE - DRY).is_empty());
        assert_eq!(draw.gone(now + GONE), [name("a")]);
    }

    #[test]
    fn a_worker_plays_only_what_fits_it() {
        let able = Abilities {
            room: FREE,
            platform: "linux-x86_64".to_string(),
            build: BuildWhen::Never,
            tables: Some(5),
        };
        assert_eq!(able.misfit(&notice(1, 8)), None);
        for (misfit, part) in [
            (notice(1, 9), "threads"),
            (
                Notice {
                    memory_mb: 1001,
                    ..notice(1, 1)
                },
                "MB",
            ),
            (
                Notice {
                    tables: Some(6),
                    ..notice(1, 1)
                },
                "6 pieces",
            ),
            (
                Notice {
                    platform: "windows-x86_64".to_string(),
                    ..notice(1, 1)
                },
                "windows",
            ),
        ] {
            let why = able.misfit(&misfit).expect("a misfit");
            assert!(why.contains(part), "{why}");
        }
    }

    #[test]
    fn engines_for_another_system_are_played_by_workers_that_build_them() {
        let worker = |build| Abilities {
            room: FREE,
            platform: "macos-aarch64".to_string(),
            build,
            tables: None,
        };
        let of = |platform: &str, has_sources| Notice {
            platform: platform.to_string(),
            has_sources,
            ..notice(1, 1)
        };
        let (own, foreign) = ("macos-aarch64", "linux-x86_64");
        for (build, run, plays, builds) in [
            (BuildWhen::Never, of(own, true), true, false),
            (BuildWhen::Never, of(foreign, true), false, false),
            (BuildWhen::Needed, of(own, true), true, false),
            (BuildWhen::Needed, of(own, false), true, false),
            (BuildWhen::Needed, of(foreign, true), true, true),
            (BuildWhen::Needed, of(foreign, false), false, true),
            (BuildWhen::Always, of(own, true), true, true),
            (BuildWhen::Always, of(own, false), false, true),
            (BuildWhen::Always, of(foreign, true), true, true),
        ] {
            let worker = worker(build);
            let case = format!("{build:?} {run:?}");
            assert_eq!(worker.misfit(&run).is_none(), plays, "{case}");
            assert_eq!(worker.builds(&run), builds, "{case}");
        }
    }
}
