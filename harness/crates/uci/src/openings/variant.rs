//! Standard chess or Chess960.

use serde::{Deserialize, Serialize};
use shakmaty::{CastlingMode, Chess, FromSetup, Setup};

/// The rules that a book and its games follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Variant {
    #[default]
    Standard,
    Chess960,
}

impl Variant {
    /// The corresponding mode of shakmaty.
    pub fn castling_mode(self) -> CastlingMode {
        match self {
            Variant::Standard => CastlingMode::Standard,
            Variant::Chess960 => CastlingMode::Chess960,
        }
    }
}

/// The standard starting position, with castling moves in the form of `mode`.
pub fn usual_start(mode: CastlingMode) -> Chess {
    Chess::from_setup(Setup::initial(), mode).expect("both kinds of chess have this position")
}
