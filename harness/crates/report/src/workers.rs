//! Results by worker: on this machine a worker is one or more processors, on a fleet
//! it is a machine.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;

use super::numbers::{counted, ratio, reported};
use hone_experiment::PairResult;
use hone_run::files::machines::{Machine, Machines};
use hone_run::ledger::RecordedPair;
use hone_run::{EngineTally, Failures, Manifest, PooledRun};
use hone_stats::Pentanomial;
use hone_stats::detect::difference;

/// The totals of each worker by its number in the ledger.
#[derive(Debug, Clone, Default)]
pub struct Workers(BTreeMap<usize, Totals>);

/// Totals of one worker.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Totals {
    pub(super) results: Pentanomial,
    /// Both engines of its games together.
    pub(super) engines: EngineTally,
    last_ms: i64,
}

/// A worker in the report and in its JSON.
#[derive(Debug, Clone, Serialize)]
pub struct WorkerFacts {
    /// Its number in the ledger.
    pub worker: usize,
    /// Its machine or its processors.
    pub name: String,
    /// Name of a worker of a fleet: credential and machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub machine: Option<String>,
    pub pairs: u64,
    pub games: u64,
    /// LL, LD, DD+WL, WD, WW.
    pub pentanomial: [u64; 5],
    #[serde(flatten)]
    pub failures: Failures,
    /// Time forfeits in which the engine was starved of CPU for longer than the overrun.
    pub starved: u64,
    /// Nodes per second; `None` if no engine reports nodes.
    pub nps: Option<f64>,
    /// Mean latency of `hone` itself, in microseconds per move.
    pub latency_us: Option<f64>,
    /// When its last pair was finished: milliseconds since 1970.
    pub last_pair_ms: i64,
    /// p-value of the difference between its pairs and those of the other workers
    /// (chi-square). `None` with too few pairs, or if the run has several pairings.
    pub p_value: Option<f64>,
}

impl Workers {
    /// Adds a pair.
    pub fn absorb(&mut self, entry: &RecordedPair) {
        let totals = self.0.entry(entry.worker).or_default();
        totals.results.add(entry.result.half_points());
        totals.last_ms = totals.last_ms.max(entry.finished_ms);
        totals.add_games(&entry.result);
    }

    /// All workers, those with most failures first.
    pub fn facts(&self, manifest: &Manifest, dir: &Path) -> Vec<WorkerFacts> {
        let names = Names::read(manifest, dir);
        let mut facts: Vec<WorkerFacts> = self
            .0
            .iter()
            .map(|(worker, totals)| WorkerFacts {
                p_value: self.p_value(*worker, manifest),
                machine: names.machine(*worker).map(Machine::name),
                ..totals.facts(*worker, names.of(*worker))
            })
            .collect();
        facts.sort_by_key(|one| (std::cmp::Reverse(one.failures.total()), one.worker));
        facts
    }

    /// The totals of a worker; zeros if it has not played.
    pub(super) fn totals(&self, worker: usize) -> Totals {
        self.0.get(&worker).copied().unwrap_or_default()
    }

    /// The p-value of the difference between the pairs of a worker and those of the others.
    /// `None` with too few pairs, or if the run has several pairings, of which the workers
    /// may have different shares.
    pub(super) fn p_value(&self, worker: usize, manifest: &Manifest) -> Option<f64> {
        if manifest.engines.len() != 2 {
            return None;
        }
        let own = self.totals(worker).results;
        let others = self.0.iter().filter(|(number, _)| **number != worker);
        difference(own, others.map(|(_, totals)| totals.results).sum())
    }
}

impl Totals {
    fn add_games(&mut self, result: &PairResult) {
        for game in &result.games {
            self.engines.failures.count(game.termination);
            for colour in 0..2 {
                self.engines.add_effort(game, colour);
            }
        }
    }

    /// Mean latency of `hone` itself, in microseconds per move.
    pub(super) fn latency_us(&self) -> Option<f64> {
        ratio(self.engines.latency_us as f64, self.engines.moves as f64)
    }

    fn facts(&self, worker: usize, name: String) -> WorkerFacts {
        WorkerFacts {
            worker,
            name,
            machine: None,
            pairs: self.results.pairs(),
            games: self.results.games(),
            pentanomial: self.results.0,
            failures: self.engines.failures,
            starved: self.engines.starved,
            nps: reported(self.engines.nodes, self.engines.ms as f64 / 1000.0),
            latency_us: self.latency_us(),
            last_pair_ms: self.last_ms,
            p_value: None,
        }
    }
}

/// Names of the workers by their numbers in the ledger.
struct Names<'a> {
    manifest: &'a Manifest,
    machines: Vec<Machine>,
}

impl<'a> Names<'a> {
    fn read(manifest: &'a Manifest, dir: &Path) -> Self {
        // If the table cannot be read, workers are named by their numbers.
        let machines = Machines::read(dir).ok().flatten();
        Self {
            manifest,
            machines: machines.map_or_else(Vec::new, |machines| machines.workers),
        }
    }

    fn machine(&self, worker: usize) -> Option<&Machine> {
        self.machines
            .iter()
            .find(|machine| machine.worker == worker)
    }

