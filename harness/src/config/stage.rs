//! `[[stage]]`: one of several tests in a row.

use serde::{Deserialize, Serialize};

use super::engine::EngineOptions;
use crate::experiment::SprtSection;
use crate::rules::Limit;
use crate::settings::OpeningsConfig;

/// One of several tests in a row, and what differs from the one before it; of
/// the first, from `[match]` and `[sprt]`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct StageSection {
    /// What it is called in results, as in `STC`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<Limit>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub openings: Option<OpeningsConfig>,
    /// By default one more than that of the stage before, for other openings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// UCI options of all engines, as a larger `Hash`.
    #[serde(skip_serializing_if = "EngineOptions::is_empty")]
    pub options: EngineOptions,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sprt: Option<SprtSection>,
}
