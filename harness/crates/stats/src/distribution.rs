//! Distributions of a pair's result, and their tilt to a given strength.

use super::bisection::bisect;
use super::counts::{Counts, Pentanomial};
use super::elo::{NELO_PER_SIGMA, score_of_elo};
use super::llr::{BayesElo, games_of_distribution};
use super::model::Model;
use super::sample::{Sample, mean_and_variance};

/// Probabilities of a pair's half points, 0 to 4 (LL, LD, DD+WL, WD, WW).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairDistribution([f64; 5]);

/// The strongest tilt. It changes the ratio of two neighbouring results, whose scores differ
/// by a quarter, by e^60: even a result that was not seen in 10^18 pairs becomes frequent.
const MAX_TILT: f64 = 240.0;

/// Why a distribution is impossible.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum DistributionError {
    #[error("probability {0} is not a number from 0 up")]
    NotAProbability(f64),
    #[error("the probabilities sum to {0}, not to 1")]
    Sum(f64),
    #[error("all results are the same: no strength other than this one can be simulated")]
    OneResult,
    #[error("draw ratio {0} must be at least 0 and less than 1")]
    DrawRatio(f64),
    #[error("an opening bias of {bias} Elo is impossible with a draw ratio of {draw_ratio}")]
    Bias { bias: f64, draw_ratio: f64 },
    #[error("{elo} Elo cannot be reached from this distribution on the {model} scale")]
    Unreachable { elo: f64, model: Model },
    #[error(
        "at {elo} Elo the test cannot be computed: its bounds are too far from this distribution"
    )]
    NoWalk { elo: f64 },
}

impl PairDistribution {
    /// From probabilities, which may be off from a sum of one by a thousandth:
    /// they are divided by it.
    ///
    /// # Errors
    /// If a probability is negative or not finite, the sum is not one, or only
    /// one result is possible.
    pub fn new(probabilities: [f64; 5]) -> Result<Self, DistributionError> {
        for p in probabilities {
            if !p.is_finite() || p < 0.0 {
                return Err(DistributionError::NotAProbability(p));
            }
        }
        let sum: f64 = probabilities.iter().sum();
        if (sum - 1.0).abs() > 1e-3 {
            return Err(DistributionError::Sum(sum));
        }
        if probabilities.iter().filter(|&&p| p > 0.0).count() < 2 {
            return Err(DistributionError::OneResult);
        }
        Ok(Self(probabilities.map(|p| p / sum)))
    }

    /// The distribution that was measured; zero counts are regularised.
    pub fn measured(counts: &Pentanomial) -> Self {
        Self(Sample::pairs(counts).probabilities)
    }

    /// Two games of equal engines, independent given the opening. Each is
    /// drawn with probability `draw_ratio`; the opening favours one colour by
    /// `bias` Elo (root mean square over the book, as in fishtest's
    /// calculator).
    ///
    /// # Errors
    /// If the draw ratio is not in [0, 1), or leaves no room for the bias.
    pub fn of_equals(draw_ratio: f64, bias: f64) -> Result<Self, DistributionError> {
        if !(0.0..1.0).contains(&draw_ratio) {
            return Err(DistributionError::DrawRatio(draw_ratio));
        }
        let decisive = (1.0 - draw_ratio) / 2.0;
        let advantage = score_of_elo(bias) - 0.5;
        if !advantage.is_finite() || advantage.abs() >= decisive {
            return Err(DistributionError::Bias { bias, draw_ratio });
        }
        let favoured = [decisive - advantage, draw_ratio, decisive + advantage];
        let mut pair = [0.0; 5];
        for (i, p) in favoured.iter().enumerate() {
            for (j, q) in favoured.iter().rev().enumerate() {
                pair[i + j] += p * q;
            }
        }
        Ok(Self(pair))
    }

    /// The probabilities.
    pub fn probabilities(&self) -> [f64; 5] {
        self.0
    }

    /// Mean and variance of the pair's score, 0 to 1.
    pub fn mean_and_variance(&self) -> (f64, f64) {
        mean_and_variance(&self.0)
    }

    /// The strength on the scale of `model`. For BayesElo, level pairs
    /// count as two draws. `None` where it is not finite.
    pub fn strength(&self, model: Model) -> Option<f64> {
        let (mean, variance) = self.mean_and_variance();
        let strength = match model {
            Model::Normalized => {
                (mean - 0.5) / (Sample::<5>::GAMES * variance).sqrt() * NELO_PER_SIGMA
            }
            Model::Logistic | Model::Betting => super::elo::elo_of_score(mean),
            Model::Bayesian => BayesElo::of_probabilities(games_of_distribution(&self.0)).strength,
        };
        strength.is_finite().then_some(strength)
    }

