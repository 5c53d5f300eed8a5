//! The incidents of workers and of their pairs, in the run's folder.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::ids::WorkerId;
use hone_run::files::findings::{self, PairFinding};
use hone_run::files::machines::{INCIDENTS, Incident, IncidentKind};
use hone_run::files::table::Table;

/// Maximum number of incidents of one kind of a worker without a pair: a worker can send any
/// number of reasons for not playing the run.
const MAX_REASONS: usize = 20;

/// The incidents of a run.
#[derive(Debug)]
pub(crate) struct Incidents {
    /// The run's folder.
    dir: PathBuf,
    table: Table,
    /// The incidents of workers without a pair: each is written once.
    known: BTreeSet<(String, IncidentKind, String)>,
}

impl Incidents {
    /// Reads the incidents in the run's folder. Returns also the workers in quarantine,
    /// with the reasons.
    ///
    /// # Errors
    /// Those of the file system.
    pub(super) fn open(dir: &Path) -> anyhow::Result<(Self, Vec<(String, String)>)> {
        let (table, rows) = Table::open::<Incident>(dir.join(INCIDENTS))?;
        let of_workers = rows.iter().filter(|row| row.pair.is_none());
        let known = of_workers
            .map(|row| (row.worker.clone(), row.kind, row.reason.clone()))
            .collect();
        let quarantined = rows
            .into_iter()
            .filter(|row| row.kind == IncidentKind::Quarantined)
            .map(|row| (row.worker, row.reason));
        let incidents = Self {
            dir: dir.to_path_buf(),
            table,
            known,
        };
        Ok((incidents, quarantined.collect()))
    }

    /// Writes an incident of a worker, unless it was written before or [`MAX_REASONS`] of its
    /// kind were.
    ///
    /// # Errors
    /// Those of the file system.
    pub(super) fn worker(
        &mut self,
        worker: &WorkerId,
        kind: IncidentKind,
        reason: &str,
    ) -> anyhow::Result<()> {
        let (worker, reason) = (worker.to_string(), reason.to_string());
        let of_kind =
            |known: &&(String, IncidentKind, String)| known.0 == worker && known.1 == kind;
        if self.known.iter().filter(of_kind).count() >= MAX_REASONS {
            return Ok(());
        }
        if self.known.insert((worker.clone(), kind, reason.clone())) {
            self.append(worker, kind, None, reason)
        } else {
            Ok(())
        }
    }

    /// Writes the first reason of a worker for not playing the run: a worker can send any
    /// number of reasons.
    ///
    /// # Errors
    /// Those of the file system.
    pub(super) fn declined(&mut self, worker: &WorkerId, reason: &str) -> anyhow::Result<()> {
        let name = worker.to_string();
        let mut known = self.known.iter();
        if known.any(|(worker, kind, _)| *worker == name && *kind == IncidentKind::Declined) {
            Ok(())
        } else {
            self.worker(worker, IncidentKind::Declined, reason)
        }
    }

    /// Writes that a pair, numbered from 0, was taken from a worker.
    ///
    /// # Errors
    /// Those of the file system.
    pub(super) fn played_again(
        &mut self,
        worker: &WorkerId,
        pair: u64,
        reason: &str,
    ) -> anyhow::Result<()> {
        let kind = IncidentKind::PlayedAgain;
        self.append(worker.to_string(), kind, Some(pair + 1), reason.to_string())
    }

    /// Writes that a worker's result of a pair, numbered from 0, differs from another's.
    ///
    /// # Errors
    /// Those of the file system.
    pub(super) fn contradicts(
        &mut self,
        worker: &WorkerId,
        pair: u64,
        reason: &str,
    ) -> anyhow::Result<()> {
        let kind = IncidentKind::Contradicts;
        self.append(worker.to_string(), kind, Some(pair + 1), reason.to_string())
    }

    /// Writes what the results of several workers say about the run's verdict.
    ///
    /// # Errors
    /// Those of the file system.
    pub(super) fn found(&self, finding: PairFinding) -> anyhow::Result<()> {
        findings::add(&self.dir, &[finding])
    }

    fn append(
        &mut self,
        worker: String,
        kind: IncidentKind,
        pair: Option<u64>,
        reason: String,
    ) -> anyhow::Result<()> {
        self.table.append(&Incident {
            at: jiff::Timestamp::now(),
            worker,
            kind,
            pair,
            reason,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::worker;
    use hone_run::files::machines::Machines;

    #[test]
    fn a_quarantine_survives_the_process_and_is_written_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let slow = worker("box");
        for _ in 0..2 {
            let (mut incidents, _) = Incidents::open(folder.path()).expect("opened");
            let kind = IncidentKind::Quarantined;
            incidents.worker(&slow, kind, "slow").expect("written");
            incidents.played_again(&slow, 4, "slow").expect("written");
        }
        let (_, quarantined) = Incidents::open(folder.path()).expect("opened");
        assert_eq!(quarantined, [("all/box".to_string(), "slow".to_string())]);
        let machines = Machines::read(folder.path()).expect("read").expect("some");
        let pairs: Vec<_> = machines.incidents.iter().map(|one| one.pair).collect();
        assert_eq!(pairs, [None, Some(5), Some(5)]);
    }

    #[test]
    fn a_worker_with_ever_new_reasons_does_not_fill_the_disk() {
        let folder = tempfile::tempdir().expect("a folder");
        let kind = IncidentKind::Declined;
        for _ in 0..2 {
            let (mut incidents, _) = Incidents::open(folder.path()).expect("opened");
            for number in 0..2 * MAX_REASONS {
                let reason = format!("reason {number}");
                let kept = incidents.worker(&worker("evil"), kind, &reason);
                kept.expect("written");
            }
            let kept = incidents.worker(&worker("good"), kind, "memory");
            kept.expect("written");
        }
        let machines = Machines::read(folder.path()).expect("read").expect("some");
        assert_eq!(machines.incidents.len(), MAX_REASONS + 1);
    }

    #[test]
    fn the_first_reason_of_each_worker_for_not_playing_is_written() {
        let folder = tempfile::tempdir().expect("a folder");
        let (mut incidents, _) = Incidents::open(folder.path()).expect("opened");
        for (name, reason) in [("a", "threads"), ("a", "memory"), ("b", "memory")] {
            let kept = incidents.declined(&worker(name), reason);
            kept.expect("written");
        }
        let machines = Machines::read(folder.path()).expect("read").expect("some");
        let kept = machines.incidents.iter();
        let kept: Vec<_> = kept.map(|one| (&*one.worker, &*one.reason)).collect();
        assert_eq!(kept, [("all/a", "threads"), ("all/b", "memory")]);
    }
}
