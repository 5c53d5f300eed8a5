//! `[sprt]`: the sequential test.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use crate::stats::{Model, SprtConfig};

/// The hypotheses of the sequential test and its error rates.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Raw")]
pub struct SprtSection {
    /// H0: the first engine is no more than this stronger, in the Elo of
    /// `model`.
    pub elo0: f64,
    /// H1: it is at least this much stronger.
    pub elo1: f64,
    /// Probability of accepting H1 when H0 holds.
    pub alpha: f64,
    /// Probability of accepting H0 when H1 holds.
    pub beta: f64,
    pub model: Model,
    /// Whether the bounds are corrected for overshoot.
    pub overshoot: bool,
    pub max_pairs: u64,
}

impl Default for SprtSection {
    fn default() -> Self {
        Self {
            elo0: 0.0,
            elo1: 5.0,
            alpha: 0.05,
            beta: 0.05,
            model: Model::Normalized,
            overshoot: false,
            max_pairs: 20_000,
        }
    }
}

impl SprtSection {
    /// The test without its budget.
    pub fn test(&self) -> SprtConfig {
        SprtConfig {
            model: self.model,
            elo0: self.elo0,
            elo1: self.elo1,
            alpha: self.alpha,
            beta: self.beta,
            overshoot: self.overshoot,
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Raw {
    elo0: f64,
    elo1: f64,
    #[serde(deserialize_with = "error_rate")]
    alpha: f64,
    #[serde(deserialize_with = "error_rate")]
    beta: f64,
    model: Model,
    overshoot: bool,
    #[serde(deserialize_with = "super::play::positive")]
    max_pairs: u64,
}

impl Default for Raw {
    fn default() -> Self {
        let SprtSection {
            elo0,
            elo1,
            alpha,
            beta,
            model,
            overshoot,
            max_pairs,
        } = SprtSection::default();
        Self {
            elo0,
            elo1,
            alpha,
            beta,
            model,
            overshoot,
            max_pairs,
        }
    }
}

impl TryFrom<Raw> for SprtSection {
    type Error = String;

    fn try_from(raw: Raw) -> Result<Self, String> {
        let section = Self {
            elo0: raw.elo0,
            elo1: raw.elo1,
            alpha: raw.alpha,
            beta: raw.beta,
            model: raw.model,
            overshoot: raw.overshoot,
            max_pairs: raw.max_pairs,
        };
        crate::stats::Sprt::new(section.test()).map_err(|error| error.to_string())?;
        Ok(section)
    }
}

fn error_rate<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    let rate = f64::deserialize(deserializer)?;
    if !(rate > 0.0 && rate < 0.5) {
        return Err(D::Error::custom(format!(
            "{rate} is out of range: an error rate above 0 and below 0.5 is allowed"
        )));
    }
    Ok(rate)
}