    /// The same kind of pairs at another strength: each probability is
    /// multiplied by e^(lambda score), the tilt with the least Kullback-Leibler
    /// divergence for a given mean.
    ///
    /// # Errors
    /// If no tilt leads to that strength, or only one that leaves a single result.
    pub fn tilted_to(&self, model: Model, elo: f64) -> Result<Self, DistributionError> {
        let strength = |lambda: f64| self.tilted(lambda).strength(model);
        let (low, high) = bisect((-MAX_TILT, MAX_TILT), 200, |lambda| {
            strength(lambda).map_or(lambda < 0.0, |reached| reached < elo)
        });
        let tilted = self.tilted(0.5 * (low + high));
        let [worst, best] = [-MAX_TILT, MAX_TILT].map(strength);
        let is_inside = worst.is_none_or(|worst| worst < elo) && best.is_none_or(|best| elo < best);
        match tilted.strength(model) {
            Some(reached) if is_inside && (reached - elo).abs() < 1e-6 => Ok(tilted),
            _ => Err(DistributionError::Unreachable { elo, model }),
        }
    }

    fn tilted(&self, lambda: f64) -> Self {
        let mut tilted = self.0;
        for (p, score) in tilted.iter_mut().zip(Sample::<5>::SCORES) {
            *p *= (lambda * (score - 0.5)).exp();
        }
        let sum: f64 = tilted.iter().sum();
        Self(tilted.map(|p| p / sum))
    }
}

impl TryFrom<Counts> for PairDistribution {
    type Error = DistributionError;

    /// The distribution of measured pairs, or of pairs of independent games.
    fn try_from(counts: Counts) -> Result<Self, DistributionError> {
        match counts {
            Counts::Pentanomial(pairs) => Ok(Self::measured(&pairs)),
            Counts::Wdl(games) => {
                let game = Sample::games(&games).probabilities;
                let mut pair = [0.0; 5];
                for (i, p) in game.iter().enumerate() {
                    for (j, q) in game.iter().enumerate() {
                        pair[i + j] += p * q;
                    }
                }
                Ok(Self(pair))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAIN: [f64; 5] = [0.025, 0.225, 0.5, 0.225, 0.025];

    #[test]
    fn tilt_reaches_the_strength() {
        let base = PairDistribution::new(MAIN).unwrap();
        for model in Model::ALL {
            for elo in [-300.0, -5.0, 0.0, 2.5, 100.0] {
                let tilted = base.tilted_to(model, elo).unwrap();
                assert!((tilted.strength(model).unwrap() - elo).abs() < 1e-9);
                let sum: f64 = tilted.probabilities().iter().sum();
                assert!((sum - 1.0).abs() < 1e-12);
            }
        }
    }

    /// Double wins and double losses have only the probability of their regularised counts.
    #[test]
    fn a_strength_of_results_that_were_never_seen_is_reached() {
        let base = PairDistribution::measured(&Pentanomial([0, 2000, 6000, 2000, 0]));
        for model in Model::ALL {
            for elo in [-400.0, 400.0] {
                let tilted = base.tilted_to(model, elo).unwrap();
                assert!((tilted.strength(model).unwrap() - elo).abs() < 1e-6);
                assert!(tilted.probabilities().iter().all(|p| *p > 0.0));
            }
        }
    }

    #[test]
    fn equal_engines_have_the_variance_of_the_calculator() {
        let pairs = PairDistribution::of_equals(0.49, 191.0).unwrap();
        let (mean, variance) = pairs.mean_and_variance();
        assert!((mean - 0.5).abs() < 1e-15);
        let advantage = score_of_elo(191.0) - 0.5;
        assert!((2.0 * variance - (0.51 / 4.0 - advantage * advantage)).abs() < 1e-15);
    }

    #[test]
    fn impossible_distributions_are_refused() {
        use DistributionError as E;
        let new = PairDistribution::new;
        assert!(matches!(new([0.5, 0.5, 0.5, 0.0, 0.0]), Err(E::Sum(_))));
        assert!(matches!(new([1.0, 0.0, 0.0, 0.0, 0.0]), Err(E::OneResult)));
        assert!(matches!(
            new([1.5, -0.5, 0.0, 0.0, 0.0]),
            Err(E::NotAProbability(_))
        ));
        assert!(PairDistribution::of_equals(1.0, 0.0).is_err());
        assert!(PairDistribution::of_equals(0.9, 300.0).is_err());
        // Only drawn pairs have the strength 0.
        let never_lost = new([0.0, 0.0, 0.5, 0.5, 0.0]).unwrap();
        let never_won = new([0.0, 0.5, 0.5, 0.0, 0.0]).unwrap();
        for model in [Model::Logistic, Model::Normalized] {
            for (base, elo) in [(never_lost, -5.0), (never_lost, 0.0), (never_won, 0.0)] {
                let tilted = base.tilted_to(model, elo);
                assert!(
                    matches!(tilted, Err(E::Unreachable { .. })),
                    "{elo} {model}"
                );
            }
        }
    }
}
