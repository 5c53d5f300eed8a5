//! Outcomes of simulated pairs: a distribution at equal strength, tilted.

use rand_chacha::ChaCha8Rng;

use super::stream::uniform;

/// Elo per unit of score near equality: `1600 / ln 10`.
pub(crate) const ELO_PER_SCORE: f64 = 694.871_171_045_202_9;

/// Expected score of a side that is `elo` stronger (logistic).
pub(crate) fn expected_score(elo: f64) -> f64 {
    1.0 / (1.0 + (-elo * std::f64::consts::LN_10 / 400.0).exp())
}

/// The distribution of pairs LL, LD, DD or WL, WD, WW at equal strength.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairModel {
    base: [f64; 5],
}

impl PairModel {
    /// The benchmark's: a pair has a standard deviation of 140 Elo.
    pub const BENCHMARK: Self = Self {
        base: [0.025, 0.225, 0.5, 0.225, 0.025],
    };

    /// # Errors
    /// If a probability is negative, they do not sum to 1, or every pair would
    /// have the same result.
    pub(crate) fn new(base: [f64; 5]) -> Result<Self, String> {
        let sum: f64 = base.iter().sum();
        if base.iter().any(|p| !p.is_finite() || *p < 0.0) || (sum - 1.0).abs() > 1e-6 {
            return Err(format!(
                "pair = {base:?} must be five probabilities that sum to 1 (they sum to {sum})"
            ));
        }
        if base.iter().filter(|p| **p > 0.0).count() < 2 {
            return Err("pair must leave at least two results possible".to_owned());
        }
        Ok(Self {
            base: base.map(|p| p / sum),
        })
    }

    /// The distribution with mean score `score`: `p_i` proportional to
    /// `base_i exp(t i)`, `t` by Newton's method. A score that the possible
    /// results cannot reach is approached as far as `|t| <= 20`.
    pub(crate) fn tilted(&self, score: f64) -> [f64; 5] {
        let target = 4.0 * score;
        let mut t = 0.0f64;
        let mut tilted = self.base;
        for _ in 0..60 {
            let (mean, variance) = moments(&tilted);
            let miss = target - mean;
            if miss.abs() < 1e-12 {
                break;
            }
            let next = (t + (miss / variance.max(1e-9)).clamp(-1.0, 1.0)).clamp(-20.0, 20.0);
            if next == t {
                break;
            }
            t = next;
            tilted = self.weighted(t);
        }
        tilted
    }

    fn weighted(&self, t: f64) -> [f64; 5] {
        let factor = t.exp();
        let mut weight = 1.0;
        let mut tilted = [0.0; 5];
        for (out, base) in tilted.iter_mut().zip(self.base) {
            *out = base * weight;
            weight *= factor;
        }
        let sum: f64 = tilted.iter().sum();
        tilted.map(|p| p / sum)
    }

    /// Counts of `pairs` pairs drawn at an Elo difference of `elo`.
    pub fn draw(&self, elo: f64, pairs: u64, rng: &mut ChaCha8Rng) -> [u64; 5] {
        let distribution = self.tilted(expected_score(elo));
        let mut counts = [0; 5];
        for _ in 0..pairs {
            counts[draw_one(&distribution, rng)] += 1;
        }
        counts
    }
}

/// One pair's result, 0 to 4 half points, from a distribution.
pub(crate) fn draw_one(distribution: &[f64; 5], rng: &mut ChaCha8Rng) -> usize {
    let mut rest = uniform(rng);
    for (result, p) in distribution.iter().enumerate() {
        if rest < *p {
            return result;
        }
        rest -= p;
    }
    // Rounding errors of the sum: the best result that is possible.
    distribution.iter().rposition(|p| *p > 0.0).unwrap_or(2)
}

/// Mean and variance of a pair's half points (0 to 4).
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Moments {
    pub mean: f64,
    pub variance: f64,
}

