//! The situation in which an engine failed.

#![cfg_attr(not(test), warn(clippy::unwrap_used, clippy::expect_used))]
#![cfg_attr(not(test), warn(clippy::indexing_slicing, clippy::string_slice))]
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects, clippy::cast_possible_truncation))]

use serde::{Deserialize, Serialize};
use shakmaty::{CastlingMode, Position};

use crate::engine::uci::Launch;
use crate::rules::Referee;

/// A failure as `replay.toml` keeps it: all that is needed to put the engine
/// into it again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Situation {
    pub name: String,
    /// What went wrong, in words.
    pub failure: String,
    pub chess960: bool,
    /// The two commands it was sent; empty if it failed before the first.
    pub position: String,
    pub go: String,
    /// How a `go ponder` ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pondered: Option<Pondered>,
    /// Milliseconds it had for its answer.
    pub allowed_ms: u64,
    /// Milliseconds it may take to start and to get ready.
    pub startup_ms: u64,
    pub stall_ms: u64,
    /// All options it was given, in order.
    pub options: Vec<(String, String)>,
    pub launch: Launch,
}

/// The end of a search in the opponent's time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Pondered {
    pub end: PonderEnd,
    /// Milliseconds from the `go`.
    pub after_ms: u64,
}

/// The command that ends a search in the opponent's time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum PonderEnd {
    /// The opponent played the move that the engine expected.
    PonderHit,
    /// It played another.
    Stop,
}

impl PonderEnd {
    /// As it is sent, without a line end.
    pub(crate) fn command(self) -> &'static str {
        match self {
            Self::PonderHit => "ponderhit",
            Self::Stop => "stop",
        }
    }
}

impl Situation {
    /// The game after the `position` command. Both commands are sent as they are, so
    /// they may be nothing else.
    ///
    /// # Errors
    /// What is wrong with them, in words.
    pub(crate) fn referee(&self) -> Result<Referee, String> {
        if [&self.position, &self.go]
            .iter()
            .any(|command| command.contains(char::is_control))
        {
            return Err("the bundle's commands contain control characters".to_string());
        }
        let mode = match self.chess960 {
            true => CastlingMode::Chess960,
            false => CastlingMode::Standard,
        };
        if !self.go.starts_with("go ") {
            return Err("the bundle's search is not a `go` command".to_string());
        }
        let referee = Referee::after_command(&self.position, Some(mode))
            .map_err(|error| format!("the bundle's position: {error}"))?;
        if referee.position().legal_moves().is_empty() {
            return Err("the bundle's position has no legal move".to_string());
        }
        Ok(referee)
    }
}
