//! SPSA that sets itself up: the perturbation is a share of each parameter's
//! span, the gain follows from the budget, both shrink linearly.
//!
//! With `theta += r d (wins - losses)`, `d` half the difference of the sides
//! as played, pure noise in a run of `N` pairs with gain `r = g / sqrt(N) (1 - t)`
//! moves a parameter by about `0.46 g` perturbations: `sqrt(0.65 / 3) g`, with 0.65
//! the usual variance of wins minus losses of a pair. If pairs are more or less
//! noisy, the gain is scaled to keep that distance.

use serde::{Deserialize, Serialize};

use super::{Method, Noise, Observation, TailAverage, constant};
use crate::tune::budget::Budget;
use crate::tune::param::Param;
use crate::tune::space::{Proposal, Space};

/// The constants of the self-configuring SPSA.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SpsaSettings {
    /// Perturbation at the start, as a share of the span.
    #[serde(deserialize_with = "constant")]
    pub width_start: f64,
    /// Perturbation at the end, as a share of the span.
    #[serde(deserialize_with = "constant")]
    pub width_end: f64,
    /// Gain at the start, in units of `1 / sqrt(pairs)`.
    #[serde(deserialize_with = "constant")]
    pub gain: f64,
    /// Gain at the end, in the same units.
    #[serde(deserialize_with = "constant")]
    pub gain_end: f64,
}

impl Default for SpsaSettings {
    fn default() -> Self {
        Self {
            width_start: 0.3,
            width_end: 0.1,
            gain: 0.9,
            gain_end: 0.0,
        }
    }
}

/// The state of the self-configuring SPSA.
#[derive(Debug, Clone)]
pub struct Spsa {
    settings: SpsaSettings,
    budget: Budget,
    space: Space,
    theta: Vec<f64>,
    average: TailAverage,
    noise: Noise,
}

impl Spsa {
    pub fn new(settings: SpsaSettings, space: Space, budget: Budget) -> Self {
        Self {
            settings,
            budget,
            theta: space.start(),
            average: TailAverage::new(budget.batches(), space.start()),
            noise: Noise::default(),
            space,
        }
    }

    /// Share of the run before `batch`, 0 to 1.
    fn progress(&self, batch: u64) -> f64 {
        batch as f64 / self.budget.batches() as f64
    }

    /// The perturbation of `batch` as a share of the span.
    fn width(&self, batch: u64) -> f64 {
        let SpsaSettings {
            width_start: start,
            width_end: end,
            ..
        } = self.settings;
        start + (end - start) * self.progress(batch)
    }
}

impl Method for Spsa {
    fn propose(&mut self, batch: u64, signs: &[f64]) -> Proposal {
        let width = self.width(batch);
        Proposal::around(&self.theta, |index| {
            let param = &self.space.params()[index];
            signs[index] * perturbation(width * param.span(), self.theta[index], param)
        })
    }

    fn absorb(&mut self, observation: &Observation) {
        self.noise.add(observation);
        let gain = self.gain(0, observation.batch) * self.noise.gain_factor();
        observation.ascend(&mut self.theta, gain);
        self.space.clip(&mut self.theta);
        self.average.push(observation.batch, &self.theta);
    }

    /// The same for all parameters.
    fn gain(&self, _parameter: usize, batch: u64) -> f64 {
        let SpsaSettings { gain, gain_end, .. } = self.settings;
        linear_gain(gain, gain_end, self.progress(batch), self.budget.pairs)
    }

    fn values(&self) -> Vec<f64> {
        self.theta.clone()
    }

    fn average(&self) -> Vec<f64> {
        self.average.mean.clone()
    }
}

/// The gain, per unit of wins minus losses, after a share `progress` of
/// `planned` pairs: it goes linearly from `gain` to `gain_end` over their root.
pub(super) fn linear_gain(gain: f64, gain_end: f64, progress: f64, planned: u64) -> f64 {
    (gain + (gain_end - gain) * progress) / (planned as f64).sqrt()
}

/// A perturbation of about `width` around `value`: near a bound it shrinks, down
/// to half, to stay symmetric (a one-sided difference measures the slope beside
/// `value`), and it is never so small that rounding makes the sides equal.
pub(super) fn perturbation(width: f64, value: f64, param: &Param) -> f64 {
    let room = (value - param.min).min(param.max - value);
    width.min(room).max(0.5 * width).max(0.5 * param.quantum())
}
