//! A run that is read while another process plays it.

use hone_experiment::{Experiment, Verdict};
use hone_report::{Breakdown, MatchReport, Report, Timeline};
use hone_run::ledger::{PairOrder, RecordedPair};
use hone_run::{Fold, RunFiles, Tally};
use hone_stats::{Estimate, Sprt};

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
    pub(super) fn of<E: Experiment>(fold: &Fold<E>) -> Self {
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

/// A match or a sequential test, which absorbs each pair once.
pub(super) struct FollowedMatch<E> {
    files: RunFiles,
    fold: Fold<E>,
    course: Timeline,
    breakdown: Breakdown,
    /// The pairs that are not in `breakdown` yet.
    order: PairOrder<RecordedPair>,
}

impl<E: Experiment> FollowedMatch<E> {
    /// A run before its first pair.
    ///
    /// # Errors
    /// If the manifest's test is not valid.
    pub(super) fn new(files: RunFiles, experiment: E) -> anyhow::Result<Self> {
        let manifest = &files.manifest;
        Ok(Self {
            fold: Fold::new(experiment, manifest.engines.len(), manifest.repeats),
            course: Timeline::new(manifest)?,
            breakdown: Breakdown::default(),
            order: PairOrder::new(manifest.config.r#match.shard),
            files,
        })
    }
}

impl<E: Experiment> Following for FollowedMatch<E> {
    fn absorb(&mut self, entry: &RecordedPair) {
        self.fold.push(entry.result.clone());
        self.course.absorb(entry, &self.fold);
        self.order.add(entry.result.pair, entry.clone());
        while self.order.next() < self.fold.absorbed()
            && let Some(next) = self.order.pop()
        {
            self.breakdown.absorb(&next);
        }
    }

    fn results(&mut self) -> anyhow::Result<CurrentResults> {
        Ok(CurrentResults::of(&self.fold))
    }

    fn report(&mut self) -> anyhow::Result<Box<dyn Report>> {
        let (files, course) = (self.files.clone(), self.course.clone());
        Ok(Box::new(MatchReport::of(files, &self.fold, course)))
    }

    fn breakdown(&mut self) -> anyhow::Result<&Breakdown> {
        Ok(&self.breakdown)
    }
}
