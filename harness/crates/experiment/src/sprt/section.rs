//! `[sprt]`: the sequential test.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::settings::number_in;
use hone_stats::{Model, SprtConfig};

/// The hypotheses of the sequential test and its error rates.
///
/// `remote` derives reading field by field; the section is then checked as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields, default)]
pub struct SprtSection {
    /// H0: the first engine is at most this much stronger, in the Elo of `model`.
    pub elo0: f64,
    /// H1: it is at least this much stronger.
    pub elo1: f64,
    /// Probability of accepting H1 when H0 holds.
    #[serde(deserialize_with = "error_rate")]
    pub alpha: f64,
    /// Probability of accepting H0 when H1 holds.
    #[serde(deserialize_with = "error_rate")]
    pub beta: f64,
    pub model: Model,
    /// Whether the bounds are corrected for overshoot.
    pub overshoot: bool,
    #[serde(deserialize_with = "crate::settings::positive")]
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

impl<'de> Deserialize<'de> for SprtSection {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let section = Self::deserialize(deserializer)?;
        hone_stats::Sprt::new(section.test()).map_err(D::Error::custom)?;
        Ok(section)
    }
}

impl Serialize for SprtSection {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Self::serialize(self, serializer)
    }
}

fn error_rate<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    let is_allowed = |rate: f64| rate > 0.0 && rate < 0.5;
    let allowed = "an error rate above 0 and below 0.5";
    number_in(deserializer, is_allowed, allowed)
}
