//! Checked numbers, and what several sections name alike.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

/// What happens to a game in which an engine crashes, stalls or makes an
/// illegal move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OnFailure {
    /// The engine loses it and the run continues.
    #[default]
    Count,
    /// It is played again, at most three times, then counted.
    Replay,
    /// The run stops; it can be resumed.
    Stop,
}

/// What happens to a pair in which an engine lost on time because the machine
/// gave it no processor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OnMachineFault {
    /// The loss counts, and the report names it.
    #[default]
    Keep,
    /// The pair is played again, at most three times, then counted.
    Replay,
}

impl OnMachineFault {
    pub(crate) fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

pub(crate) fn positive<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: TryFrom<i64>,
{
    let number = i64::deserialize(deserializer)?;
    if number < 1 {
        return Err(D::Error::custom(format!(
            "{number} is out of range: a whole number of at least 1 is allowed"
        )));
    }
    T::try_from(number).map_err(|_| D::Error::custom(format!("{number} is too large")))
}

/// A number that is finite and not negative.
fn amount<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    let number = f64::deserialize(deserializer)?;
    if number.is_finite() && number >= 0.0 {
        return Ok(number);
    }
    Err(D::Error::custom(format!(
        "{number} is out of range: a number of at least 0 is allowed"
    )))
}

/// As [`amount`], of a value that may be absent.
pub(crate) fn amount_option<'de, D>(deserializer: D) -> Result<Option<f64>, D::Error>
where
    D: Deserializer<'de>,
{
    amount(deserializer).map(Some)
}

pub(crate) fn positive_option<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: TryFrom<i64>,
{
    positive(deserializer).map(Some)
}
