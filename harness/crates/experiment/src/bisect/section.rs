//! `[bisect]`: the change that is looked for, and when it is found.

use serde::{Deserialize, Deserializer, Serialize};

use crate::settings::number_in;

/// What `hone bisect` looks for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct BisectSection {
    /// A revision before the change.
    pub good: String,
    /// A revision after it.
    pub bad: String,
    /// Ends when a commit is the culprit with this probability.
    #[serde(deserialize_with = "probability")]
    pub probability: f64,
    /// Ends undecided after this number of pairs.
    #[serde(deserialize_with = "crate::settings::positive")]
    pub max_pairs: u64,
    /// Pairs after which the results are evaluated.
    #[serde(deserialize_with = "crate::settings::positive")]
    pub batch: u64,
    /// The smallest change that is looked for, in Elo.
    #[serde(deserialize_with = "smallest")]
    pub smallest: f64,
    /// Whether the change made the engine stronger.
    pub gained: bool,
    /// Revisions to skip, because they fail in games.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub skip: Vec<String>,
}

/// The largest change that is considered, in Elo.
pub(super) const LARGEST: f64 = 400.0;

impl Default for BisectSection {
    fn default() -> Self {
        Self {
            good: String::new(),
            bad: String::new(),
            probability: 0.95,
            max_pairs: 20_000,
            batch: 16,
            smallest: 3.0,
            gained: false,
            skip: Vec::new(),
        }
    }
}

fn probability<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    let is_allowed = |value: f64| value > 0.5 && value < 1.0;
    let allowed = "a probability above 0.5 and below 1.0";
    number_in(deserializer, is_allowed, allowed)
}

fn smallest<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    let most = LARGEST / 2.0;
    let is_allowed = |value: f64| (0.1..=most).contains(&value);
    let allowed = format!("an Elo from 0.1 to {most}");
    number_in(deserializer, is_allowed, &allowed)
}