impl Moments {
    /// Of observed counts, to which two pairs of the benchmark's distribution
    /// are added so that few pairs do not promise certainty.
    pub(crate) fn of_counts(counts: &[u64; 5]) -> Self {
        Self::with_prior(counts, 2.0)
    }

    /// Of observed counts and `pairs` of the benchmark's distribution.
    pub(crate) fn with_prior(counts: &[u64; 5], pairs: f64) -> Self {
        let total = counts.iter().sum::<u64>() as f64 + pairs;
        let mut shares = [0.0; 5];
        let both = counts.iter().zip(PairModel::BENCHMARK.base);
        for (share, (count, prior)) in shares.iter_mut().zip(both) {
            *share = (*count as f64 + pairs * prior) / total;
        }
        let (mean, variance) = moments(&shares);
        Self { mean, variance }
    }

    /// Variance of a pair's result in Elo, near equality.
    pub(crate) fn elo_variance(&self) -> f64 {
        self.variance * (ELO_PER_SCORE / 4.0).powi(2)
    }
}

/// Mean and variance of the half points of a pair.
fn moments(distribution: &[f64; 5]) -> (f64, f64) {
    let mut mean = 0.0;
    let mut square = 0.0;
    for (points, p) in distribution.iter().enumerate() {
        let points = points as f64;
        mean += points * p;
        square += points * points * p;
    }
    (mean, square - mean * mean)
}

#[cfg(test)]
mod tests {
    use super::super::stream::{Purpose, stream};
    use super::*;

    #[test]
    fn the_tilt_has_the_logistic_mean() {
        let skewed = PairModel::new([0.1, 0.2, 0.3, 0.3, 0.1]).unwrap();
        for model in [PairModel::BENCHMARK, skewed] {
            for elo in [-700.0, -30.0, 0.0, 2.5, 60.0, 700.0] {
                let score = expected_score(elo);
                let (mean, _) = moments(&model.tilted(score));
                assert!((mean / 4.0 - score).abs() < 1e-9, "{elo}: {mean}");
            }
        }
    }

    #[test]
    fn equal_strength_is_the_base() {
        assert_eq!(PairModel::BENCHMARK.tilted(0.5), PairModel::BENCHMARK.base);
    }

    #[test]
    fn the_tilt_of_an_exponential_family_keeps_log_odds_linear() {
        let tilted = PairModel::BENCHMARK.tilted(expected_score(50.0));
        let log_ratio: Vec<f64> = tilted
            .iter()
            .zip(PairModel::BENCHMARK.base)
            .map(|(p, base)| (p / base).ln())
            .collect();
        let step = log_ratio[1] - log_ratio[0];
        for pair in log_ratio.windows(2) {
            assert!((pair[1] - pair[0] - step).abs() < 1e-9);
        }
    }

    #[test]
    fn draws_follow_the_distribution() {
        let mut rng = stream(1, Purpose::Outcomes, 0);
        let counts = PairModel::BENCHMARK.draw(0.0, 100_000, &mut rng);
        for (count, p) in counts.iter().zip(PairModel::BENCHMARK.base) {
            let expected = 100_000.0 * p;
            assert!((*count as f64 - expected).abs() < 5.0 * expected.sqrt());
        }
    }

    #[test]
    fn a_pair_of_the_benchmark_has_a_deviation_of_140_elo() {
        let moments = Moments::of_counts(&[25_000, 225_000, 500_000, 225_000, 25_000]);
        assert!((moments.mean - 2.0).abs() < 1e-9);
        assert!((moments.elo_variance().sqrt() - 140.0).abs() < 0.1);
    }

    #[test]
    fn impossible_distributions_are_refused() {
        assert!(PairModel::new([0.2; 5]).is_ok());
        assert!(PairModel::new([0.3; 5]).is_err());
        assert!(PairModel::new([-0.2, 0.4, 0.4, 0.2, 0.2]).is_err());
        assert!(PairModel::new([0.0, 0.0, 1.0, 0.0, 0.0]).is_err());
    }
}
