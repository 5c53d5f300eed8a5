//! Which run a worker takes its next pair from: in proportion to the runs'
//! priorities, among those that fit this machine.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crate::fleet::ids::Name;
use crate::fleet::message::Notice;

/// A run that has not been heard of for this long is left out: its owner is
/// gone, and comes back with a notice.
const SILENCE: Duration = Duration::from_secs(40);
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
}

impl Draw {
    /// Takes what a run tells of itself.
    pub(crate) fn heard(&mut self, run: Name, notice: Notice, now: Instant) {
        // One that is new does not catch up on what others had before.
        let passes = self.runs.values().map(|entry| entry.pass);
        let least = passes.min_by(f64::total_cmp).unwrap_or(0.0);
        let entry = self.runs.entry(run).or_insert_with(|| Entry {
            notice: notice.clone(),
            heard: now,
            pass: least,
            dry_until: None,
        });
        entry.notice = notice;
        entry.heard = now;
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
            entry.pass += threads / f64::from(entry.notice.priority);
            entry.dry_until = None;
        }
    }

    /// The run had no job.
    pub(crate) fn dry(&mut self, run: &Name, now: Instant) {
        if let Some(entry) = self.runs.get_mut(run) {
            entry.dry_until = Some(now + DRY);
        }
        // Others go on without it; it does not catch up later.
        let passes = self.runs.values().map(|entry| entry.pass);
        let most = passes.max_by(f64::total_cmp).unwrap_or(0.0);
        if let Some(entry) = self.runs.get_mut(run) {
            entry.pass = entry.pass.max(most - 1.0);
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
