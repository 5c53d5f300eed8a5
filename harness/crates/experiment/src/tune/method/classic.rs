//! The update rules of OpenBench, fishtest and weather-factory, as they are
//! deployed: the update uses the nominal perturbations, without rounding and
//! clipping.
//!
//! Sources: OpenBench `spsa_utils.py`, fishtest `spsa_workflow.py`,
//! weather-factory `spsa.py`.

use super::{Method, Observation, TailAverage};
use crate::tune::budget::Budget;
use crate::tune::space::{Proposal, Rounding, Space};

/// The program whose rule is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ClassicRule {
    OpenBench,
    Fishtest,
    WeatherFactory,
}

/// The constants of a classic rule.
#[derive(Debug, Clone)]
pub(crate) struct ClassicSettings {
    /// Exponent of the gain's decay.
    pub alpha: f64,
    /// Exponent of the perturbation's decay.
    pub gamma: f64,
    /// Delay of the gain's decay: a share of the iterations (OpenBench,
    /// fishtest), or games (weather-factory).
    pub stability: f64,
    /// Final gain `R_end` (OpenBench, fishtest) or `a` (weather-factory).
    pub gain: f64,
    /// Factor on each parameter's step, which is the final perturbation
    /// `C_end` (OpenBench, fishtest) or the step (weather-factory).
    pub width: f64,
}

impl ClassicSettings {
    /// The customary constants; `games` is the budget, which weather-factory's
    /// manual divides by ten.
    pub(crate) fn customary(rule: ClassicRule, games: u64) -> Self {
        match rule {
            ClassicRule::OpenBench | ClassicRule::Fishtest => Self {
                alpha: 0.602,
                gamma: 0.101,
                stability: 0.1,
                gain: 0.002,
                width: 1.0,
            },
            ClassicRule::WeatherFactory => Self {
                alpha: 0.601,
                gamma: 0.102,
                stability: games as f64 / 10.0,
                gain: 1.0,
                width: 1.0,
            },
        }
    }
}

/// The state of a classic rule.
#[derive(Debug, Clone)]
pub(crate) struct Classic {
    rule: ClassicRule,
    settings: ClassicSettings,
    budget: Budget,
    /// Planned iterations: batches (OpenBench) or pairs (fishtest).
    iterations: f64,
    space: Space,
    theta: Vec<f64>,
    average: TailAverage,
}

impl Classic {
    pub(crate) fn new(
        rule: ClassicRule,
        settings: ClassicSettings,
        space: Space,
        budget: Budget,
    ) -> Self {
        let iterations = match rule {
            ClassicRule::OpenBench => budget.batches(),
            ClassicRule::Fishtest | ClassicRule::WeatherFactory => budget.pairs,
        };
        Self {
            rule,
            settings,
            budget,
            iterations: iterations as f64,
            theta: space.start(),
            average: TailAverage::new(budget.batches(), space.start()),
            space,
        }
    }

    /// The step counter of a batch: iterations from 1 (OpenBench: batches,
    /// fishtest: pairs at dispatch), or games including the batch
    /// (weather-factory).
    fn counter(&self, batch: u64) -> f64 {
        match self.rule {
            ClassicRule::OpenBench => 1.0 + batch as f64,
            ClassicRule::Fishtest => 1.0 + self.budget.pairs_before(batch) as f64,
            ClassicRule::WeatherFactory => 2.0 * self.budget.pairs_before(batch + 1) as f64,
        }
    }

