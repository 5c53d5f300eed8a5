//! Which runs a machine can play.

use crate::message::Notice;

/// Threads and memory of a machine or a game.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Resources {
    pub threads: usize,
    pub memory_mb: u64,
}

impl Resources {
    #[cfg(test)]
    pub(super) const SAMPLE: Self = Self {
        threads: 8,
        memory_mb: 1000,
    };

    /// Whether they suffice for a game of a run.
    pub(super) fn suffice(&self, notice: &Notice) -> bool {
        notice.threads <= self.threads && notice.memory_mb <= self.memory_mb
    }
}

/// When a worker builds engines from their commits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BuildWhen {
    Never,
    /// If the programs of the run are for another system or processor.
    Needed,
    /// Instead of using the programs of the run.
    Always,
}

/// What a machine offers for games.
#[derive(Debug, Clone)]
pub(crate) struct Abilities {
    pub resources: Resources,
    /// Operating system and processor, as in `linux-x86_64`.
    pub platform: String,
    pub build: BuildWhen,
    /// Number of pieces of its endgame tables.
    pub tables: Option<usize>,
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
    pub(crate) fn refusal(&self, notice: &Notice) -> Option<String> {
        let is_foreign = notice.platform != self.platform;
        if is_foreign && !(self.builds(notice) && notice.has_sources) {
            let help = if notice.has_sources {
                "; with `--build needed` it builds them from their commits"
            } else {
                ""
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
        if notice.threads > self.resources.threads {
            return Some(format!(
                "a game needs {} threads, and this worker has {}",
                notice.threads, self.resources.threads
            ));
        }
        if notice.memory_mb > self.resources.memory_mb {
            return Some(format!(
                "a game needs {} MB, and this worker may use {} MB",
                notice.memory_mb, self.resources.memory_mb
            ));
        }
        match (notice.tables, self.tables) {
            (Some(_), None) => {
                Some("it needs endgame tables, and this worker has none (`--syzygy`)".to_string())
            }
            (Some(needed), Some(own)) if needed > own => Some(format!(
                "it needs endgame tables of {needed} pieces, and this worker has {own}"
            )),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::samples;

    fn notice(threads: usize) -> Notice {
        samples::notice_of(1, threads)
    }

    #[test]
    fn a_worker_plays_only_what_fits_it() {
        let able = Abilities {
            resources: Resources::SAMPLE,
            platform: "linux-x86_64".to_string(),
            build: BuildWhen::Never,
            tables: Some(5),
        };
        assert_eq!(able.refusal(&notice(8)), None);
        for (notice, part) in [
            (notice(9), "threads"),
            (
                Notice {
                    memory_mb: 1001,
                    ..notice(1)
                },
                "MB",
            ),
            (
                Notice {
                    tables: Some(6),
                    ..notice(1)
                },
                "6 pieces",
            ),
            (
                Notice {
                    platform: "windows-x86_64".to_string(),
                    ..notice(1)
                },
                "windows",
            ),
        ] {
            let why = able.refusal(&notice).expect("a reason");
            assert!(why.contains(part), "{why}");
        }
    }

    #[test]
    fn engines_for_another_system_are_played_by_workers_that_build_them() {
        let worker = |build| Abilities {
            resources: Resources::SAMPLE,
            platform: "macos-aarch64".to_string(),
            build,
            tables: None,
        };
        let of = |platform: &str, has_sources| Notice {
            platform: platform.to_string(),
            has_sources,
            ..notice(1)
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
            assert_eq!(worker.refusal(&run).is_none(), plays, "{case}");
            assert_eq!(worker.builds(&run), builds, "{case}");
        }
    }
}
