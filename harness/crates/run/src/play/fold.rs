//! Absorbs results in pair order; playing, resuming, reporting and verifying share it.

use super::repeats::{RepeatRule, Repeats};
use super::tally::Tally;
use crate::ledger::{LedgerError, PairOrder, Pairs};
use hone_experiment::{Experiment, PairResult, Verdict};

/// An experiment and the totals of the pairs it has absorbed. Results may come
/// in any order; they are absorbed strictly by number, and none after the
/// verdict.
#[derive(Debug)]
pub struct Fold<E> {
    pub experiment: E,
    pub tally: Tally,
    order: PairOrder<PairResult>,
    repeats: Repeats,
}

impl<E: Experiment> Fold<E> {
    /// Nothing absorbed yet; `engines` is their number.
    pub fn new(experiment: E, engines: usize, rule: RepeatRule) -> Self {
        Self {
            order: PairOrder::new(experiment.shard()),
            experiment,
            tally: Tally::new(engines),
            repeats: Repeats::new(rule),
        }
    }

    /// The state after all pairs of a ledger.
    ///
    /// # Errors
    /// If the ledger cannot be read.
    pub fn of(
        experiment: E,
        engines: usize,
        rule: RepeatRule,
        pairs: &Pairs,
    ) -> Result<Self, LedgerError> {
        let mut fold = Self::new(experiment, engines, rule);
        for entry in pairs.by_arrival()? {
            fold.push(entry?.result);
        }
        Ok(fold)
    }

    /// Adds a result, and absorbs all that are next in order.
    pub fn push(&mut self, result: PairResult) {
        self.add(result);
        while self.absorb_next() {}
    }

    /// Adds a result without absorbing it.
    pub(super) fn add(&mut self, result: PairResult) {
        self.order.add(result.pair, result);
    }

    /// Absorbs the next pair in order. Returns false if its result is unknown, or after the
    /// verdict.
    pub(super) fn absorb_next(&mut self) -> bool {
        if self.verdict().is_some() {
            return false;
        }
        let Some(result) = self.order.pop() else {
            return false;
        };
        let judged = self.repeats.take(&result);
        self.tally.distinct_games += judged.new_games;
        self.tally.repeated_pairs += u64::from(judged.new_games == 0);
        if judged.is_dropped {
            self.experiment.pass_over(&result);
            self.tally.pass_over(&result);
        } else {
            self.experiment.absorb(&result);
            self.tally.absorb(&result);
        }
        true
    }

    /// The verdict, once there is one: the experiment's, or that the games
    /// repeat.
    pub fn verdict(&self) -> Option<Verdict> {
        let pairings = self.tally.pairings.len();
        let repeated = || {
            // The other shards may have new games.
            let is_repeated =
                self.experiment.shard().is_whole() && self.repeats.is_exhausted(pairings);
            is_repeated.then_some(Verdict::Repeated)
        };
        self.experiment.verdict().or_else(repeated)
    }

    /// Whether an absorbed pair is evidence, and not left out as a repeat.
    pub fn counts(&self, pair: u64) -> bool {
        let shard = self.experiment.shard();
        pair < self.absorbed() && shard.contains(pair) && !self.repeats.is_dropped(pair)
    }

    /// The number of the first pair that is not absorbed. All smaller numbers of the run are
    /// absorbed; without shards it is also the count of absorbed pairs.
    pub fn absorbed(&self) -> u64 {
        self.order.next()
    }

    /// Whether a pair need not be played: its result is known, or it belongs to
    /// another shard.
    pub fn holds(&self, pair: u64) -> bool {
        self.order.holds(pair)
    }

    /// The pairs of an undivided run whose results are known, ascending.
    pub fn known(&self) -> impl Iterator<Item = u64> {
        (0..self.absorbed()).chain(self.order.early())
    }

    /// Number of results that wait for one of a smaller number.
    pub fn waiting(&self) -> u64 {
        self.order.waiting() as u64
    }
}
