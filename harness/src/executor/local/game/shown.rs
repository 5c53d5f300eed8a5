//! What watchers see of a game.

use std::time::Instant;

use shakmaty::CastlingMode;

use super::{Game, Unrecorded, millis, white_first};
use crate::executor::{LiveGame, LiveMove, LiveSearch};
use crate::rules::{Clock, Info};

impl Game<'_> {
    /// The game begins, with the moves of its opening.
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
        self.table.board.begin(game);
    }

    /// The side to move started to think at `asked`.
    pub(super) fn show_thinking(&mut self, asked: Instant) {
        let left = self.left_ms();
        self.table.board.thinking(left, asked);
    }

    fn left_ms(&self) -> [Option<u64>; 2] {
        let left = |clock: &Clock| Some(clock.shown()?.left_ms);
        white_first(self.clocks.as_ref().map(left))
    }
}

/// A move as watchers see it.
pub(super) fn live_move(last: &Unrecorded, info: &Info, mode: CastlingMode) -> LiveMove {
    LiveMove {
        uci: last.legal.to_uci(mode),
        search: info.score.map(|score| LiveSearch {
            score,
            depth: info.depth,
            ms: millis(last.used),
        }),
    }
}
