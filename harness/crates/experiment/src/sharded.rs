//! A shard of an experiment.

use super::{Experiment, Next, PairResult, Verdict};
use crate::settings::Shard;
use hone_stats::{Estimate, Sprt};

/// An experiment whose pairs do not depend on earlier results, and the shard
/// of it that is played.
///
/// A shard does not have the results of the other shards, so no result ends it: it
/// ends when its pairs are played. For the same reason it has no sequential test.
#[derive(Debug)]
pub struct Sharded<E> {
    whole: E,
    shard: Shard,
    absorbed: u64,
}

impl<E> Sharded<E> {
    /// The part of `whole` that `shard` has.
    pub fn new(whole: E, shard: Shard) -> Self {
        Self {
            whole,
            shard,
            absorbed: 0,
        }
    }
}

impl<E: Experiment> Experiment for Sharded<E> {
    fn shard(&self) -> Shard {
        self.shard
    }

    fn plan(&mut self, pair: u64) -> Next {
        self.whole.plan(pair)
    }

    fn opening(&self, pair: u64) -> u64 {
        self.whole.opening(pair)
    }

    fn absorb(&mut self, result: &PairResult) {
        self.absorbed += 1;
        self.whole.absorb(result);
    }

    fn pass_over(&mut self, result: &PairResult) {
        self.absorbed += 1;
        self.whole.pass_over(result);
    }

    fn can_do_without(&self, engine: usize) -> bool {
        self.whole.can_do_without(engine)
    }

    fn verdict(&self) -> Option<Verdict> {
        if self.shard.is_whole() {
            return self.whole.verdict();
        }
        (self.absorbed >= self.budget()).then_some(Verdict::ShardPlayed)
    }

    fn budget(&self) -> u64 {
        self.shard.pairs_below(self.whole.budget())
    }

    fn test(&self) -> Option<&Sprt> {
        self.whole.test().filter(|_| self.shard.is_whole())
    }

    fn always_valid(&self) -> Option<Estimate> {
        self.whole.always_valid()
    }
}
