//! Results in pair order: what playing, resuming, reporting and verifying all
//! share.

use std::collections::BTreeMap;

use super::tally::Tally;
use crate::experiment::{Experiment, PairResult};
use crate::ledger::{LedgerError, Pairs};

/// An experiment and the totals of the pairs it has absorbed. Results may come
/// in any order; they are absorbed strictly by number, and none after the
/// verdict.
#[derive(Debug)]
pub struct Fold<E> {
    pub experiment: E,
    pub tally: Tally,
    /// Results that came before an earlier pair's.
    early: BTreeMap<u64, PairResult>,
    absorbed: u64,
}

impl<E: Experiment> Fold<E> {
    /// Nothing absorbed yet; `engines` is their number.
    pub fn new(experiment: E, engines: usize) -> Self {
        Self {
            experiment,
            tally: Tally::new(engines),
            early: BTreeMap::new(),
            absorbed: 0,
        }
    }

    /// What a ledger's pairs come to.
    ///
    /// # Errors
    /// If the ledger cannot be read.
    pub fn of(experiment: E, engines: usize, pairs: &Pairs) -> Result<Self, LedgerError> {
        let mut fold = Self::new(experiment, engines);
        for entry in pairs.by_arrival()? {
            fold.push(entry?.result);
        }
        Ok(fold)
    }

    /// Takes a result and absorbs all that are next in order.
    pub fn push(&mut self, result: PairResult) {
        if !self.holds(result.pair) {
            self.early.insert(result.pair, result);
        }
        while self.experiment.verdict().is_none()
            && let Some(result) = self.early.remove(&self.absorbed)
        {
            self.absorbed += 1;
            self.experiment.absorb(&result);
            self.tally.absorb(&result);
        }
    }

    /// Number of pairs absorbed: those with a smaller number.
    pub fn absorbed(&self) -> u64 {
        self.absorbed
    }

    /// Whether the result of a pair is known.
    pub fn holds(&self, pair: u64) -> bool {
        pair < self.absorbed || self.early.contains_key(&pair)
    }
}
