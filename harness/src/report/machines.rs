//! The machines of a run that was played on a fleet: what each played, which
//! were left out, which pairs were played again.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;

use crate::experiment::PairResult;
use crate::ledger::Entry;
use crate::rules::Termination;
use crate::run::machines::{Incident, IncidentKind, Machine, Machines};
use crate::stats::Pentanomial;
use crate::stats::detect::{Test, between_groups};

/// Pairs from which on a machine's results are compared with the others'.
const FEWEST_PAIRS: u64 = 64;

/// What each worker has played, by its number in the ledger.
#[derive(Debug, Clone, Default)]
pub(crate) struct MachineTallies(BTreeMap<usize, MachineTally>);

/// What one worker has played.
#[derive(Debug, Clone, Copy, Default)]
struct MachineTally {
    results: Pentanomial,
    time_forfeits: u64,
    crashes: u64,
    stalls: u64,
    illegal_moves: u64,
    moves: u64,
    latency_us: u64,
}

impl MachineTallies {
    /// Takes a pair of the ledger.
    pub(crate) fn absorb(&mut self, entry: &Entry) {
        self.0
            .entry(entry.worker)
            .or_default()
            .absorb(&entry.result);
    }
}

impl MachineTally {
    fn absorb(&mut self, pair: &PairResult) {
        self.results.add(pair.half_points());
        for game in &pair.games {
            match game.termination {
                Termination::TimeForfeit => self.time_forfeits += 1,
                Termination::Disconnect => self.crashes += 1,
                Termination::Stall => self.stalls += 1,
                Termination::IllegalMove => self.illegal_moves += 1,
                _ => {}
            }
            for effort in &game.effort {
                self.moves += u64::from(effort.moves);
                self.latency_us += effort.latency_us;
            }
        }
    }
}

/// The part of a report about a fleet.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct FleetFacts {
    pub workers: Vec<WorkerFacts>,
    /// Pairs that a worker had and another returned.
    pub played_again: Vec<PlayedAgain>,
}

/// One worker.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct WorkerFacts {
    pub worker: String,
    /// In the ledger; `None` if it has played nothing.
    pub number: Option<usize>,
    pub processor: String,
    pub cores: usize,
    pub pairs: u64,
    /// LL, LD, DD+WL, WD, WW.
    pub pentanomial: [u64; 5],
    pub time_forfeits: u64,
    pub crashes: u64,
    pub stalls: u64,
    pub illegal_moves: u64,
    /// Mean time that a move needed beyond what the engine used.
    pub latency_us: Option<f64>,
    /// How often a difference between its pairs and those of the others would
    /// be as large by chance. `None` with too few pairs.
    pub p_value: Option<f64>,
    /// By what its clocks were last multiplied, where they are scaled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clock_factor: Option<f64>,
    /// Why it plays no more, or nothing.
    pub left_out: Option<LeftOut>,
}

/// Why a worker is left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct LeftOut {
    pub kind: IncidentKind,
    pub reason: String,
}

/// A pair that a worker had and another returned.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct PlayedAgain {
    pub pair: u64,
    pub worker: String,
    pub reason: String,
}

impl FleetFacts {
    /// What the folder of a run says about its machines; `None` if it was not
    /// played on a fleet.
    pub(crate) fn read(dir: &Path, tallies: &MachineTallies) -> Option<Self> {
        match Machines::read(dir) {
            Ok(machines) => Some(Self::new(machines?, tallies)),
            Err(error) => {
                errln!("warning: {error:#}");
                None
            }
        }
    }

    fn new(machines: Machines, tallies: &MachineTallies) -> Self {
        let mut workers: Vec<_> = machines
            .workers
            .iter()
            .map(|machine| {
                let own = machines.clocks.iter().rev();
                let clock = own.into_iter().find(|row| row.worker == machine.worker);
                WorkerFacts {
                    clock_factor: clock.map(|row| row.factor),
                    ..worker_facts(machine, tallies)
                }
            })
            .collect();
        let mut played_again = Vec::new();
        for incident in machines.incidents {
            match (incident.kind, incident.pair) {
                (IncidentKind::PlayedAgain, Some(pair)) => played_again.push(PlayedAgain {
                    pair,
                    worker: incident.worker,
                    reason: incident.reason,
                }),
                _ => leave_out(&mut workers, incident),
            }
        }
        Self {
            workers,
            played_again,
        }
    }

