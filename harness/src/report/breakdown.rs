//! The results of a run by worker and by opening, updated as the ledger grows. Pairs
//! that repeat earlier games are included.

use super::openings::Openings;
use super::workers::Workers;
use crate::ledger::RecordedPair;

/// The results of a run by worker and by opening.
#[derive(Debug, Clone, Default)]
pub(crate) struct Breakdown {
    pub(crate) workers: Workers,
    pub(crate) openings: Openings,
}

impl Breakdown {
    /// Adds a pair.
    pub(crate) fn absorb(&mut self, entry: &RecordedPair) {
        self.workers.absorb(entry);
        self.openings.absorb(entry);
    }
}
