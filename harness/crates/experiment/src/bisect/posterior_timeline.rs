//! The probabilities of the commits over the course of a bisection.

use super::posterior::Posterior;

/// Most points that are kept, for a chart. An even number: see [`PosteriorTimeline::push`].
const MOST: usize = 96;

/// The probabilities after some pairs.
#[derive(Debug, Clone, PartialEq)]
pub struct TimelinePoint {
    pub pairs: u64,
    /// That nothing changed, then of each commit after the good one.
    pub probabilities: Vec<f32>,
}

/// Evenly spaced points of the course of a bisection.
#[derive(Debug)]
pub(crate) struct PosteriorTimeline {
    kept: Vec<TimelinePoint>,
    /// Every `step`-th batch is kept.
    step: u64,
    batches: u64,
}

impl Default for PosteriorTimeline {
    fn default() -> Self {
        Self {
            kept: Vec::new(),
            step: 1,
            batches: 0,
        }
    }
}

impl PosteriorTimeline {
    /// Takes the state after a batch. If too many are kept, every other one is dropped; the
    /// new one then stays on the grid, because their number was even.
    pub(super) fn push(&mut self, pairs: u64, posterior: &Posterior) {
        let number = self.batches;
        self.batches += 1;
        if !number.is_multiple_of(self.step) {
            return;
        }
        if self.kept.len() == MOST {
            self.step *= 2;
            self.kept = std::mem::take(&mut self.kept)
                .into_iter()
                .step_by(2)
                .collect();
        }
        self.kept.push(TimelinePoint::of(pairs, posterior));
    }

    /// The points that are kept, and the present one after `pairs`.
    pub(super) fn points(&self, pairs: u64, now: &Posterior) -> Vec<TimelinePoint> {
        let mut points = self.kept.clone();
        points.pop_if(|last| last.pairs == pairs);
        points.push(TimelinePoint::of(pairs, now));
        points
    }
}

impl TimelinePoint {
    fn of(pairs: u64, posterior: &Posterior) -> Self {
        let commits = (1..=posterior.last()).map(|commit| posterior.commit(commit));
        let all = std::iter::once(posterior.none()).chain(commits);
        Self {
            pairs,
            probabilities: all.map(|probability| probability as f32).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::posterior::PairCounts;
    use super::super::section::BisectSection;
    use super::*;

    #[test]
    fn points_are_evenly_spaced_and_end_with_the_present() {
        let section = BisectSection::default();
        let posterior = Posterior::new(&PairCounts::new(), &BTreeSet::new(), 3, &section);
        let mut timeline = PosteriorTimeline::default();
        for batch in 0..1000 {
            timeline.push(16 * batch, &posterior);
        }
        let points = timeline.points(16_001, &posterior);
        assert!(points.len() <= MOST + 1, "{}", points.len());
        let steps: BTreeSet<u64> = points[..points.len() - 1]
            .windows(2)
            .map(|two| two[1].pairs - two[0].pairs)
            .collect();
        assert_eq!(steps, BTreeSet::from([16 * 16]));
        let last = points.last().expect("one");
        assert_eq!((last.pairs, last.probabilities.len()), (16_001, 4));
        let sum: f32 = last.probabilities.iter().sum();
        assert!((sum - 1.0).abs() < 1e-4, "{sum}");
    }
}
