//! Who won a game.

use serde::{Deserialize, Serialize};
use shakmaty::Color;

/// Who won a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Outcome {
    White,
    Draw,
    Black,
}

impl Outcome {
    /// The result as PGN and the ledger write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Outcome::White => "1-0",
            Outcome::Draw => "1/2-1/2",
            Outcome::Black => "0-1",
        }
    }

    /// Parses the result of [`Self::as_str`].
    pub fn parse(text: &str) -> Option<Self> {
        let all = [Self::White, Self::Draw, Self::Black];
        all.into_iter().find(|outcome| outcome.as_str() == text)
    }

    /// The result of a game that `winner` wins.
    pub fn won_by(winner: Color) -> Self {
        winner.fold_wb(Self::White, Self::Black)
    }

    /// White's half points, 0 to 2.
    pub fn white_half_points(self) -> usize {
        match self {
            Self::White => 2,
            Self::Draw => 1,
            Self::Black => 0,
        }
    }

    /// The loser's colour: 0 for White, 1 for Black, `None` for a draw.
    pub fn loser(self) -> Option<usize> {
        match self {
            Outcome::White => Some(1),
            Outcome::Draw => None,
            Outcome::Black => Some(0),
        }
    }
}
