//! Standard chess or Chess960.

use serde::{Deserialize, Serialize};
use shakmaty::CastlingMode;

/// The rules that a book and its games follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Variant {
    #[default]
    Standard,
    Chess960,
}

impl Variant {
    /// How shakmaty names the same thing.
    pub fn castling_mode(self) -> CastlingMode {
        match self {
            Variant::Standard => CastlingMode::Standard,
            Variant::Chess960 => CastlingMode::Chess960,
        }
    }
}
