//! The games that are being played, for live pages.
//!
//! A reader never delays a move: a worker keeps its moves while the cell of its game is
//! locked, and publishes them with the next move.

use std::sync::{Arc, Mutex};
use std::time::Instant;

use serde::{Deserialize, Serialize};
use shakmaty::uci::UciMove;

use hone_uci::rules::Score;

/// The current game of each worker.
#[derive(Debug, Clone, Default)]
pub struct Boards(Arc<[Mutex<BoardCell>]>);

#[derive(Debug, Default)]
struct BoardCell {
    game: Option<Box<ShownGame>>,
    /// Number of changes.
    version: u64,
}

/// A game in its cell. `game.thinking_since_ms` is that of the first move: the time of day
/// is computed when the game is read, not at every move.
#[derive(Debug)]
struct ShownGame {
    game: LiveGame,
    begun: Instant,
    thinking_since: Instant,
}

impl ShownGame {
    fn game(&self) -> LiveGame {
        let mut game = self.game.clone();
        let later = self.thinking_since.saturating_duration_since(self.begun);
        let later = i64::try_from(later.as_millis()).unwrap_or(i64::MAX);
        game.thinking_since_ms = game.thinking_since_ms.saturating_add(later);
        game
    }
}

/// A game that is being played.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LiveGame {
    /// Number of the pair, from 0, and of the game in it, 0 or 1.
    pub pair: u64,
    pub game: usize,
    /// Indices of White and Black among the engines.
    pub players: [usize; 2],
    /// Number of the opening in its book, from 1.
    pub opening: u64,
    /// The start position, unless it is the standard one.
    pub fen: Option<String>,
    /// Plies from the start position, those of the opening included.
    pub moves: Vec<LiveMove>,
    /// Milliseconds on the clocks of White and Black; `None` without a clock.
    pub left_ms: [Option<u64>; 2],
    /// When the side to move began to think, in milliseconds since 1970.
    pub thinking_since_ms: i64,
}

/// A ply with what the engine reported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LiveMove {
    #[serde(with = "as_text")]
    pub uci: UciMove,
    /// Absent in the opening.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub search: Option<LiveSearch>,
}

/// What an engine reported about its move, from its own side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct LiveSearch {
    pub score: Score,
    pub depth: u32,
    pub ms: u64,
}

/// A move in UCI notation.
mod as_text {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};
    use shakmaty::uci::UciMove;

    pub(super) fn serialize<S: Serializer>(uci: &UciMove, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(uci)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<UciMove, D::Error> {
        String::deserialize(from)?.parse().map_err(D::Error::custom)
    }
}

impl Boards {
    /// Boards of `workers` workers, without games.
    pub fn new(workers: usize) -> Self {
        Self((0..workers).map(|_| Mutex::default()).collect())
    }

    /// The writer of a worker, by its index.
    pub fn writer(&self, worker: usize) -> BoardWriter {
        BoardWriter {
            boards: self.clone(),
            worker,
            moves: Vec::new(),
        }
    }

    /// The games of the first `most` workers, and a version that changes with them.
    pub fn games(&self, most: usize) -> (u64, Vec<LiveGame>) {
        let mut version = 0;
        let mut games = Vec::new();
        for cell in self.0.iter().take(most) {
            // A worker that panicked has ended the run.
            let Ok(cell) = cell.lock() else { continue };
            version += cell.version;
            games.extend(cell.game.as_deref().map(ShownGame::game));
        }
        (version, games)
    }
}

/// Publishes the games of one worker.
#[derive(Debug)]
pub struct BoardWriter {
    boards: Boards,
    worker: usize,
    /// Moves that have not been published yet.
    moves: Vec<LiveMove>,
}

impl BoardWriter {
    /// Replaces the game. Between games a worker can wait for the lock.
    fn replace(&mut self, game: Option<Box<ShownGame>>) {
        self.moves.clear();
        if let Some(Ok(mut cell)) = self.boards.0.get(self.worker).map(Mutex::lock) {
            cell.version += 1;
            cell.game = game;
        }
    }

    /// Publishes the start of a game.
    pub fn begin(&mut self, game: LiveGame) {
        let begun = Instant::now();
        self.replace(Some(Box::new(ShownGame {
            game,
            begun,
            thinking_since: begun,
        })));
    }

    /// Adds a move; [`Self::thinking`] publishes it.
    pub fn push(&mut self, played: LiveMove) {
        self.moves.push(played);
    }

    /// Publishes the moves, the clocks and that the side to move has been thinking since
    /// `since`, unless a reader has the lock.
    pub fn thinking(&mut self, left_ms: [Option<u64>; 2], since: Instant) {
        let Some(Ok(mut cell)) = self.boards.0.get(self.worker).map(Mutex::try_lock) else {
            return;
        };
        cell.version += 1;
        if let Some(shown) = &mut cell.game {
            shown.game.moves.append(&mut self.moves);
            shown.game.left_ms = left_ms;
            shown.thinking_since = since;
        }
    }

    /// Removes the game, which has ended.
    pub fn end(&mut self) {
        self.replace(None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game(pair: u64) -> LiveGame {
        LiveGame {
            pair,
            game: 0,
            players: [0, 1],
            opening: 1,
            fen: None,
            moves: Vec::new(),
            left_ms: [None; 2],
            thinking_since_ms: 0,
        }
    }

    fn played(uci: &str) -> LiveMove {
        LiveMove {
            uci: uci.parse().expect("a move"),
            search: None,
        }
    }

    #[test]
    fn a_reader_does_not_delay_a_worker() {
        let boards = Boards::new(2);
        let mut writer = boards.writer(1);
        writer.begin(game(7));
        let (first, games) = boards.games(2);
        assert_eq!(games, [game(7)]);
        {
            let _reading = boards.0[1].lock().expect("not poisoned");
            writer.push(played("e2e4"));
            writer.thinking([Some(5), None], Instant::now());
        }
        assert_eq!(boards.games(2).1[0].moves, []);
        writer.push(played("e7e5"));
        writer.thinking([Some(4), None], Instant::now());
        let (second, games) = boards.games(2);
        assert_ne!(first, second);
        assert_eq!(games[0].moves, [played("e2e4"), played("e7e5")]);
        assert_eq!(games[0].left_ms, [Some(4), None]);
        assert_eq!(boards.games(1).1, [], "the first worker plays nothing");
        writer.end();
        assert_eq!(boards.games(2).1, []);
    }
}
