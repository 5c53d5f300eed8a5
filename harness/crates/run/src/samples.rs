//! Results for tests.

use hone_uci::rules::{Effort, GameResult, Outcome, Termination};

/// A drawn game of nine plies with this digest.
pub(crate) fn drawn_game(digest: u64) -> GameResult {
    GameResult {
        outcome: Outcome::Draw,
        termination: Termination::Repetition,
        plies: 9,
        ms: [0; 2],
        nodes: [0; 2],
        effort: [Effort::default(); 2],
        digest,
        line: None,
    }
}
