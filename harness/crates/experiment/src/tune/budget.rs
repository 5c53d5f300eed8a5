//! The size of a run: its pairs, its batches and its window.

/// The size of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// Pairs of the run, at least 1.
    pub pairs: u64,
    /// Pairs that are played with the same values, at least 1. The last batch has fewer if
    /// `pairs` is not a multiple of it.
    pub batch: u64,
    /// A batch whose first pair is number `k` is planned from the results of
    /// pairs up to `k - window` (at least 1), even if more are known.
    pub window: u64,
}

impl Budget {
    /// Number of batches, with an incomplete last one.
    pub fn batches(&self) -> u64 {
        self.pairs.div_ceil(self.batch)
    }

    /// Pairs before the batch number `batch`.
    pub(crate) fn pairs_before(&self, batch: u64) -> u64 {
        batch.saturating_mul(self.batch).min(self.pairs)
    }

    /// Pairs of the batch number `batch`.
    pub fn pairs_of(&self, batch: u64) -> u64 {
        self.pairs_before(batch.saturating_add(1)) - self.pairs_before(batch)
    }

    /// The most pairs that are planned and not absorbed: those that a batch does
    /// not wait for, in whole batches, and the batch.
    pub fn most_in_flight(&self) -> u64 {
        let waited_past = (self.window - 1).div_ceil(self.batch);
        self.batch.saturating_mul(1 + waited_past)
    }

    /// Batches whose results go into the plan of `batch`.
    pub(super) fn known_before(&self, batch: u64) -> u64 {
        (batch * self.batch + 1).saturating_sub(self.window) / self.batch
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_batch_has_the_pairs_that_are_left() {
        let sizes = |pairs: u64, batch: u64| {
            let budget = Budget {
                pairs,
                batch,
                window: 1,
            };
            let batches = 0..budget.batches();
            batches.map(|at| budget.pairs_of(at)).collect::<Vec<u64>>()
        };
        assert_eq!(sizes(12, 4), [4, 4, 4]);
        assert_eq!(sizes(10, 4), [4, 4, 2]);
        assert_eq!(sizes(10, 100), [10]);
    }
}
