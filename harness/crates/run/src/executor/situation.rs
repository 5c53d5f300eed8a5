//! The situation in which an engine failed.

#![cfg_attr(not(test), warn(clippy::expect_used, clippy::indexing_slicing))]
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects, clippy::cast_possible_truncation))]

use serde::{Deserialize, Serialize};
use shakmaty::{CastlingMode, Position};

use hone_uci::engine::uci::{Launch, referee_after};
use hone_uci::rules::Referee;

/// An engine's failure in `replay.toml`, with what `hone replay` needs to repeat it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Situation {
    pub name: String,
    /// The failure as text: [`Termination::reason`](hone_uci::rules::Termination::reason).
    pub failure: String,
    pub chess960: bool,
    /// The last `position` and `go`; empty if the engine failed before its first move.
    pub position: String,
    pub go: String,
    /// How a `go ponder` ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pondered: Option<Pondered>,
    /// Number of searches of the process before this one.
    #[serde(default)]
    pub earlier_searches: u64,
    /// Time limit of the answer in milliseconds.
    pub allowed_ms: u64,
    /// As in [`Rules`](super::Rules).
    pub startup_ms: u64,
    pub stall_ms: u64,
    /// All options that the engine was sent, in order.
    pub options: Vec<(String, String)>,
    pub launch: Launch,
}

/// How a ponder search ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pondered {
    pub end: PonderEnd,
    /// Milliseconds from the `go`.
    pub after_ms: u64,
}

/// The command that ends a ponder search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PonderEnd {
    /// The opponent played the expected move.
    PonderHit,
    /// The opponent played another move.
    Stop,
}

impl PonderEnd {
    /// The command, without a line end.
    pub fn command(self) -> &'static str {
        match self {
            Self::PonderHit => "ponderhit",
            Self::Stop => "stop",
        }
    }
}

impl Situation {
    /// The game after the `position` command. Both commands are sent unchanged, so that they
    /// are checked here.
    ///
    /// # Errors
    /// A message if one of them is not a single valid command.
    pub fn referee(&self) -> Result<Referee, String> {
        if [&self.position, &self.go]
            .iter()
            .any(|command| command.contains(char::is_control))
        {
            return Err("the bundle's commands contain control characters".to_string());
        }
        let mode = if self.chess960 {
            CastlingMode::Chess960
        } else {
            CastlingMode::Standard
        };
        if !self.go.starts_with("go ") {
            return Err("the bundle's search is not a `go` command".to_string());
        }
        let referee = referee_after(&self.position, Some(mode))
            .map_err(|error| format!("the bundle's position: {error}"))?;
        if referee.position().legal_moves().is_empty() {
            return Err("the bundle's position has no legal move".to_string());
        }
        Ok(referee)
    }
}
