//! The results of a run by worker and by opening. It is updated as the ledger
//! grows, and of every pair in it.

use super::openings::Openings;
use super::workers::Workers;
use crate::ledger::Entry;

/// The results of a run by worker and by opening.
#[derive(Debug, Clone, Default)]
pub(crate) struct Breakdown {
    pub(crate) workers: Workers,
    pub(crate) openings: Openings,
}

impl Breakdown {
    /// Takes the pair that has arrived next.
    pub(crate) fn absorb(&mut self, entry: &Entry) {
        self.workers.absorb(entry);
        self.openings.absorb(entry);
    }
}
