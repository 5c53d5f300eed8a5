//! The results of a run by worker and by opening, updated as the ledger grows. Pairs
//! that repeat earlier games are included.

use super::openings::Openings;
use super::workers::Workers;
use hone_experiment::settings::Shard;
use hone_run::ledger::{LedgerError, Pairs, RecordedPair};

/// The results of a run by worker and by opening.
#[derive(Debug, Clone, Default)]
pub struct Breakdown {
    pub workers: Workers,
    pub openings: Openings,
}

impl Breakdown {
    /// The results of the pairs of a shard before the pair `end`.
    ///
    /// # Errors
    /// If the ledger cannot be read.
    pub fn read(pairs: &Pairs, shard: Shard, end: u64) -> Result<Self, LedgerError> {
        let mut breakdown = Self::default();
        for entry in pairs.in_order(shard, end)? {
            breakdown.absorb(&entry?);
        }
        Ok(breakdown)
    }

    /// Adds a pair.
    pub fn absorb(&mut self, entry: &RecordedPair) {
        self.workers.absorb(entry);
        self.openings.absorb(entry);
    }
}
