//! Experiments: which pairs a run plays, and the verdict on their results.
//!
//! Uses: `base`, `stats`, `uci`.
//!
//! An [`Experiment`] plans pairs and absorbs their results. It is pure: no
//! clock, no I/O, no randomness but the run's seed. The same results in the
//! same order always lead to the same plans and the same verdict, so a run is
//! resumed, reported and verified by folding over its ledger.
//!
//! # Layout
//!
//! * [`settings`]: values that sections of a configuration share.
//! * `pair`: the plan and the result of a pair. `sharded`: a share of an experiment.
//! * `tournament`, `sprt`, [`tune`], [`bisect`]: the experiments, each with its section of
//!   the configuration.

// `println!` panics on a closed pipe: `hone_base::output` prints in its place.
#![cfg_attr(not(test), warn(clippy::print_stdout, clippy::print_stderr))]
#![cfg_attr(not(test), warn(clippy::unwrap_used, clippy::string_slice))]

pub mod bisect;
mod pair;
pub mod settings;
mod sharded;
mod sprt;
mod tournament;
pub mod tune;

pub use pair::{PairPlan, PairResult, Side, fails_too_often};
pub use sharded::Sharded;
pub use sprt::{SprtExperiment, SprtSection};
pub use tournament::TournamentExperiment;

use crate::settings::Shard;
use hone_stats::{Estimate, Sprt};

/// The answer of [`Experiment::plan`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Next {
    /// Play this pair.
    Play(PairPlan),
    /// The plan depends on results that are not absorbed yet.
    Wait,
    /// The budget ends before this pair.
    End,
}

/// The verdict of an experiment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The sequential test accepted H1: the first engine is stronger.
    H1,
    /// The sequential test accepted H0.
    H0,
    /// The whole budget has been played (a match, a tuning), or a stopping rule
    /// other than a test has been met.
    Complete,
    /// A sequential test used up its budget without a decision.
    Inconclusive,
    /// The games only repeat earlier ones: more games give no further evidence.
    Repeated,
    /// All pairs of a shard have been played. Only all shards together have a
    /// verdict.
    ShardPlayed,
}

/// A plan of pairs and a judgement of their results.
pub trait Experiment {
    /// The shard of its pairs that is played.
    fn shard(&self) -> Shard {
        Shard::WHOLE
    }

    /// The plan of pair number `pair` (from 0). It depends only on results of
    /// earlier pairs, and always on the same ones; [`Next::Wait`] while one of
    /// them is missing.
    fn plan(&mut self, pair: u64) -> Next;

    /// The position of a pair's opening in the run's schedule of openings; it does not
    /// depend on results.
    fn opening(&self, pair: u64) -> u64 {
        pair
    }

    /// Takes the result of the next pair of the shard. Results arrive strictly
    /// in pair order, each once, and none after a verdict.
    fn absorb(&mut self, result: &PairResult);

    /// Takes a pair that only repeats earlier games, instead of
    /// [`Experiment::absorb`]: it uses up budget and does not count as evidence.
    fn pass_over(&mut self, result: &PairResult);

    /// Whether the run continues although this engine fails too often, because the
    /// experiment stops using it.
    fn can_do_without(&self, _engine: usize) -> bool {
        false
    }

    /// The verdict, once there is one.
    fn verdict(&self) -> Option<Verdict>;

    /// The largest number of pairs; of a shard, of its own pairs.
    fn budget(&self) -> u64;

    /// The sequential test it runs, if it runs one.
    fn test(&self) -> Option<&Sprt> {
        None
    }

    /// The first engine's Elo with its always-valid interval, if the experiment
    /// computes one.
    fn always_valid(&self) -> Option<Estimate> {
        None
    }
}

impl Experiment for Box<dyn Experiment> {
    fn shard(&self) -> Shard {
        (**self).shard()
    }

    fn plan(&mut self, pair: u64) -> Next {
        (**self).plan(pair)
    }

    fn opening(&self, pair: u64) -> u64 {
        (**self).opening(pair)
    }

    fn absorb(&mut self, result: &PairResult) {
        (**self).absorb(result);
    }

    fn pass_over(&mut self, result: &PairResult) {
        (**self).pass_over(result);
    }

    fn can_do_without(&self, engine: usize) -> bool {
        (**self).can_do_without(engine)
    }

    fn verdict(&self) -> Option<Verdict> {
        (**self).verdict()
    }

    fn budget(&self) -> u64 {
        (**self).budget()
    }

    fn test(&self) -> Option<&Sprt> {
        (**self).test()
    }

    fn always_valid(&self) -> Option<Estimate> {
        (**self).always_valid()
    }
}
