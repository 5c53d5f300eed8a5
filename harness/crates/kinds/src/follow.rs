//! A match or a test that is read while another process plays it.

use super::kind::RunKind;
use hone_experiment::{Experiment, Verdict};
use hone_report::{
    Breakdown, CurrentResults, Following, MatchReport, Report, Timeline, verdict_with,
};
use hone_run::ledger::{PairOrder, RecordedPair};
use hone_run::{Fold, RunFiles};

/// A match or a sequential test, which absorbs each pair once.
struct FollowedMatch<E> {
    files: RunFiles,
    fold: Fold<E>,
    course: Timeline,
    breakdown: Breakdown,
    /// The pairs that are not in `breakdown` yet.
    order: PairOrder<RecordedPair>,
}

/// A run before its first pair.
///
/// # Errors
/// If the manifest's test is not valid.
pub(super) fn follow_match<K: RunKind>(files: RunFiles) -> anyhow::Result<Box<dyn Following>> {
    let manifest = &files.manifest;
    let experiment = K::experiment(files.folder.path(), manifest)?;
    Ok(Box::new(FollowedMatch {
        fold: Fold::begin(experiment, manifest, files.folder.path())?,
        course: Timeline::new(manifest)?,
        breakdown: Breakdown::default(),
        order: PairOrder::new(manifest.config.r#match.shard),
        files,
    }))
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
        let (_, withheld) = verdict_with(&self.files, &self.fold, &self.course)?;
        let results = CurrentResults::of(&self.fold);
        Ok(CurrentResults {
            verdict: withheld.map_or(results.verdict, |_| Some(Verdict::Inconclusive)),
            ..results
        })
    }

    fn report(&mut self) -> anyhow::Result<Box<dyn Report>> {
        let (files, course) = (self.files.clone(), self.course.clone());
        Ok(Box::new(MatchReport::of(files, &self.fold, course)?))
    }

    fn breakdown(&mut self) -> anyhow::Result<&Breakdown> {
        Ok(&self.breakdown)
    }
}
