//! SPSA with perturbations from a posterior of each parameter.
//!
//! The values move as in [`Spsa`](super::Spsa): linear decay of the gain, the
//! differences as played. The perturbation of a parameter is
//! `reach * sqrt(D)`, with `D` the posterior standard deviation (in ranges) of its
//! optimum by a Bayesian filter. The square root follows from theory: with a
//! perturbation `c` the noise of an optimum falls like `1 / c` and its bias by skew
//! grows like `c^2`, so the best `c` is proportional to the square root of the
//! remaining noise. The perturbation of a sensitive parameter soon becomes narrow,
//! where skew, cliffs and saturation matter little; that of a weak one stays wide,
//! because otherwise it could not be measured.

use serde::{Deserialize, Deserializer, Serialize};

use super::posterior::{Grid, OptimumPosterior, Sums};
use super::spsa::{linear_gain, perturbation};
use super::{Method, Noise, Observation, TailAverage, constant, constant_above_zero};
use crate::settings::number_in;
use crate::tune::budget::Budget;
use crate::tune::pair_model::ELO_PER_SCORE;
use crate::tune::space::{Proposal, Space};

/// The constants of the adaptive method.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AdaptiveSettings {
    /// Gain at the start, in units of `1 / sqrt(pairs)`; it falls to 0.
    #[serde(deserialize_with = "constant")]
    pub gain: f64,
    /// Perturbation in ranges per square root of the optimum's standard
    /// deviation.
    #[serde(deserialize_with = "constant")]
    pub reach: f64,
    /// Least perturbation, as a share of the span.
    #[serde(deserialize_with = "constant")]
    pub width_min: f64,
    /// Greatest perturbation, as a share of the span.
    #[serde(deserialize_with = "constant")]
    pub width_max: f64,
    /// Prior standard deviation of an optimum around the start, in ranges; above 0.
    #[serde(deserialize_with = "constant_above_zero")]
    pub spread: f64,
    /// Prior standard deviation of a parameter's skew.
    #[serde(deserialize_with = "constant")]
    pub skew: f64,
    /// Decay in the filter: an observation made after a share `a` of the pairs so far
    /// has the weight `a^fade`, because coupled parameters have moved since. From 0 to
    /// [`MAX_FADE`].
    #[serde(deserialize_with = "fade")]
    pub fade: f64,
}

impl Default for AdaptiveSettings {
    fn default() -> Self {
        Self {
            gain: 1.0,
            reach: 0.8,
            width_min: 0.08,
            width_max: 0.35,
            spread: 0.2,
            skew: 0.5,
            fade: 0.3,
        }
    }
}

/// The greatest `fade`. With one above [`FADE_DELAY`] the first weights would be negative.
const MAX_FADE: f64 = 10.0;
/// Batches that are added to the number of a batch for its decay.
const FADE_DELAY: u64 = 11;

fn fade<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    let is_allowed = |number: f64| (0.0..=MAX_FADE).contains(&number);
    let allowed = format!("a number from 0 to {MAX_FADE}");
    number_in(deserializer, is_allowed, &allowed)
}

/// Number of times a run computes posteriors.
const REFRESHES: u64 = 300;

/// The state of the adaptive method.
#[derive(Debug, Clone)]
pub struct Adaptive {
    settings: AdaptiveSettings,
    budget: Budget,
    /// Batches between two refreshes.
    every: u64,
    space: Space,
    grid: Grid,
    sums: Vec<Sums>,
    posteriors: Vec<OptimumPosterior>,
    theta: Vec<f64>,
    average: TailAverage,
    noise: Noise,
}

impl Adaptive {
    pub fn new(settings: AdaptiveSettings, space: Space, budget: Budget) -> Self {
        let grid = Grid::new(settings.spread, settings.skew);
        let prior = grid.posterior(&Sums::default());
        Self {
            budget,
            every: (budget.batches() / REFRESHES).max(1),
            sums: vec![Sums::default(); space.dimension()],
            posteriors: vec![prior; space.dimension()],
            grid,
            theta: space.start(),
            average: TailAverage::new(budget.batches(), space.start()),
            noise: Noise::default(),
            space,
            settings,
        }
    }

    fn width(&self, index: usize) -> f64 {
        let AdaptiveSettings {
            reach,
            width_min,
            width_max,
            ..
        } = self.settings;
        (reach * self.posteriors[index].deviation.sqrt()).clamp(width_min, width_max)
    }

    /// Updates the filters: that of each parameter gets the observed difference less the
    /// predicted contributions of the others.
    fn update_filters(&mut self, observation: &Observation) {
        let pairs = observation.pairs();
        if pairs == 0 {
            return;
        }
        let score = observation.wins_minus_losses() / (4 * pairs) as f64;
        let elo = score * ELO_PER_SCORE;
        let weight = pairs as f64 / self.noise.elo_variance();
        let played = &observation.played;
        let sides = played.plus.iter().zip(&played.minus);
        let points: Vec<(f64, f64, f64)> = sides
            .zip(self.space.params())
            .zip(&self.posteriors)
            .map(|(((plus, minus), param), posterior)| {
                let d = 0.5 * (plus - minus) / param.span();
                let m = (0.5 * (plus + minus) - param.start) / param.span();
                (d, m, posterior.predict(d, m))
            })
            .collect();
        let all: f64 = points.iter().map(|(.., own)| own).sum();
        let keep = 1.0 - self.settings.fade / (observation.batch + FADE_DELAY) as f64;
        for (sums, (d, m, own)) in self.sums.iter_mut().zip(points) {
            sums.fade(keep);
            sums.add(d, m, elo - (all - own), weight);
        }
    }
}

impl Method for Adaptive {
    fn propose(&mut self, _batch: u64, signs: &[f64]) -> Proposal {
        Proposal::around(&self.theta, |index| {
            let param = &self.space.params()[index];
            let width = self.width(index) * param.span();
            signs[index] * perturbation(width, self.theta[index], param)
        })
    }

    fn absorb(&mut self, observation: &Observation) {
        self.noise.add(observation);
        let gain = self.gain(0, observation.batch) * self.noise.gain_factor();
        observation.ascend(&mut self.theta, gain);
        self.space.clip(&mut self.theta);
        self.update_filters(observation);
        if observation.batch.is_multiple_of(self.every) {
            for (posterior, sums) in self.posteriors.iter_mut().zip(&self.sums) {
                *posterior = self.grid.posterior(sums);
            }
        }
        self.average.push(observation.batch, &self.theta);
    }

    /// The same for all parameters.
    fn gain(&self, _parameter: usize, batch: u64) -> f64 {
        let progress = batch as f64 / self.budget.batches() as f64;
        linear_gain(self.settings.gain, 0.0, progress, self.budget.pairs)
    }

    fn values(&self) -> Vec<f64> {
        self.theta.clone()
    }

    fn average(&self) -> Vec<f64> {
        self.average.mean.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decay_that_gives_negative_weights_is_refused() {
        let with = |fade: &str| toml::from_str::<AdaptiveSettings>(&format!("fade = {fade}"));
        for allowed in ["0", "0.3", "10"] {
            assert!(with(allowed).is_ok(), "{allowed}");
        }
        for refused in ["-0.1", "10.1", "11", "1000", "nan"] {
            let error = with(refused).expect_err(refused).to_string();
            assert!(
                error.contains("a number from 0 to 10 is allowed"),
                "{error}"
            );
        }
    }
}
