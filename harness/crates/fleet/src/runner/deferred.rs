//! Results that count and are not in the ledger yet: the rows of the tables that
//! they refer to must be on disk first.

use super::accept::Accepted;
use super::roster::Roster;
use crate::ids::WorkerId;
use crate::message::Status;
use hone_experiment::PairResult;
use hone_run::executor::PlayedPair;
use hone_run::files::machines::ClockRow;
use hone_run::files::table::Table;

/// The deferred results, with the tables of machines and of scaled clocks.
pub(super) struct DeferredResults {
    roster: Roster,
    clocks: Table,
    results: Vec<PlayedPair>,
}

impl DeferredResults {
    pub(super) fn new(roster: Roster, clocks: Table) -> Self {
        Self {
            roster,
            clocks,
            results: Vec::new(),
        }
    }

    /// Adds the result of a worker whose last status is `status`.
    ///
    /// # Errors
    /// If a row cannot be made.
    pub(super) fn add(
        &mut self,
        worker: &WorkerId,
        accepted: Accepted,
        status: Option<&Status>,
    ) -> anyhow::Result<&PairResult> {
        let mut played = accepted.played;
        // A worker's clock may be ahead; `Dispatch::take` handles one that is behind.
        let now = jiff::Timestamp::now().as_millisecond();
        played.finished_ms = played.finished_ms.clamp(0, now);
        played.worker = self.roster.number(worker, accepted.built, status)?;
        if let Some((nps, factor)) = accepted.clock {
            self.clocks.add(&ClockRow {
                pair: played.result.pair + 1,
                worker: played.worker,
                nps,
                factor,
            })?;
        }
        Ok(&self.results.push_mut(played).result)
    }

    /// Takes all results, once the rows that they refer to are on disk.
    ///
    /// # Errors
    /// Those of the file system.
    pub(super) fn take(&mut self) -> anyhow::Result<Vec<PlayedPair>> {
        if !self.results.is_empty() {
            self.roster.sync()?;
            self.clocks.sync()?;
        }
        Ok(std::mem::take(&mut self.results))
    }
}
