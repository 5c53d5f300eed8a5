//! The games that are being played, for those who watch them.
//!
//! A game never waits for a watcher: a worker keeps what it has to tell until
//! the place of its game is free, and a place is only taken to be copied.

use std::sync::{Arc, Mutex};
use std::time::Instant;

use serde::{Deserialize, Serialize};
use shakmaty::uci::UciMove;

/// A place for each worker's game.
#[derive(Debug, Clone, Default)]
pub(crate) struct Boards(Arc<[Mutex<Place>]>);

#[derive(Debug, Default)]
struct Place {
    game: Option<LiveGame>,
    /// Counts the changes.
    version: u64,
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
    /// Half-moves from the first position, those of the opening among them.
    pub moves: Vec<LiveMove>,
    /// Milliseconds on the clocks of White and Black; none where no clock
    /// runs.
    pub left_ms: [Option<u64>; 2],
    /// When the side to move began to think: milliseconds since 1970.
    pub thinking_since_ms: i64,
}

/// A half-move, and what its engine reported.
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
    pub score: LiveScore,
    pub depth: u32,
    pub ms: u64,
}

/// A score from the engine's own side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum LiveScore {
    Cp(i32),
    /// Full moves to the mate, below 0 if the engine is mated.
    Mate(i32),
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
            news: Vec::new(),
            begun: (Instant::now(), 0),
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
            games.extend(place.game.clone());
        }
        (version, games)
    }
}

/// A worker's side of its place.
#[derive(Debug)]
pub(crate) struct BoardWriter {
    boards: Boards,
    worker: usize,
    /// What has not been published yet.
    news: Vec<News>,
    /// When the game began, on both clocks: asking the system for the time of
    /// day at every move would cost too much.
    begun: (Instant, i64),
}

#[derive(Debug)]
enum News {
    Begun(LiveGame),
    Moved(LiveMove),
    Thinking {
        left_ms: [Option<u64>; 2],
        since_ms: i64,
    },
    Ended,
}

impl BoardWriter {
    /// A game begins.
    pub(crate) fn begin(&mut self, game: LiveGame) {
        // What was not published of the previous game is not needed now.
        self.news.clear();
        self.begun = (Instant::now(), game.thinking_since_ms);
        self.tell(News::Begun(game));
    }

    /// A move was made.
    pub(crate) fn push(&mut self, played: LiveMove) {
        self.news.push(News::Moved(played));
    }

    /// The side to move started to think at `asked`.
    pub(crate) fn thinking(&mut self, left_ms: [Option<u64>; 2], asked: Instant) {
        let (begun, begun_ms) = self.begun;
        let later = asked.saturating_duration_since(begun).as_millis();
        let since_ms = begun_ms.saturating_add(i64::try_from(later).unwrap_or(i64::MAX));
        self.tell(News::Thinking { left_ms, since_ms });
    }

    /// The game has ended.
    pub(crate) fn end(&mut self) {
        self.tell(News::Ended);
    }

    fn tell(&mut self, news: News) {
        self.news.push(news);
        let Some(Ok(mut place)) = self.boards.0.get(self.worker).map(Mutex::try_lock) else {
            return;
        };
        place.version += 1;
        for news in self.news.drain(..) {
            match (news, &mut place.game) {
                (News::Begun(game), place) => *place = Some(game),
                (News::Ended, place) => *place = None,
                (News::Moved(played), Some(game)) => game.moves.push(played),
                (News::Thinking { left_ms, since_ms }, Some(game)) => {
                    game.left_ms = left_ms;
                    game.thinking_since_ms = since_ms;
                }
                (News::Moved(_) | News::Thinking { .. }, None) => {}
            }
        }
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
