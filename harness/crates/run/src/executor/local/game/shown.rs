//! A game as the live pages show it.

use std::time::Instant;

use shakmaty::CastlingMode;

use super::{Game, Unrecorded, white_first};
use crate::executor::{LiveGame, LiveMove, LiveSearch};
use hone_uci::rules::{Clock, SearchInfo, millis};

impl Game<'_> {
    /// Shows the start of the game, with the moves of its opening.
    pub(super) fn show_start(&mut self) {
        let engines = [self.white, 1 - self.white].map(|player| self.job.players[player].engine);
        let opening = self.job.opening.uci_moves().filter_map(|uci| {
            let uci = uci.parse().ok()?;
            Some(LiveMove { uci, search: None })
        });
        let game = LiveGame {
            pair: self.job.pair,
            game: self.white,
            players: engines,
            opening: self.job.opening_number,
            fen: self.job.opening.fen.as_ref().map(ToString::to_string),
            moves: opening.collect(),
            left_ms: self.left_ms(),
            thinking_since_ms: jiff::Timestamp::now().as_millisecond(),
        };
        self.resources.board.begin(game);
    }

    /// Shows that the side to move has been thinking since `since`.
    pub(super) fn show_thinking(&mut self, since: Instant) {
        let left = self.left_ms();
        self.resources.board.thinking(left, since);
    }

    fn left_ms(&self) -> [Option<u64>; 2] {
        let left = |clock: &Clock| Some(clock.shown()?.left_ms);
        white_first(self.clocks.as_ref().map(left))
    }
}

/// A move as the live pages show it.
pub(super) fn live_move(last: &Unrecorded, info: &SearchInfo, mode: CastlingMode) -> LiveMove {
    LiveMove {
        uci: last.legal.to_uci(mode),
        search: info.score.map(|score| LiveSearch {
            score,
            depth: info.depth,
            ms: millis(last.used),
        }),
    }
}
