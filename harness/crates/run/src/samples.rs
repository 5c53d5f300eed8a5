//! Players and results for tests.

use std::sync::Arc;

use crate::executor::Player;
use hone_uci::engine::uci::Launch;
use hone_uci::rules::{Effort, GameResult, Limit, Outcome, Termination};

/// A player that searches one node.
pub(crate) fn player(engine: usize, name: &str) -> Player {
    Player {
        engine,
        name: name.into(),
        launch: Launch::default().into(),
        program: Arc::default(),
        options: [].into(),
        limit: Limit::nodes(1).into(),
        ponder: false,
        restart: false,
    }
}

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