    /// Perturbation `c` and gain `r` of a parameter at step `k`. For
    /// weather-factory both are common to all parameters and in units of
    /// the parameter's step.
    fn schedule(&self, parameter: usize, k: f64) -> (f64, f64) {
        let ClassicSettings { alpha, gamma, .. } = self.settings;
        let param = &self.space.params()[parameter];
        if self.rule == ClassicRule::WeatherFactory {
            let r = self.settings.gain / (k + self.settings.stability).powf(alpha);
            return (1.0 / k.powf(gamma), r);
        }
        let c_end = param.step * self.settings.width;
        let r_end = param.gain.unwrap_or(self.settings.gain);
        let c = c_end * self.iterations.powf(gamma);
        let a_end = r_end * c_end.powi(2);
        let mut stability = self.settings.stability * self.iterations;
        if self.rule == ClassicRule::Fishtest {
            stability = stability.floor();
        }
        let a = a_end * (stability + self.iterations).powf(alpha);
        let mut c_k = c / k.powf(gamma);
        if self.rule == ClassicRule::OpenBench && param.quantum() == 1.0 {
            c_k = c_k.max(0.5);
        }
        (c_k, a / (stability + k).powf(alpha) / c_k.powi(2))
    }

    /// A parameter whose perturbation is not a number above 0, or whose update is not
    /// finite. The first and last batch are checked.
    pub(crate) fn overflowing(&self) -> Option<&str> {
        let last = self.budget.batches().saturating_sub(1);
        let steps = |parameter: usize, batch: u64| {
            let (c, r) = self.schedule(parameter, self.counter(batch));
            match self.rule {
                ClassicRule::WeatherFactory => {
                    let step = self.space.params()[parameter].step * self.settings.width;
                    (step * c, r * step / c)
                }
                _ => (c, r * c),
            }
        };
        let overflows = |parameter: usize| {
            [0, last].into_iter().any(|batch| {
                let (perturbation, update) = steps(parameter, batch);
                !(perturbation > 0.0 && perturbation.is_finite() && update.is_finite())
            })
        };
        let parameter = (0..self.space.dimension()).find(|parameter| overflows(*parameter))?;
        Some(&self.space.params()[parameter].name)
    }

    fn propose_at(&self, k: f64, signs: &[f64]) -> Proposal {
        Proposal::around(&self.theta, |parameter| {
            let (c, _) = self.schedule(parameter, k);
            let sign = signs[parameter];
            match self.rule {
                ClassicRule::WeatherFactory => {
                    sign * self.space.params()[parameter].step * self.settings.width * c
                }
                _ => sign * c,
            }
        })
    }

    fn update_at(&mut self, k: f64, signs: &[f64], wins_minus_losses: f64) {
        for (parameter, sign) in signs.iter().enumerate() {
            let (c, r) = self.schedule(parameter, k);
            let theta = &mut self.theta[parameter];
            *theta = match self.rule {
                ClassicRule::WeatherFactory => {
                    let step = self.space.params()[parameter].step * self.settings.width;
                    let gradient = -wins_minus_losses / (sign * c);
                    *theta - gradient * r * step
                }
                _ => *theta + r * c * wins_minus_losses * sign,
            };
        }
        self.space.clip(&mut self.theta);
    }
}

impl Method for Classic {
    fn propose(&mut self, batch: u64, signs: &[f64]) -> Proposal {
        self.propose_at(self.counter(batch), signs)
    }

    fn absorb(&mut self, observation: &Observation) {
        let k = self.counter(observation.batch);
        self.update_at(k, &observation.signs, observation.wins_minus_losses());
        self.average.push(observation.batch, &self.theta);
    }

    fn gain(&self, parameter: usize, batch: u64) -> f64 {
        let (c, r) = self.schedule(parameter, self.counter(batch));
        match self.rule {
            ClassicRule::WeatherFactory => r / (c * c),
            _ => r,
        }
    }

    fn values(&self) -> Vec<f64> {
        self.theta.clone()
    }

    fn average(&self) -> Vec<f64> {
        self.average.mean.clone()
    }

    fn rounding(&self) -> Rounding {
        match self.rule {
            ClassicRule::WeatherFactory => Rounding::Nearest,
            _ => Rounding::Shared,
        }
    }
}

#[cfg(test)]
#[path = "classic_golden.rs"]
mod golden;
