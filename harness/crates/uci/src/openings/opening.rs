//! The start of a game.

#![cfg_attr(not(test), warn(clippy::expect_used, clippy::indexing_slicing))]
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects, clippy::cast_possible_truncation))]

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use shakmaty::{
    Chess, EnPassantMode, Position,
    fen::Fen,
    uci::{IllegalUciMoveError, ParseUciMoveError, UciMove},
};
use thiserror::Error;

use super::Variant;
use super::epd::{LineError, PositionLine};
use super::variant::usual_start;
use crate::rules::{STANDARD_START, legal_move};

/// The start of a game: a position, or moves from a position. Cheap to clone.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct Opening {
    /// The position as a normalised six-field FEN; `None` is the standard starting position.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fen: Option<Arc<str>>,
    /// Moves played from it, in UCI notation, separated by single spaces. In
    /// Chess960 castling is written as the king taking its own rook.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub moves: Arc<str>,
}

/// The reason why an opening cannot be played. An opening of a [`Book`](super::Book) always
/// can; one from a message or a file of a run may not.
#[derive(Debug, Error)]
pub enum StartError {
    #[error("opening \"{fen}\": {source}")]
    Position { fen: Arc<str>, source: LineError },
    #[error("opening move {ply} (\"{text}\"): {source}")]
    Notation {
        ply: usize,
        text: String,
        source: ParseUciMoveError,
    },
    #[error("opening move {ply} (\"{text}\"): {source}")]
    Illegal {
        ply: usize,
        text: String,
        source: IllegalUciMoveError,
    },
}

impl Opening {
    /// The opening with this position and no moves.
    pub fn from_position(position: &Chess) -> Self {
        let fen = normalised_fen(position);
        Self {
            fen: (fen != STANDARD_START).then(|| fen.into()),
            moves: Arc::from(""),
        }
    }

    /// FEN of the position before [`Opening::moves`], all six fields.
    pub fn start_fen(&self) -> &str {
        self.fen.as_deref().unwrap_or(STANDARD_START)
    }

    /// The moves, in UCI notation.
    pub fn uci_moves(&self) -> impl Iterator<Item = &str> {
        self.moves.split_ascii_whitespace()
    }

    /// Number of plies given as moves (a position given as FEN has 0).
    pub fn plies(&self) -> usize {
        self.uci_moves().count()
    }

    /// The position before the first move of the opening.
    ///
    /// # Errors
    /// [`StartError::Position`] if the FEN is not a legal position.
    pub fn start(&self, variant: Variant) -> Result<Chess, StartError> {
        match &self.fen {
            None => Ok(usual_start(variant.castling_mode())),
            Some(fen) => PositionLine::parse(fen.as_bytes())
                .and_then(|line| line.position(variant))
                .map_err(|source| StartError::Position {
                    fen: Arc::clone(fen),
                    source,
                }),
        }
    }

    /// The position after the moves, in which the engines start to play.
    ///
    /// # Errors
    /// If the FEN or one of the moves is not legal.
    pub fn position(&self, variant: Variant) -> Result<Chess, StartError> {
        let mut position = self.start(variant)?;
        for (index, text) in self.uci_moves().enumerate() {
            let ply = index.saturating_add(1);
            let uci: UciMove = text.parse().map_err(|source| StartError::Notation {
                ply,
                text: text.to_owned(),
                source,
            })?;
            let legal = legal_move(&uci, &position).map_err(|source| StartError::Illegal {
                ply,
                text: text.to_owned(),
                source,
            })?;
            position.play_unchecked(legal);
        }
        Ok(position)
    }
}

/// Six-field FEN with an en passant square only where the capture is legal,
/// so that equal positions have equal text.
pub(super) fn normalised_fen(position: &Chess) -> String {
    Fen::from_position(position, EnPassantMode::Legal).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn start_is_written_without_fen() {
        let opening = Opening::from_position(&Chess::default());
        assert_eq!(opening, Opening::default());
        assert_eq!(opening.start_fen(), STANDARD_START);
        assert_eq!(serde_json::to_string(&opening).unwrap(), "{}");
    }

    #[test]
    fn moves_lead_to_the_position() {
        let opening = Opening {
            fen: None,
            moves: "e2e4 c7c5 g1f3".into(),
        };
        let fen = normalised_fen(&opening.position(Variant::Standard).unwrap());
        assert_eq!(
            fen,
            "rnbqkbnr/pp1ppppp/8/2p5/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2"
        );
        assert_eq!(opening.plies(), 3);
    }

    #[test]
    fn illegal_move_is_named() {
        let opening = Opening {
            fen: None,
            moves: "e2e4 e7e4".into(),
        };
        let message = opening.position(Variant::Standard).unwrap_err().to_string();
        assert!(message.contains("opening move 2 (\"e7e4\")"), "{message}");
    }

    #[test]
    fn travels_through_json() {
        let opening = Opening {
            fen: Some("4k3/8/8/8/8/8/4P3/4K3 w - - 5 9".into()),
            moves: "e2e4".into(),
        };
        let text = serde_json::to_string(&opening).unwrap();
        assert_eq!(serde_json::from_str::<Opening>(&text).unwrap(), opening);
    }
}
