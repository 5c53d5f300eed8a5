//! The configuration of a run, read from TOML: errors have file, line and the allowed values,
//! and all defaults are filled in.

#![cfg_attr(not(test), warn(clippy::expect_used, clippy::indexing_slicing))]
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects, clippy::cast_possible_truncation))]

mod assigned_keys;
mod assignment;
mod castling;
mod draft;
mod engine;
mod error;
mod file_text;
mod fleet;
mod load;
mod match_;
mod names;
mod parse_error;
mod places;
mod profile;
mod stage;
mod tables;
mod track;
mod wording;

use serde::{Deserialize, Serialize};

use assigned_keys::AssignedKeys;
pub use assignment::Level;
pub use draft::Draft;
pub use engine::{EngineConfig, EngineOptions};
pub use fleet::FleetSection;
pub use fleet::{WorkerPattern, is_fleet_name};
pub use load::load;
pub use match_::{
    MAX_CONCURRENCY, MatchConfig, Tournament, check_concurrency, default_concurrency,
};
pub use parse_error::{document, of_value};
pub use places::place_of;
pub use profile::Profile;
pub use stage::StageSection;
pub use track::{Role, TrackSection, false_alarm_nights};
pub(crate) use wording::ESCAPE_HELP;

use hone_experiment::SprtSection;
use hone_experiment::bisect::BisectSection;
use hone_experiment::tune::TuneSection;
use hone_uci::rules::{Adjudication, Limit, RecordStyle};

/// A complete configuration. Keys that are absent in the file have their defaults.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// The engines; the first is the one under test.
    #[serde(default, deserialize_with = "engine::checked")]
    pub engine: Vec<EngineConfig>,
    /// How they play.
    #[serde(default)]
    pub r#match: MatchConfig,
    #[serde(default)]
    pub adjudication: Adjudication,
    /// What is recorded of each game.
    #[serde(default)]
    pub pgn: RecordStyle,
    /// The sequential test of `hone sprt`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sprt: Option<SprtSection>,
    /// The stages of a test, played one after another.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stage: Vec<StageSection>,
    /// The tuning of `hone tune`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tune: Option<TuneSection>,
    /// The change that `hone bisect` looks for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bisect: Option<BisectSection>,
    /// How it is played on the workers of a fleet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fleet: Option<FleetSection>,
    /// What `hone track` does every night.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub track: Option<TrackSection>,
    #[serde(skip)]
    pub assigned: AssignedKeys,
}

impl Config {
    /// Whether any engine can lose on time.
    pub fn is_timed(&self) -> bool {
        let mut engines = self.engine.iter();
        engines.any(|engine| self.limit_of(engine).is_timed())
    }

    /// The limit of an engine's searches: its own, or that of all engines.
    pub fn limit_of<'a>(&'a self, engine: &'a EngineConfig) -> &'a Limit {
        engine.limit.as_ref().unwrap_or(&self.r#match.limit)
    }

    /// Gives every engine the same limit.
    pub fn set_limit(&mut self, limit: Limit) {
        self.r#match.limit = limit;
        for engine in &mut self.engine {
            engine.limit = None;
        }
    }
}
