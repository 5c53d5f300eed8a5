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
    /// The roles of the opponents in the run of a night, in the order of the engines;
    /// `hone track` sets them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub roles: Vec<Role>,
}

/// The role of an opponent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The pinned reference.
    Anchor,
    /// The newest release before it.
    Release,
    /// The build of the previous nightly.
    Previous,
}

impl Role {
    /// Its name in the table of nights.
    pub fn name(self) -> &'static str {
        match self {
            Self::Anchor => "anchor",
            Self::Release => "release",
            Self::Previous => "previous",
        }
    }

    /// The role of this name.
    pub fn named(name: &str) -> Option<Self> {
        let all = [Self::Anchor, Self::Release, Self::Previous];
        all.into_iter().find(|role| role.name() == name)
    }
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
