//! Checked numbers, and policies that several sections share.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

/// The policy for a game in which an engine crashes, stalls or makes an illegal move.
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

/// The policy for a pair in which an engine lost on time because the machine gave it no
/// processor time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OnMachineFault {
    /// The loss counts, and the report mentions it.
    #[default]
    Keep,
    /// The pair is played again, at most three times, then counted.
    Replay,
}

/// What a finding of rank `invalid` or `doubtful` does to the verdict of a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OnFinding {
    /// The report mentions it.
    #[default]
    Report,
    /// The verdict is withheld.
    Undecided,
}

impl OnMachineFault {
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

pub fn positive<'de, D, T>(deserializer: D) -> Result<T, D::Error>
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
    let is_allowed = |number: f64| number.is_finite() && number >= 0.0;
    number_in(deserializer, is_allowed, "a number of at least 0")
}

/// A number for which `is_allowed` holds; `allowed` describes such a number in the error.
pub(crate) fn number_in<'de, D: Deserializer<'de>>(
    deserializer: D,
    is_allowed: impl Fn(f64) -> bool,
    allowed: &str,
) -> Result<f64, D::Error> {
    let number = f64::deserialize(deserializer)?;
    if is_allowed(number) {
        return Ok(number);
    }
    Err(D::Error::custom(format!(
        "{number} is out of range: {allowed} is allowed"
    )))
}

/// Like [`amount`], for an optional value.
pub(crate) fn amount_option<'de, D>(deserializer: D) -> Result<Option<f64>, D::Error>
where
    D: Deserializer<'de>,
{
    amount(deserializer).map(Some)
}

pub fn positive_option<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: TryFrom<i64>,
{
    positive(deserializer).map(Some)
}
