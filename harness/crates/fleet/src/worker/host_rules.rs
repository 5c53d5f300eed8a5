//! The changes that a machine makes to each job: its own endgame tables, and the
//! confinement of engines.

use std::path::PathBuf;
use std::sync::Arc;

use super::abilities::Resources;
use super::options::WorkerOptions;
use super::tables::use_tables;
use hone_run::executor::PairJob;
use hone_uci::engine::uci::MemorySize;

/// The rules of a machine for the games that are played on it.
#[derive(Debug, Default)]
pub(super) struct HostRules {
    /// The resources that its games share.
    resources: Resources,
    syzygy: Option<PathBuf>,
    sandbox: bool,
    /// Whether the memory of engines is limited.
    limits_memory: bool,
}

impl HostRules {
    pub(super) fn of(options: &WorkerOptions) -> Self {
        Self {
            resources: options.abilities.resources,
            syzygy: options.syzygy.clone(),
            sandbox: options.sandbox,
            limits_memory: options.limits_memory,
        }
    }

    /// Applies the rules to a job whose games need the resources `game`.
    pub(super) fn apply(&self, job: &mut PairJob, game: Resources) {
        self.confinement(game).apply(job);
        if let Some(path) = &self.syzygy {
            use_tables(job, path);
        }
    }

    /// The confinement of engines in a game that needs these resources.
    fn confinement(&self, game: Resources) -> Confinement {
        let all = self.resources;
        let by_threads = (all.threads / game.threads.max(1)) as u64;
        let by_memory = all.memory_mb / game.memory_mb.max(1);
        let games = by_threads.min(by_memory).max(1);
        let share = MemorySize::of_mib(all.memory_mb / games);
        Confinement {
            sandbox: self.sandbox,
            max_memory: self.limits_memory.then_some(share),
        }
    }
}

/// The confinement of all engines on this machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Confinement {
    /// No network and a read-only file system.
    sandbox: bool,
    /// Maximum memory of a process.
    max_memory: Option<MemorySize>,
}

impl Confinement {
    /// Applies the confinement to a job's engines, in addition to that of the job.
    fn apply(self, job: &mut PairJob) {
        for player in &mut job.players {
            let mut launch = (*player.launch).clone();
            launch.sandbox |= self.sandbox;
            launch.max_memory = match (launch.max_memory, self.max_memory) {
                (Some(own), Some(here)) => Some(own.min(here)),
                (own, here) => own.or(here),
            };
            player.launch = Arc::new(launch);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::pair_job;

    #[test]
    fn engines_are_confined_by_the_worker_and_by_the_run() {
        let size = |text: &str| Some(text.parse::<MemorySize>().expect("a size"));
        let mut job = pair_job(0);
        let mut launch = (*job.players[0].launch).clone();
        launch.max_memory = size("1G");
        job.players[0].launch = Arc::new(launch);
        let here = |sandbox, max_memory| Confinement {
            sandbox,
            max_memory,
        };
        here(true, size("2G")).apply(&mut job);
        let [first, second] = &job.players;
        assert!(first.launch.sandbox && second.launch.sandbox);
        assert_eq!(first.launch.max_memory, size("1G"));
        assert_eq!(second.launch.max_memory, size("2G"));
        here(false, None).apply(&mut job);
        assert!(job.players[0].launch.sandbox, "the run requires it");
    }

    #[test]
    fn the_memory_of_a_machine_is_divided_among_its_games() {
        let of = |threads, memory_mb| Resources { threads, memory_mb };
        let share = |limits, all, game| {
            let rules = HostRules {
                resources: all,
                limits_memory: limits,
                ..HostRules::default()
            };
            rules.confinement(game).max_memory.map(MemorySize::mib)
        };
        assert_eq!(share(true, of(8, 8192), of(1, 160)), Some(1024));
        // Memory is scarcer than threads.
        assert_eq!(share(true, of(8, 1000), of(1, 400)), Some(500));
        assert_eq!(share(true, of(8, 8192), of(4, 160)), Some(4096));
        assert_eq!(share(false, of(8, 8192), of(1, 160)), None);
        // Its number of bytes does not fit in 64 bits.
        assert_eq!(share(true, of(2, 1 << 60), of(1, 160)), Some(1 << 30));
    }
}
