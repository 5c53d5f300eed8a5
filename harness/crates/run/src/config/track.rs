//! `[track]` of a configuration.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

/// The tracked history and the matches of every night.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrackSection {
    /// The commit, tag or branch whose first-parent history is followed.
    #[serde(default = "head")]
    pub branch: String,
    /// Only commits that change something in these paths count; all commits if it is empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
    /// The commit that always has Elo 0.
    pub anchor: String,
    /// Pattern of the tags that are releases; none if empty.
    #[serde(default = "any")]
    pub releases: String,
    /// Pairs against each opponent.
    #[serde(default = "pairs", deserialize_with = "hone_experiment::settings::positive")]
    pub pairs: u64,
    /// Minimum mean number of nights without any change until a false alarm.
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

/// Default of [`TrackSection::false_alarm_nights`]: ten years.
pub fn false_alarm_nights() -> u64 {
    3650
}

fn several<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    let nights = hone_experiment::settings::positive(deserializer)?;
    if nights < 500 {
        return Err(D::Error::custom(format!(
            "{nights} is out of range: a whole number of at least 500 is allowed"
        )));
    }
    Ok(nights)
}
