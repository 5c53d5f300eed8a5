//! A run that is read while another process plays it.

use hone_experiment::settings::Shard;
use hone_experiment::{Experiment, Verdict};
use hone_run::ledger::{LedgerError, Pairs, RecordedPair};
use hone_run::{Fold, Tally};
use hone_stats::{Estimate, Sprt};

use super::Report;
use super::openings::Openings;
use super::workers::Workers;

/// The results of a run of any kind as its ledger grows. It never writes to
/// the run's folder.
pub trait Following {
    /// Absorbs the next pair in the order of arrival.
    fn absorb(&mut self, entry: &RecordedPair);

    /// The verdict, the counts and the test so far.
    ///
    /// # Errors
    /// If the run's files cannot be read.
    fn results(&mut self) -> anyhow::Result<CurrentResults>;

    /// The report of the results so far.
    ///
    /// # Errors
    /// As [`Following::results`].
    fn report(&mut self) -> anyhow::Result<Box<dyn Report>>;

    /// The results by worker and by opening, of the pairs up to the verdict.
    ///
    /// # Errors
    /// As [`Following::results`].
    fn breakdown(&mut self) -> anyhow::Result<&Breakdown>;
}

/// The verdict, the counts and the test of a run so far.
pub struct CurrentResults {
    pub verdict: Option<Verdict>,
    /// Pairs after which it ends at the latest.
    pub budget: u64,
    pub tally: Tally,
    /// Number of the first pair, from 0, that is not absorbed; see [`Fold::absorbed`].
    pub absorbed: u64,
    /// The sequential test, if the run is one.
    pub test: Option<Sprt>,
    pub always_valid: Option<Estimate>,
    /// The result of a bisection, in words.
    pub found: Option<String>,
}

impl CurrentResults {
    /// Those of a fold.
    pub fn of<E: Experiment>(fold: &Fold<E>) -> Self {
        Self {
            verdict: fold.verdict(),
            budget: fold.experiment.budget(),
            tally: fold.tally.clone(),
            absorbed: fold.absorbed(),
            test: fold.experiment.test().cloned(),
            always_valid: fold.experiment.always_valid(),
            found: None,
        }
    }
}

/// The results of a run by worker and by opening. Pairs that repeat earlier games are included.
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
