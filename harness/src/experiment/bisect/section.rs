//! `[bisect]`: which change is looked for, and how surely.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

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
    /// Pairs between two looks at the results.
    #[serde(deserialize_with = "crate::settings::positive")]
    pub batch: u64,
    /// The smallest change that is looked for, in Elo.
    #[serde(deserialize_with = "smallest")]
    pub smallest: f64,
    /// Whether the change made the engine stronger.
    pub gained: bool,
    /// Revisions that do not play, because they fail in games.
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
    let value = f64::deserialize(deserializer)?;
    if !(value > 0.5 && value < 1.0) {
        return Err(D::Error::custom(format!(
            "{value} is out of range: a probability above 0.5 and below 1.0 is allowed"
        )));
    }
    Ok(value)
}

fn smallest<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    let value = f64::deserialize(deserializer)?;
    if !(0.1..=LARGEST / 2.0).contains(&value) {
        return Err(D::Error::custom(format!(
            "{value} is out of range: an Elo from 0.1 to {} is allowed",
            LARGEST / 2.0
        )));
    }
    Ok(value)
}
