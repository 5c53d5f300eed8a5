//! What a machine changes in each job: its endgame tables in place of the run's, and
//! what engines may do here.

use std::path::PathBuf;
use std::sync::Arc;

use super::abilities::Room;
use super::options::WorkerOptions;
use super::tables::use_tables;
use crate::engine::uci::MemorySize;
use crate::executor::PairJob;

/// The rules of a machine for the games that are played on it.
#[derive(Debug, Default)]
pub(super) struct HostRules {
    /// What its games share.
    room: Room,
    syzygy: Option<PathBuf>,
    sandbox: bool,
    /// Whether engines are held to the memory of their games.
    limits_memory: bool,
}

impl HostRules {
    pub(super) fn of(options: &WorkerOptions) -> Self {
        Self {
            room: options.abilities.room,
            syzygy: options.syzygy.clone(),
            sandbox: options.sandbox,
            limits_memory: options.limits_memory,
        }
    }

    /// Makes a job, whose games need this room, keep to the rules.
    pub(super) fn apply(&self, job: &mut PairJob, game: Room) {
        self.confinement(game).apply(job);
        if let Some(path) = &self.syzygy {
            use_tables(job, path);
        }
    }

    /// What the engines of a game that needs this room may do.
    fn confinement(&self, game: Room) -> Confinement {
        let all = self.room;
        let by_threads = (all.threads / game.threads.max(1)) as u64;
        let by_memory = all.memory_mb / game.memory_mb.max(1);
        let games = by_threads.min(by_memory).max(1);
        let share = MemorySize::of_bytes((all.memory_mb / games) << 20);
        Confinement {
            sandbox: self.sandbox,
            max_memory: self.limits_memory.then_some(share),
        }
    }
}

/// What engines may do on this machine, whoever sent them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Confinement {
    /// Without network, with a read-only view of the file system.
    sandbox: bool,
    /// The most memory that a process may have.
    max_memory: Option<MemorySize>,
}

impl Confinement {
    /// Makes a job's engines keep to it, and to what the job itself says.
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
    use crate::fleet::samples::pair_job;

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
        assert!(job.players[0].launch.sandbox, "the run asks for it");
    }

    #[test]
    fn the_memory_of_a_machine_is_divided_among_its_games() {
        let room = |threads, memory_mb| Room { threads, memory_mb };
        let share = |limits, all, game| {
            let rules = HostRules {
                room: all,
                limits_memory: limits,
                ..HostRules::default()
            };
            rules.confinement(game).max_memory.map(MemorySize::mib)
        };
        assert_eq!(share(true, room(8, 8192), room(1, 160)), Some(1024));
        // Memory is scarcer than threads.
        assert_eq!(share(true, room(8, 1000), room(1, 400)), Some(500));
        assert_eq!(share(true, room(8, 8192), room(4, 160)), Some(4096));
        assert_eq!(share(false, room(8, 8192), room(1, 160)), None);
    }
}
