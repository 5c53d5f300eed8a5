//! The state of a run that its earlier processes have left in its folder.

use std::path::Path;

use super::failures::WorkerFailures;
use super::incidents::Incidents;
use super::roster::Roster;
use crate::clock;
use hone_run::RunFiles;
use hone_run::files::table::Table;

/// The state and the tables in a run's folder.
pub(super) struct Past {
    /// Number of pairs in the ledger.
    pub(super) recorded: u64,
    pub(super) roster: Roster,
    pub(super) incidents: Incidents,
    /// Workers in quarantine, and why.
    pub(super) quarantined: Vec<(String, String)>,
    pub(super) clocks: Table,
    pub(super) failures: WorkerFailures,
}

impl Past {
    /// Opens the tables of a run, without its games.
    ///
    /// # Errors
    /// Those of the file system, and if a file is damaged.
    pub(super) fn open(dir: &Path) -> anyhow::Result<Self> {
        let (incidents, quarantined) = Incidents::open(dir)?;
        Ok(Self {
            recorded: 0,
            roster: Roster::open(dir)?,
            incidents,
            quarantined,
            clocks: clock::open(dir)?,
            failures: WorkerFailures::default(),
        })
    }

    /// Opens the tables of a run and reads the games of its workers.
    ///
    /// # Errors
    /// Those of [`Past::open`], and if the ledger cannot be read.
    pub(super) fn read(dir: &Path) -> anyhow::Result<Self> {
        let mut past = Self::open(dir)?;
        for entry in RunFiles::open(dir)?.pairs.by_arrival()? {
            let entry = entry?;
            past.recorded += 1;
            past.roster.reserve(entry.worker);
            if let Some(worker) = past.roster.machine(entry.worker) {
                past.failures.absorb(worker, &entry.result);
            }
        }
        Ok(past)
    }
}
