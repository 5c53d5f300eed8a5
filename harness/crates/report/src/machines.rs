//! The machines of a run that was played on a fleet: the totals of each, why some are
//! left out, and which pairs were played again.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;

use super::numbers::counted;
use super::workers::Workers;
use hone_base::errln;
use hone_base::text::with_causes;
use hone_run::Manifest;
use hone_run::files::machines::{Incident, IncidentKind, Machine, Machines};

/// The part of a report about a fleet.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FleetFacts {
    pub workers: Vec<MachineFacts>,
    /// Pairs that were reassigned to another worker.
    pub played_again: Vec<PlayedAgain>,
    /// Pairs with different results of several workers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub contradictions: Vec<Contradiction>,
}

/// One worker.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct MachineFacts {
    pub worker: String,
    /// Its number in the ledger; `None` if it has none.
    pub number: Option<usize>,
    pub processor: String,
    pub cores: usize,
    /// Whether it built the engines from their commits.
    pub built: bool,
    pub pairs: u64,
    /// LL, LD, DD+WL, WD, WW.
    pub pentanomial: [u64; 5],
    pub time_forfeits: u64,
    pub crashes: u64,
    pub stalls: u64,
    pub illegal_moves: u64,
    /// Mean latency of `hone` itself, in microseconds per move.
    pub latency_us: Option<f64>,
    /// See [`Workers::p_value`].
    pub p_value: Option<f64>,
    /// Factor of its clocks in its last pair; `None` unless clocks are scaled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clock_factor: Option<f64>,
    /// Why it does not play, or has stopped.
    pub left_out: Option<LeftOut>,
}

/// Why a worker is left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LeftOut {
    pub kind: IncidentKind,
    pub reason: String,
}

/// A pair that was reassigned to another worker.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PlayedAgain {
    /// From 1.
    pub pair: u64,
    /// The worker that had it first.
    pub worker: String,
    pub reason: String,
}

/// A result that differs from another worker's result of the same pair.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Contradiction {
    /// From 1.
    pub pair: u64,
    pub worker: String,
    pub reason: String,
}

impl FleetFacts {
    /// The machines in the folder of a run; `None`, if necessary with a warning, if it was
    /// not played on a fleet or its tables cannot be read.
    pub fn read(dir: &Path, manifest: &Manifest, totals: &Workers) -> Option<Self> {
        let p_value = |worker| totals.p_value(worker, manifest);
        match Machines::read(dir) {
            Ok(machines) => Some(Self::new(machines?, totals, p_value)),
            Err(error) => {
                errln!("warning: {}", with_causes(&error));
                None
            }
        }
    }

    fn new(machines: Machines, totals: &Workers, p_value: impl Fn(usize) -> Option<f64>) -> Self {
        let mut workers: Vec<_> = machines
            .workers
            .iter()
            .map(|machine| {
                let mut clocks = machines.clocks.iter();
                let last = clocks.rfind(|row| row.worker == machine.worker);
                MachineFacts {
                    clock_factor: last.map(|row| row.factor),
                    p_value: p_value(machine.worker),
                    ..machine_facts(machine, totals)
                }
            })
            .collect();
        let mut played_again = Vec::new();
        let mut contradictions = Vec::new();
        for incident in machines.incidents {
            match (incident.kind, incident.pair) {
                (IncidentKind::PlayedAgain, Some(pair)) => played_again.push(PlayedAgain {
                    pair,
                    worker: incident.worker,
                    reason: incident.reason,
                }),
                (IncidentKind::Contradicts, Some(pair)) => contradictions.push(Contradiction {
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
            contradictions,
        }
    }

    /// Workers that are left out or built their engines, and pairs that were played again,
    /// one sentence a line, without full stops.
    pub fn lines(&self) -> Vec<String> {
        let left_out = self.workers.iter().filter_map(|worker| {
            let LeftOut { kind, reason } = worker.left_out.as_ref()?;
            let name = &worker.worker;
            Some(match kind {
                IncidentKind::Excluded => format!("Worker {name} is excluded: {reason}"),
                IncidentKind::Declined => format!("Worker {name} did not play: {reason}"),
                _ => format!(
                    "Worker {name} is in quarantine after {}: {reason}",
                    counted(worker.pairs, "pair")
                ),
            })
        });
        let builders = self.workers.iter().filter(|worker| worker.built);
        let builders = builders.map(|worker| {
            let (name, pairs) = (&worker.worker, counted(worker.pairs, "pair"));
            format!("Worker {name} built the engines of its {pairs} from their commits")
        });
        let mut again = BTreeMap::<(&str, &str), u64>::new();
        for pair in &self.played_again {
            *again.entry((&pair.worker, &pair.reason)).or_default() += 1;
        }
        let again = again.into_iter().map(|((worker, reason), count)| {
            let pairs = counted(count, "pair");
            format!("Played by others: {pairs} of worker {worker}, because {reason}")
        });
        let contradictions = self.contradictions.iter().map(|one| {
            let Contradiction {
                pair,
                worker,
                reason,
            } = one;
            format!("Pair {pair} of worker {worker}: {reason}")
        });
        left_out
            .chain(builders)
            .chain(again)
            .chain(contradictions)
            .collect()
    }
}

/// The totals of one machine.
fn machine_facts(machine: &Machine, workers: &Workers) -> MachineFacts {
    let totals = workers.totals(machine.worker);
    let failures = totals.engines.failures;
    MachineFacts {
        worker: machine.name(),
        number: Some(machine.worker),
        processor: machine.processor.clone(),
        cores: machine.cores,
        built: machine.built,
        pairs: totals.results.pairs(),
        pentanomial: totals.results.0,
        time_forfeits: failures.time_forfeit,
        crashes: failures.crash,
        stalls: failures.stall,
        illegal_moves: failures.illegal_move,
        latency_us: totals.latency_us(),
        ..MachineFacts::default()
    }
}

/// Records why a worker is left out, also one that has not played.
fn leave_out(workers: &mut Vec<MachineFacts>, incident: Incident) {
    let left_out = Some(LeftOut {
        kind: incident.kind,
        reason: incident.reason,
    });
    let mut known = workers.iter_mut();
    match known.find(|worker| worker.worker == incident.worker) {
        Some(worker) => worker.left_out = left_out,
        None => workers.push(MachineFacts {
            worker: incident.worker,
            left_out,
            ..MachineFacts::default()
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
    fn left_out_workers_are_named_and_reassigned_pairs_counted_by_reason() {
        let machines = Machines {
            workers: vec![Machine {
                worker: 0,
                credential: "all".to_string(),
                machine: "box".to_string(),
                platform: String::new(),
                processor: String::new(),
                cores: 4,
                built: true,
            }],
            incidents: vec![
                incident("all/box", IncidentKind::Quarantined, None),
                incident("all/box", IncidentKind::PlayedAgain, Some(3)),
                incident("all/box", IncidentKind::PlayedAgain, Some(9)),
                incident("anna/laptop", IncidentKind::Excluded, None),
            ],
            clocks: Vec::new(),
        };
        let facts = FleetFacts::new(machines, &Workers::default(), |_| None);
        assert_eq!(facts.workers.len(), 2);
        assert_eq!(
            facts.lines(),
            [
                "Worker all/box is in quarantine after 0 pairs: it is slow",
                "Worker anna/laptop is excluded: it is slow",
                "Worker all/box built the engines of its 0 pairs from their commits",
                "Played by others: 2 pairs of worker all/box, because it is slow",
            ]
        );
    }
}
