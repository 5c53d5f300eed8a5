//! `[[stage]]`: a stage of a test.

use serde::{Deserialize, Serialize};

use super::engine::EngineOptions;
use hone_experiment::SprtSection;
use hone_experiment::settings::OpeningsConfig;
use hone_uci::rules::Limit;

/// A stage of a test: the differences from the previous stage, or for the first one from
/// `[match]` and `[sprt]`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct StageSection {
    /// Its name in results, such as `STC`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<Limit>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub openings: Option<OpeningsConfig>,
    /// By default one more than that of the previous stage, for other openings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// UCI options of all engines, such as a larger `Hash`.
    #[serde(skip_serializing_if = "EngineOptions::is_empty")]
    pub options: EngineOptions,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sprt: Option<SprtSection>,
}