    fn of(&self, worker: usize) -> String {
        if let Some(machine) = self.machine(worker) {
            return match machine.cores {
                0 => machine.machine.clone(),
                cores => format!("{} ({})", machine.machine, counted(cores as u64, "core")),
            };
        }
        let mut pooled = self.manifest.pooled.iter();
        let of_worker =
            |run: &&PooledRun| (run.first_worker..run.end_of_workers()).contains(&worker);
        if let Some(run) = pooled.find(of_worker) {
            return format!("{}, worker {}", run.run, worker - run.first_worker);
        }
        let list = |processors: &[usize]| {
            let texts: Vec<String> = processors.iter().map(usize::to_string).collect();
            texts.join(", ")
        };
        if self.machines.iter().any(|machine| machine.worker < worker) {
            // Local workers that join a run after a fleet have no entry in `placement`.
            return format!("local worker {worker}");
        }
        match self.manifest.placement.get(worker).map(Vec::as_slice) {
            Some([one]) => format!("worker {worker}, processor {one}"),
            Some(several @ [_, ..]) => format!("worker {worker}, processors {}", list(several)),
            _ => format!("worker {worker}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hone_run::files::machines::WORKERS;
    use hone_uci::rules::{GameResult, Outcome, Termination};

    fn entry(worker: usize, half_points: usize, ending: Termination) -> RecordedPair {
        let game = |outcome| GameResult {
            outcome,
            termination: ending,
            plies: 2,
            ms: [10, 30],
            nodes: [400, 400],
            effort: Default::default(),
            digest: 0,
            line: None,
        };
        let (first, second) = match half_points {
            0 => (Outcome::Black, Outcome::White),
            2 => (Outcome::Draw, Outcome::Draw),
            _ => (Outcome::White, Outcome::Black),
        };
        RecordedPair {
            result: PairResult {
                pair: 0,
                engines: [0, 1],
                games: [game(first), game(second)],
            },
            opening_number: 1,
            pgn: Default::default(),
            worker,
            finished_ms: 7,
            conditions: None,
        }
    }

    fn manifest(placement: Vec<Vec<usize>>) -> Manifest {
        let engines = "[[engines]]\nname = \"a\"\nid = \"\"\nauthor = \"\"\nprogram = \"a\"\nsha256 = \"\"\n\
                       [[engines]]\nname = \"b\"\nid = \"\"\nauthor = \"\"\nprogram = \"b\"\nsha256 = \"\"\n";
        let config = "[config.match]\n[[config.engine]]\nname = \"a\"\ncmd = \"a\"\n\
                      [[config.engine]]\nname = \"b\"\ncmd = \"b\"\n";
        let text = format!(
            "hone = \"1\"\nkind = \"match\"\ncreated = \"2026-01-01T00:00:00Z\"\nbase = \"/\"\n\
             concurrency = 2\nrepeats = \"count\"\nplacement = {placement:?}\n{engines}{config}"
        );
        toml::from_str(&text).expect("a manifest")
    }

    #[test]
    fn failures_and_speed_are_those_of_the_worker() {
        let mut workers = Workers::default();
        workers.absorb(&entry(0, 2, Termination::Repetition));
        workers.absorb(&entry(1, 4, Termination::TimeForfeit));
        workers.absorb(&entry(1, 4, Termination::Stall));
        let dir = tempfile::tempdir().expect("a folder");
        let facts = workers.facts(&manifest(vec![vec![3], vec![4, 5]]), dir.path());
        let [failing, good] = &facts[..] else {
            panic!("{facts:?}")
        };
        assert_eq!(failing.name, "worker 1, processors 4, 5");
        assert_eq!(
            failing.failures.to_string(),
            "time forfeits 2, crashes 0, stalls 2, illegal moves 0"
        );
        let json = serde_json::to_value(failing).expect("JSON");
        assert_eq!(
            (&json["time_forfeit"], &json["stall"]),
            (&2.into(), &2.into())
        );
        assert_eq!(
            (good.name.as_str(), good.failures.total()),
            ("worker 0, processor 3", 0)
        );
        assert_eq!(good.nps, Some(20_000.0));
        let silent = Totals {
            engines: EngineTally {
                ms: 40,
                moves: 2,
                ..EngineTally::default()
            },
            ..Totals::default()
        };
        assert_eq!(
            silent.facts(0, String::new()).nps,
            None,
            "no reported nodes"
        );
        std::fs::write(
            dir.path().join(WORKERS),
            "worker,credential,machine,platform,processor,cores\n1,all,attic,linux,x,8\n2,al",
        )
        .expect("written");
        let facts = workers.facts(&manifest(Vec::new()), dir.path());
        assert_eq!(facts[0].name, "attic (8 cores)");
        assert_eq!(facts[0].machine.as_deref(), Some("all/attic"));
        assert_eq!(facts[1].name, "worker 0");
        workers.absorb(&entry(2, 2, Termination::Repetition));
        let facts = workers.facts(&manifest(vec![vec![0], vec![1], vec![2]]), dir.path());
        let names: Vec<&str> = facts.iter().map(|one| one.name.as_str()).collect();
        let expected = ["attic (8 cores)", "worker 0, processor 0", "local worker 2"];
        assert_eq!(names, expected);
    }

    #[test]
    fn a_worker_with_other_results_stands_out() {
        let mut workers = Workers::default();
        for pair in 0..300 {
            let half_points = [0, 2, 4][pair % 3];
            workers.absorb(&entry(pair / 3 % 3, half_points, Termination::Checkmate));
        }
        let manifest = manifest(Vec::new());
        for worker in 0..3 {
            let p = workers.p_value(worker, &manifest).expect("enough pairs");
            assert!(p > 0.5, "{p}");
        }
        assert_eq!(workers.p_value(3, &manifest), None, "no pairs");
        for pair in 0..100 {
            workers.absorb(&entry(3, [2, 4][pair % 2], Termination::Checkmate));
        }
        let p = workers.p_value(3, &manifest).expect("enough pairs");
        assert!(p < 1e-6, "{p}");
        let mut tournament = manifest;
        tournament.engines.push(tournament.engines[0].clone());
        assert_eq!(workers.p_value(3, &tournament), None, "several pairings");
    }
}
