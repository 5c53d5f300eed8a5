//! The games that are being played, for those who watch them.
//!
//! A move never waits for a watcher: a worker keeps moves until the place of its
//! game is free, and a place is only taken to be copied.

use std::sync::{Arc, Mutex};
use std::time::Instant;

use serde::{Deserialize, Serialize};
use shakmaty::uci::UciMove;

use crate::rules::Score;

/// A place for each worker's game.
#[derive(Debug, Clone, Default)]
pub(crate) struct Boards(Arc<[Mutex<BoardCell>]>);

#[derive(Debug, Default)]
struct BoardCell {
    game: Option<Box<Shown>>,
    /// Counts the changes.
    version: u64,
}

/// A game in its place. `thinking_since_ms` is that of its first move: the time
/// of day is found for those who ask, not at every move.
#[derive(Debug)]
struct Shown {
    game: LiveGame,
    begun: Instant,
    thinking_since: Instant,
}

impl Shown {
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
pub(crate) struct LiveGame {
    /// Number of the pair, from 0, and of the game in it, 0 or 1.
    pub pair: u64,
    pub game: usize,
    /// Indices of White and Black among the engines.
    pub players: [usize; 2],
    /// Number of the opening in its book, from 1.
    pub opening: u64,
    /// The first position, if it is not the usual one.
    pub fen: Option<String>,
    /// Plies from the first position, those of the opening among them.
    pub moves: Vec<LiveMove>,
    /// Milliseconds on the clocks of White and Black; none where no clock
    /// runs.
    pub left_ms: [Option<u64>; 2],
    /// When the side to move began to think: milliseconds since 1970.
    pub thinking_since_ms: i64,
}

/// A ply, and what its engine reported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LiveMove {
    #[serde(with = "as_text")]
    pub uci: UciMove,
    /// Absent in the opening.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub search: Option<LiveSearch>,
}

/// What an engine reported about its move, from its own side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LiveSearch {
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
    /// Places for this many workers.
    pub(crate) fn new(workers: usize) -> Self {
        Self((0..workers).map(|_| Mutex::default()).collect())
    }

    /// What a worker writes to.
    pub(crate) fn writer(&self, worker: usize) -> BoardWriter {
        BoardWriter {
            boards: self.clone(),
            worker,
            moves: Vec::new(),
        }
    }

    /// The games of the first `most` workers, and a number that changes with
    /// them.
    pub(crate) fn games(&self, most: usize) -> (u64, Vec<LiveGame>) {
        let mut version = 0;
        let mut games = Vec::new();
        for place in self.0.iter().take(most) {
            // A worker that panicked has ended the run.
            let Ok(place) = place.lock() else { continue };
            version += place.version;
            games.extend(place.game.as_deref().map(Shown::game));
        }
        (version, games)
    }
}

/// A worker's side of its place.
#[derive(Debug)]
pub(crate) struct BoardWriter {
    boards: Boards,
    worker: usize,
    /// Moves that have not been published yet.
    moves: Vec<LiveMove>,
}

impl BoardWriter {
    fn place(&self) -> Option<&Mutex<BoardCell>> {
        self.boards.0.get(self.worker)
    }

    /// Between two games there is time to wait until the place has been copied.
    fn replace(&mut self, game: Option<Box<Shown>>) {
        self.moves.clear();
        if let Some(Ok(mut place)) = self.place().map(Mutex::lock) {
            place.version += 1;
            place.game = game;
        }
    }

    /// A game begins.
    pub(crate) fn begin(&mut self, game: LiveGame) {
        let begun = Instant::now();
        self.replace(Some(Box::new(Shown {
            game,
            begun,
            thinking_since: begun,
        })));
    }

    /// A move was made. It is published with what happens next.
    pub(crate) fn push(&mut self, played: LiveMove) {
        self.moves.push(played);
    }

    /// The side to move started to think at `since`.
    pub(crate) fn thinking(&mut self, left_ms: [Option<u64>; 2], since: Instant) {
        let Some(Ok(mut place)) = self.boards.0.get(self.worker).map(Mutex::try_lock) else {
            return;
        };
        place.version += 1;
        if let Some(shown) = &mut place.game {
            shown.game.moves.append(&mut self.moves);
            shown.game.left_ms = left_ms;
            shown.thinking_since = since;
        }
    }

    /// The game has ended.
    pub(crate) fn end(&mut self) {
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
    fn a_place_that_is_being_read_does_not_delay_others() {
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
