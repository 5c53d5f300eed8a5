//! The machines of a run that was played on a fleet: `workers.csv`, `clocks.csv`
//! and `incidents.csv` in its folder. `fleet` writes them, reports read them.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::table::rows;

/// The machines by their number in the ledger's column `worker`.
pub const WORKERS: &str = "workers.csv";
/// What happened to machines and to pairs.
pub const INCIDENTS: &str = "incidents.csv";

/// The speed and the clocks of each pair whose time control was scaled.
pub const CLOCKS: &str = "clocks.csv";

/// The clocks of a pair.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ClockRow {
    /// From 1.
    pub pair: u64,
    /// Its number in the ledger.
    pub worker: usize,
    /// Nodes per second of the second engine on that machine.
    pub nps: u64,
    /// Factor of the limit's times.
    pub factor: f64,
}

/// A worker.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// Its number in the ledger.
    pub worker: usize,
    /// The credential that it joined with.
    pub credential: String,
    pub machine: String,
    pub platform: String,
    pub processor: String,
    pub cores: usize,
    /// Whether it built the engines from their commits.
    #[serde(default)]
    pub built: bool,
}

impl Machine {
    /// As `hone fleet status` names it.
    pub fn name(&self) -> String {
        format!("{}/{}", self.credential, self.machine)
    }
}

/// A kind of incident.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum IncidentKind {
    /// The configuration excludes the worker.
    Excluded,
    /// The worker's results differ from those of the others.
    Quarantined,
    /// The worker cannot play the run.
    Declined,
    /// A pair that the worker had was played by another.
    PlayedAgain,
    /// The worker's result of a pair differs from another worker's.
    Contradicts,
}

/// What happened to a worker, or to a pair that it had.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Incident {
    pub at: jiff::Timestamp,
    pub worker: String,
    pub kind: IncidentKind,
    /// From 1.
    pub pair: Option<u64>,
    pub reason: String,
}

/// The machines of a run.
#[derive(Debug, Clone, Default)]
pub struct Machines {
    pub workers: Vec<Machine>,
    pub incidents: Vec<Incident>,
    pub clocks: Vec<ClockRow>,
}

impl Machines {
    /// Reads the files of the run in `dir`. `None` if it was not played on a
    /// fleet.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn read(dir: &Path) -> anyhow::Result<Option<Self>> {
        let machines = Self {
            workers: rows(&dir.join(WORKERS))?,
            incidents: rows(&dir.join(INCIDENTS))?,
            clocks: rows(&dir.join(CLOCKS))?,
        };
        let is_empty = machines.workers.is_empty() && machines.incidents.is_empty();
        Ok((!is_empty).then_some(machines))
    }
}

/// The number of the first worker of this machine in the run in `dir`: after those of a
/// fleet that has played it before, so that no two share a number.
///
/// # Errors
/// If the table of machines cannot be read.
pub fn first_local_worker(dir: &Path) -> anyhow::Result<usize> {
    let machines: Vec<Machine> = rows(&dir.join(WORKERS))?;
    Ok(machines
        .iter()
        .map(|m| m.worker.saturating_add(1))
        .max()
        .unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_torn_row_is_left_out_and_a_local_run_has_no_machines() {
        let folder = tempfile::tempdir().expect("a folder");
        assert!(Machines::read(folder.path()).expect("none").is_none());
        let text = "at,worker,kind,pair,reason\n\
            2026-01-01T00:00:00Z,all/a,played-again,7,it stopped answering\n\
            2026-01-01T00:00:00Z,all/b,quarantined,,\"it wrote:\ngr\u{f6}";
        // Within the last character.
        let text = &text.as_bytes()[..text.len() - 1];
        fs::write(folder.path().join(INCIDENTS), text).expect("written");
        let machines = Machines::read(folder.path()).expect("read").expect("some");
        let [incident] = &machines.incidents[..] else {
            panic!("{machines:?}");
        };
        assert_eq!(incident.kind, IncidentKind::PlayedAgain);
        assert_eq!(incident.pair, Some(7));
    }
}
