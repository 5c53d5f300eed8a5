//! The games that each worker of a run has lost by failures of engines.

use std::collections::BTreeMap;

use crate::ids::WorkerId;
use hone_experiment::PairResult;

#[derive(Debug, Clone, Copy, Default)]
struct WorkerCounts {
    games: u64,
    failures: u64,
}

/// The failures of each worker of a run.
#[derive(Debug, Default)]
pub(super) struct WorkerFailures {
    workers: BTreeMap<WorkerId, WorkerCounts>,
}

impl WorkerFailures {
    /// Adds a pair.
    pub(super) fn absorb(&mut self, worker: &WorkerId, pair: &PairResult) {
        let counts = self.workers.entry(worker.clone()).or_default();
        let failed = pair
            .games
            .iter()
            .filter(|game| game.termination.is_failure());
        counts.failures += failed.count() as u64;
        counts.games += 2;
    }

    /// Names the worker with more than half of the failures, if there is one and others
    /// play too: for a run that ends with an error.
    pub(super) fn hint(&self) -> Option<String> {
        let all: u64 = self.workers.values().map(|counts| counts.failures).sum();
        let (worker, most) = self.workers.iter().max_by_key(|(_, one)| one.failures)?;
        let stands_out = self.workers.len() > 1 && 2 * most.failures > all;
        stands_out.then(|| {
            format!(
                "fleet: {} of the {all} games that were lost by failures were on worker {worker}, which has played {} games\nhelp: if that machine is at fault, leave it out (`exclude = [\"{worker}\"]` in [fleet]); its games still count, so a run that `max_failures` has ended needs a larger one, or a new start",
                most.failures,
                most.games
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::samples::played;
    use crate::samples::worker;
    use hone_uci::rules::Termination;

    #[test]
    fn the_worker_with_most_of_the_failures_is_named() {
        let mut games = played(0, String::new()).games;
        for game in &mut games {
            game.termination = Termination::TimeForfeit;
        }
        let pair = PairResult {
            pair: 0,
            engines: [0, 1],
            games,
        };
        let mut failures = WorkerFailures::default();
        failures.absorb(&worker("w0"), &pair);
        assert_eq!(failures.hint(), None, "nobody else has played");
        failures.absorb(&worker("w1"), &pair);
        assert_eq!(failures.hint(), None, "both fail");
        failures.absorb(&worker("w1"), &pair);
        let hint = failures.hint().expect("a worker");
        assert!(hint.contains("4 of the 6 games"), "{hint}");
        assert!(hint.contains("exclude = [\"all/w1\"]"), "{hint}");
    }
}
