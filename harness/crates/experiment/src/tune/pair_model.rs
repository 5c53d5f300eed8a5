//! Results of simulated pairs: a distribution at equal strength, tilted.

use rand_chacha::ChaCha8Rng;

use super::stream::uniform;
use hone_stats::distribution::{DistributionError, PairDistribution};
use hone_stats::elo::{NELO_PER_SIGMA, score_of_elo};

/// Elo per unit of score near equality: `1600 / ln 10`.
pub(crate) const ELO_PER_SCORE: f64 = 2.0 * NELO_PER_SIGMA;

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
    /// Those of [`PairDistribution::new`].
    pub fn new(base: [f64; 5]) -> Result<Self, DistributionError> {
        Ok(Self {
            base: PairDistribution::new(base)?.probabilities(),
        })
    }

    /// The distribution with mean score `score`: `p_i` proportional to
    /// `base_i exp(t i)`, `t` by Newton's method. If the possible results cannot
    /// reach the score, the nearest distribution with `|t| <= 20`, unlike
    /// [`PairDistribution::tilted_to`], which fails.
    pub fn tilted(&self, score: f64) -> [f64; 5] {
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
        let distribution = self.tilted(score_of_elo(elo));
        let mut counts = [0; 5];
        for _ in 0..pairs {
            counts[draw_one(&distribution, rng)] += 1;
        }
        counts
    }
}

/// One pair's result, 0 to 4 half points, from a distribution.
pub fn draw_one(distribution: &[f64; 5], rng: &mut ChaCha8Rng) -> usize {
    let mut rest = uniform(rng);
    for (result, p) in distribution.iter().enumerate() {
        if rest < *p {
            return result;
        }
        rest -= p;
    }
    // By a rounding error of the sum: the best possible result.
    distribution.iter().rposition(|p| *p > 0.0).unwrap_or(2)
}

/// Variance of a pair's half points (0 to 4), from observed counts and `prior` pairs of
/// the benchmark's distribution.
pub fn pair_variance(counts: &[u64; 5], prior: f64) -> f64 {
    let (_, variance) = moments(&shares(counts, prior));
    variance
}

/// Variance of a pair's result in Elo, near equality. Two pairs of the benchmark's
/// distribution are added to the observed counts, so that it is not 0 after few pairs.
pub(crate) fn elo_variance(counts: &[u64; 5]) -> f64 {
    pair_variance(counts, 2.0) * (ELO_PER_SCORE / 4.0).powi(2)
}

/// Shares of the results, with `prior` pairs of the benchmark's distribution.
fn shares(counts: &[u64; 5], prior: f64) -> [f64; 5] {
    let total = counts.iter().sum::<u64>() as f64 + prior;
    let base = PairModel::BENCHMARK.base;
    std::array::from_fn(|result| (counts[result] as f64 + prior * base[result]) / total)
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
                let score = score_of_elo(elo);
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
        let tilted = PairModel::BENCHMARK.tilted(score_of_elo(50.0));
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
        let counts = [25_000, 225_000, 500_000, 225_000, 25_000];
        let (mean, _) = moments(&shares(&counts, 2.0));
        assert!((mean - 2.0).abs() < 1e-9);
        assert!((elo_variance(&counts).sqrt() - 140.0).abs() < 0.1);
    }

    #[test]
    fn impossible_distributions_are_refused() {
        assert!(PairModel::new([0.2; 5]).is_ok());
        assert!(PairModel::new([0.3; 5]).is_err());
        assert!(PairModel::new([-0.2, 0.4, 0.4, 0.2, 0.2]).is_err());
        assert!(PairModel::new([0.0, 0.0, 1.0, 0.0, 0.0]).is_err());
    }
}
