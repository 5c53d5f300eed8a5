//! `[track]` of a configuration.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

/// Which history is followed and what is played every night.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrackSection {
    /// The commit, tag or branch whose first-parent history is followed.
    #[serde(default = "head")]
    pub branch: String,
    /// Only commits that change something in these paths count; all, if there
    /// are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
    /// The commit that always has Elo 0.
    pub anchor: String,
    /// Which tags are releases, as a pattern; none if empty.
    #[serde(default = "any")]
    pub releases: String,
    /// Pairs against each opponent.
    #[serde(default = "pairs", deserialize_with = "crate::settings::positive")]
    pub pairs: u64,
    /// Mean number of nights without any change until a regression is reported
    /// wrongly, at least.
    #[serde(default = "false_alarm_nights", deserialize_with = "several")]
    pub false_alarm_nights: u64,
}

fn head() -> String {
    "HEAD".to_string()
}

fn any() -> String {
    "*".to_string()
}

fn pairs() -> u64 {
    200
}

/// [`TrackSection::false_alarm_nights`] where it is not said: ten years.
pub(crate) fn false_alarm_nights() -> u64 {
    3650
}

fn several<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    let nights = crate::settings::positive(deserializer)?;
    if nights < 500 {
        return Err(D::Error::custom(format!(
            "{nights} is out of range: a whole number of at least 500 is allowed"
        )));
    }
    Ok(nights)
}