    /// What a reader must know, one line each.
    pub(crate) fn lines(&self) -> Vec<String> {
        let left_out = self.workers.iter().filter_map(|worker| {
            let LeftOut { kind, reason } = worker.left_out.as_ref()?;
            let name = &worker.worker;
            Some(match kind {
                IncidentKind::Excluded => format!("Worker {name} is left out: {reason}"),
                IncidentKind::Declined => format!("Worker {name} did not play: {reason}"),
                _ => format!(
                    "Worker {name} is in quarantine after {} pairs: {reason}",
                    worker.pairs
                ),
            })
        });
        let mut again = BTreeMap::<(&str, &str), u64>::new();
        for pair in &self.played_again {
            *again.entry((&pair.worker, &pair.reason)).or_default() += 1;
        }
        let again = again.into_iter().map(|((worker, reason), count)| {
            let pairs = if count == 1 { "pair" } else { "pairs" };
            format!("Played by others: {count} {pairs} of worker {worker}, because {reason}")
        });
        left_out.chain(again).collect()
    }
}

fn worker_facts(machine: &Machine, tallies: &MachineTallies) -> WorkerFacts {
    let tally = tallies.0.get(&machine.worker).copied().unwrap_or_default();
    let latency_us = tally.latency_us as f64 / tally.moves as f64;
    WorkerFacts {
        worker: machine.name(),
        number: Some(machine.worker),
        processor: machine.processor.clone(),
        cores: machine.cores,
        pairs: tally.results.pairs(),
        pentanomial: tally.results.0,
        time_forfeits: tally.time_forfeits,
        crashes: tally.crashes,
        stalls: tally.stalls,
        illegal_moves: tally.illegal_moves,
        latency_us: (tally.moves > 0).then_some(latency_us),
        p_value: difference(machine.worker, tallies),
        clock_factor: None,
        left_out: None,
    }
}

/// The p-value of the difference between a worker's pairs and the others'.
fn difference(worker: usize, tallies: &MachineTallies) -> Option<f64> {
    let own = tallies.0.get(&worker)?.results;
    let others = tallies.0.iter().filter(|(number, _)| **number != worker);
    let others: Pentanomial = others.map(|(_, tally)| tally.results).sum();
    if own.pairs() < FEWEST_PAIRS || others.pairs() < FEWEST_PAIRS {
        return None;
    }
    let groups = BTreeMap::from([("own".to_string(), own), ("others".to_string(), others)]);
    between_groups(Test::Workers, &groups)?.p_value
}

fn leave_out(workers: &mut Vec<WorkerFacts>, incident: Incident) {
    let left_out = Some(LeftOut {
        kind: incident.kind,
        reason: incident.reason,
    });
    let mut known = workers.iter_mut();
    match known.find(|worker| worker.worker == incident.worker) {
        Some(worker) => worker.left_out = left_out,
        None => workers.push(WorkerFacts {
            worker: incident.worker,
            number: None,
            processor: String::new(),
            cores: 0,
            pairs: 0,
            pentanomial: [0; 5],
            time_forfeits: 0,
            crashes: 0,
            stalls: 0,
            illegal_moves: 0,
            latency_us: None,
            p_value: None,
            clock_factor: None,
            left_out,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn incident(worker: &str, kind: IncidentKind, pair: Option<u64>) -> Incident {
        Incident {
            at: jiff::Timestamp::UNIX_EPOCH,
            worker: worker.to_string(),
            kind,
            pair,
            reason: "it is slow".to_string(),
        }
    }

    #[test]
    fn those_left_out_are_named_and_pairs_are_counted_by_cause() {
        let machines = Machines {
            workers: vec![Machine {
                worker: 0,
                credential: "all".to_string(),
                machine: "box".to_string(),
                platform: String::new(),
                processor: String::new(),
                cores: 4,
            }],
            incidents: vec![
                incident("all/box", IncidentKind::Quarantined, None),
                incident("all/box", IncidentKind::PlayedAgain, Some(3)),
                incident("all/box", IncidentKind::PlayedAgain, Some(9)),
                incident("anna/laptop", IncidentKind::Excluded, None),
            ],
            clocks: Vec::new(),
        };
        let facts = FleetFacts::new(machines, &MachineTallies::default());
        assert_eq!(facts.workers.len(), 2);
        assert_eq!(
            facts.lines(),
            [
                "Worker all/box is in quarantine after 0 pairs: it is slow",
                "Worker anna/laptop is left out: it is slow",
                "Played by others: 2 pairs of worker all/box, because it is slow",
            ]
        );
    }
}
