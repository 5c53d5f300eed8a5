//! What is tested, and at which error rates.

use std::str::FromStr;

use super::super::Model;
use super::super::elo::{NELO_PER_SIGMA, score_of_elo, sigma_per_game};

impl FromStr for Model {
    type Err = SprtError;

    fn from_str(name: &str) -> Result<Self, SprtError> {
        Model::ALL
            .into_iter()
            .find(|model| model.name() == name)
            .ok_or_else(|| SprtError::UnknownModel(name.to_owned()))
    }
}

/// A sequential test of `elo1` against `elo0`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SprtConfig {
    pub model: Model,
    /// H0: the strength is at most this, on the model's scale.
    pub elo0: f64,
    /// H1: the strength is at least this.
    pub elo1: f64,
    /// Probability of accepting H1 at `elo0`.
    pub alpha: f64,
    /// Probability of accepting H0 at `elo1`.
    pub beta: f64,
    /// Whether the bounds are brought closer by the measured overshoot.
    pub overshoot: bool,
}

impl Default for SprtConfig {
    /// Normalized [0, 5] with error rates of 5 %, no overshoot correction.
    fn default() -> Self {
        Self {
            model: Model::default(),
            elo0: 0.0,
            elo1: 5.0,
            alpha: 0.05,
            beta: 0.05,
            overshoot: false,
        }
    }
}

/// The largest bound, in Elo of any model but the normalized one. 4000 logistic Elo is a score of
/// one half point in 10^10 games.
pub(super) const MAX_BOUND: f64 = 4000.0;

/// The largest bound in normalized Elo. Up to it, simulated tests keep their
/// error rates. From 231 on, the most likely distribution of a bound jumps from
/// one local optimum to another while results come in: of tests of [220, 240]
/// at 240, 27 % pass.
const MAX_NORMALIZED_BOUND: f64 = 230.0;

/// Why a test is impossible.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SprtError {
    #[error("elo0 ({elo0}) must be less than elo1 ({elo1}); H0 is the weaker hypothesis")]
    Order { elo0: f64, elo1: f64 },
    #[error("{name} is {value}: an error rate must lie strictly between 0 and 0.5, e.g. 0.05")]
    ErrorRate { name: &'static str, value: f64 },
    #[error(
        "alpha is {alpha} and beta is {beta}: a bound of the LLR would be infinite; use e.g. 0.05"
    )]
    InfiniteBound { alpha: f64, beta: f64 },
    #[error("{name} is {value}: a bound must be a number from -{MAX_BOUND} to {MAX_BOUND} Elo")]
    Bound { name: &'static str, value: f64 },
    #[error(
        "{name} is {value}: a bound of the normalized model must be from -{MAX_NORMALIZED_BOUND} to {MAX_NORMALIZED_BOUND} nElo, because its error rates do not hold beyond; use the logistic model, with bounds in logistic Elo"
    )]
    NormalizedBound { name: &'static str, value: f64 },
    #[error("the betting model has no overshoot correction: its error rates hold without one")]
    OvershootOfBetting,
    #[error("unknown model `{0}`: use normalized, logistic, bayesian or betting")]
    UnknownModel(String),
}

impl SprtConfig {
    /// Checks that the test is possible.
    ///
    /// # Errors
    /// If a number is not finite, a bound is beyond [`SprtConfig::max_bound`], `elo0` is
    /// not less than `elo1`, an error rate is not strictly between 0 and one
    /// half or so small that its bound is infinite, or the betting model is to be
    /// corrected for overshoot.
    pub fn validate(&self) -> Result<(), SprtError> {
        for (name, value) in [("elo0", self.elo0), ("elo1", self.elo1)] {
            if value.is_nan() || value.abs() > self.max_bound() {
                return Err(match self.model {
                    Model::Normalized if !value.is_nan() => {
                        SprtError::NormalizedBound { name, value }
                    }
                    _ => SprtError::Bound { name, value },
                });
            }
        }
        for (name, value) in [("alpha", self.alpha), ("beta", self.beta)] {
            if !(value > 0.0 && value < 0.5) {
                return Err(SprtError::ErrorRate { name, value });
            }
        }
        let (lower, upper) = self.bounds();
        if !(lower.is_finite() && upper.is_finite()) {
            let (alpha, beta) = (self.alpha, self.beta);
            return Err(SprtError::InfiniteBound { alpha, beta });
        }
        if self.elo0 >= self.elo1 {
            return Err(SprtError::Order {
                elo0: self.elo0,
                elo1: self.elo1,
            });
        }
        if self.overshoot && self.model == Model::Betting {
            return Err(SprtError::OvershootOfBetting);
        }
        Ok(())
    }

