//! What an executor needs to play a pair, and what it returns.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::ProgramFile;
use hone_experiment::PairResult;
use hone_experiment::settings::{OnFailure, OnMachineFault};
use hone_uci::engine::uci::{Launch, options_for};
use hone_uci::openings::{Opening, Variant};
use hone_uci::rules::{Adjudication, Detail, Limit, RecordStyle};

/// One of the two players of a pair.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Player {
    /// Index in the configuration.
    pub engine: usize,
    pub name: Arc<str>,
    pub launch: Arc<Launch>,
    /// The identity of the program that `launch` starts.
    #[serde(default)]
    pub program: Arc<ProgramFile>,
    /// All UCI options to set, in order.
    pub options: Arc<[(String, String)]>,
    pub limit: Arc<Limit>,
    pub ponder: bool,
    /// Whether the engine is restarted for each game.
    pub restart: bool,
}

impl Player {
    /// All options that the engine is sent: those for the variant and for pondering, then
    /// its own.
    pub fn all_options(&self, rules: &Rules) -> Vec<(String, String)> {
        options_for(rules.variant, self.ponder, &self.options)
    }
}

/// The rules that all pairs of a run share.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Rules {
    pub variant: Variant,
    pub margin_ms: u64,
    pub stall_ms: u64,
    pub startup_ms: u64,
    pub adjudication: Adjudication,
    pub record: RecordStyle,
    pub on_failure: OnFailure,
    #[serde(default, skip_serializing_if = "OnMachineFault::is_default")]
    pub on_machine_fault: OnMachineFault,
}

/// A pair to play: by this process, by another machine or by a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PairJob {
    /// Number of the pair, from 0.
    pub pair: u64,
    /// The first has White in the first game.
    pub players: [Player; 2],
    pub opening: Opening,
    /// Number of the opening in its book, from 1.
    pub opening_number: u64,
    pub rules: Arc<Rules>,
    /// Seed of the run, for executors that draw results from a model.
    pub seed: u64,
}

/// A game's texts for the record.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GameText {
    pub pgn: String,
    /// The final position as an EPD line; empty without the setting `epd`.
    pub epd: String,
    /// More about its end.
    pub detail: Detail,
}

/// A pair that has been played.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlayedPair {
    pub result: PairResult,
    pub opening_number: u64,
    pub texts: [GameText; 2],
    /// Number of the worker that played it.
    pub worker: usize,
    /// When it finished, in milliseconds since 1970.
    pub finished_ms: i64,
}

/// The evidence of an engine's failure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evidence {
    /// Number of the pair, from 0, and of the game in it, 0 or 1.
    pub pair: u64,
    pub game: usize,
    /// Names and contents of its files.
    pub files: Vec<(&'static str, String)>,
}
