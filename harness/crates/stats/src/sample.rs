//! Counts as an empirical distribution over equidistant scores.

use super::counts::{Pentanomial, Wdl};

/// Replaces a count of zero in the likelihood, as in fishtest,
/// OpenBench and fastchess.
pub(crate) const REGULARIZATION: f64 = 1e-3;

/// An empirical distribution of `K` scores, 0 to 1 in equal steps: `K` = 3
/// for games (loss, draw, win), 5 for pairs (the pair's points halved).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample<const K: usize> {
    /// How many units were observed; not whole after regularisation.
    pub size: f64,
    /// Share of each score, from 0 to 1. They sum to one.
    pub probabilities: [f64; K],
}

/// Central moments of a distribution.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Moments {
    pub mean: f64,
    /// Population variance: divided by the size, not by the size less one.
    pub variance: f64,
    /// Third standardised moment; 0 if the variance is 0.
    pub skewness: f64,
    /// Fourth standardised moment less 3; 0 if the variance is 0.
    pub excess_kurtosis: f64,
}

impl<const K: usize> Sample<K> {
    /// The possible scores, ascending.
    pub const SCORES: [f64; K] = {
        let mut scores = [0.0; K];
        let mut i = 0;
        while i < K {
            scores[i] = i as f64 / (K - 1) as f64;
            i += 1;
        }
        scores
    };

    /// Games in a unit: 2 for pairs, 1 for single games.
    pub const GAMES: f64 = (K - 1) as f64 / 2.0;

    /// The counts as they are; `None` if there are none.
    pub fn raw(counts: [u64; K]) -> Option<Self> {
        let size: f64 = counts.iter().map(|&n| n as f64).sum();
        (size > 0.0).then(|| Self::from_weights(counts.map(|n| n as f64)))
    }

    /// The counts with each zero replaced by [`REGULARIZATION`].
    fn regularized(counts: [u64; K]) -> Self {
        Self::from_weights(counts.map(|n| if n == 0 { REGULARIZATION } else { n as f64 }))
    }

    /// Non-negative weights, not all zero; the size is their sum.
    pub fn from_weights(weights: [f64; K]) -> Self {
        let size: f64 = weights.iter().sum();
        Self {
            size,
            probabilities: weights.map(|weight| weight / size),
        }
    }

    /// Mean and population variance of the score.
    pub fn mean_and_variance(&self) -> (f64, f64) {
        mean_and_variance(&self.probabilities)
    }

    /// All four moments.
    pub fn moments(&self) -> Moments {
        let (mean, variance) = self.mean_and_variance();
        let moment = |power| {
            dot(
                &self.probabilities,
                &Self::SCORES.map(|score| (score - mean).powi(power)),
            )
        };
        let (skewness, excess_kurtosis) = if variance > 0.0 {
            (
                moment(3) / variance.powf(1.5),
                moment(4) / (variance * variance) - 3.0,
            )
        } else {
            (0.0, 0.0)
        };
        Moments {
            mean,
            variance,
            skewness,
            excess_kurtosis,
        }
    }
}

impl Sample<5> {
    /// Pairs, regularised.
    pub fn pairs(counts: &Pentanomial) -> Self {
        Self::regularized(counts.0)
    }
}

impl Sample<3> {
    /// Single games, regularised.
    pub fn games(counts: &Wdl) -> Self {
        Self::regularized(counts.by_score())
    }
}

/// Mean and population variance of the score, 0 to 1.
pub(super) fn mean_and_variance<const K: usize>(probabilities: &[f64; K]) -> (f64, f64) {
    let scores = &Sample::<K>::SCORES;
    let mean = dot(probabilities, scores);
    let squares = scores.map(|score| (score - mean) * (score - mean));
    (mean, dot(probabilities, &squares))
}

/// The scalar product.
pub(super) fn dot<const K: usize>(a: &[f64; K], b: &[f64; K]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_by_hand() {
        let sample = Sample::raw([1, 0, 0, 0, 3]).unwrap();
        let moments = sample.moments();
        assert_eq!(moments.mean, 0.75);
        assert_eq!(moments.variance, 0.1875);
        // A Bernoulli variable: (1 - 2p) / sqrt(pq) and (1 - 6pq) / pq.
        assert!((moments.skewness + 0.5 / 0.1875_f64.sqrt()).abs() < 1e-14);
        assert!((moments.excess_kurtosis - (1.0 - 6.0 * 0.1875) / 0.1875).abs() < 1e-12);
    }

    #[test]
    fn only_zeros_are_regularized() {
        let sample = Sample::regularized([0, 4, 0]);
        assert!((sample.size - 4.002).abs() < 1e-12);
        assert!((sample.probabilities[1] - 4.0 / 4.002).abs() < 1e-15);
        assert_eq!(Sample::raw([0u64; 3]), None);
    }
}