    /// The largest bound that is allowed, in the Elo of the model.
    pub fn max_bound(&self) -> f64 {
        match self.model {
            Model::Normalized => MAX_NORMALIZED_BOUND,
            Model::Logistic | Model::Bayesian | Model::Betting => MAX_BOUND,
        }
    }

    /// The expected scores of H0 and H1. Those of the normalized model depend
    /// on the variance of a unit of `games` games. Bounds of the Bayesian model
    /// have to be converted to logistic ones before.
    pub fn scores_of_bounds(&self, variance: f64, games: f64) -> [f64; 2] {
        [self.elo0, self.elo1].map(|elo| match self.model {
            Model::Normalized => 0.5 + elo / NELO_PER_SIGMA * sigma_per_game(variance, games),
            Model::Logistic | Model::Bayesian | Model::Betting => score_of_elo(elo),
        })
    }

    /// The bounds at which H0 and H1 are accepted, before any correction.
    /// Wald's for a likelihood ratio, ln(beta / (1 - alpha)) and
    /// ln((1 - beta) / alpha); Ville's for betting, ln(beta) and -ln(alpha).
    pub fn bounds(&self) -> (f64, f64) {
        if self.model == Model::Betting {
            return (self.beta.ln(), -self.alpha.ln());
        }
        (
            (self.beta / (1.0 - self.alpha)).ln(),
            ((1.0 - self.beta) / self.alpha).ln(),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impossible_tests_are_refused() {
        let good = SprtConfig::default();
        assert_eq!(good.validate(), Ok(()));
        for bad in [
            SprtConfig { elo0: 5.0, ..good },
            SprtConfig {
                elo0: f64::NAN,
                ..good
            },
            SprtConfig {
                elo1: 4001.0,
                ..good
            },
            SprtConfig { alpha: 0.0, ..good },
            SprtConfig {
                alpha: 1e-310,
                ..good
            },
            SprtConfig { beta: 0.5, ..good },
            SprtConfig {
                beta: f64::NAN,
                ..good
            },
            SprtConfig {
                model: Model::Betting,
                overshoot: true,
                ..good
            },
        ] {
            assert!(bad.validate().is_err(), "{bad:?}");
        }
    }

    #[test]
    fn normalized_bounds_end_where_the_error_rates_do() {
        let bounds = |model, elo0, elo1| {
            let config = SprtConfig {
                model,
                elo0,
                elo1,
                ..SprtConfig::default()
            };
            config.validate()
        };
        assert_eq!(bounds(Model::Normalized, -230.0, 230.0), Ok(()));
        for (elo0, elo1, name, value) in
            [(200.0, 231.0, "elo1", 231.0), (-300.0, 0.0, "elo0", -300.0)]
        {
            let refused = Err(SprtError::NormalizedBound { name, value });
            assert_eq!(bounds(Model::Normalized, elo0, elo1), refused);
            for model in [Model::Logistic, Model::Bayesian, Model::Betting] {
                assert_eq!(bounds(model, elo0, elo1), Ok(()));
            }
        }
    }

    #[test]
    fn names_round_trip() {
        for model in Model::ALL {
            assert_eq!(model.to_string().parse(), Ok(model));
            assert_eq!(
                serde_json::to_value(model).unwrap(),
                serde_json::Value::from(model.name())
            );
        }
        assert!("elo".parse::<Model>().is_err());
    }
}
