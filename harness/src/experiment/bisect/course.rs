//! How the probabilities have moved while the matches were played.

use super::posterior::Posterior;

/// Moments that are kept: more cannot be seen in a picture.
const MOST: usize = 96;

/// The probabilities after some pairs.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Moment {
    pub(crate) pairs: u64,
    /// That nothing changed, then of each commit after the good one.
    pub(crate) probabilities: Vec<f32>,
}

/// Moments of a bisection, evenly spread.
#[derive(Debug)]
pub(crate) struct PosteriorTimeline {
    kept: Vec<Moment>,
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
    /// Takes the state after a batch.
    pub(super) fn note(&mut self, pairs: u64, posterior: &Posterior) {
        let number = self.batches;
        self.batches += 1;
        if !number.is_multiple_of(self.step) {
            return;
        }
        if self.kept.len() == MOST {
            self.step *= 2;
            let mut at = 0;
            self.kept.retain(|_| {
                at += 1;
                at % 2 == 1
            });
            if !number.is_multiple_of(self.step) {
                return;
            }
        }
        self.kept.push(Moment::of(pairs, posterior));
    }

    /// The moments that are kept, and `pairs` with the probabilities of now.
    pub(crate) fn moments(&self, pairs: u64, now: &Posterior) -> Vec<Moment> {
        let mut moments = self.kept.clone();
        match moments.last_mut() {
            Some(last) if last.pairs == pairs => *last = Moment::of(pairs, now),
            _ => moments.push(Moment::of(pairs, now)),
        }
        moments
    }
}

impl Moment {
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

    use super::super::posterior::Evidence;
    use super::super::section::BisectSection;
    use super::*;

    #[test]
    fn moments_are_evenly_spread_and_end_now() {
        let section = BisectSection::default();
        let posterior = Posterior::new(&Evidence::new(), &BTreeSet::new(), 3, &section);
        let mut course = PosteriorTimeline::default();
        for batch in 0..1000 {
            course.note(16 * batch, &posterior);
        }
        let moments = course.moments(16_001, &posterior);
        assert!(moments.len() <= MOST + 1, "{}", moments.len());
        let steps: BTreeSet<u64> = moments[..moments.len() - 1]
            .windows(2)
            .map(|two| two[1].pairs - two[0].pairs)
            .collect();
        assert_eq!(steps, BTreeSet::from([16 * 16]));
        let last = moments.last().expect("one");
        assert_eq!((last.pairs, last.probabilities.len()), (16_001, 4));
        let sum: f32 = last.probabilities.iter().sum();
        assert!((sum - 1.0).abs() < 1e-4, "{sum}");
    }
}
