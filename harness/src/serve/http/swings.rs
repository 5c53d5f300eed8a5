//! The biggest swing of evaluation in each game, for finding games: read from
//! `games.pgn` when somebody asks, piece by piece, and kept from then on.

use std::time::{Duration, Instant};

use serde::Serialize;

use crate::ledger::{GAMES_PGN, GamesFile, PgnSpan};
use crate::report::html::{Swing, biggest_swing};
use crate::serve::index::GameIndex;
use crate::serve::opened::RunGames;

/// Time that an answer may take for games that have not been looked through:
/// it tells how many are left, and the next request continues there.
const BUDGET: Duration = Duration::from_millis(1500);

/// Games that are looked through before the time is looked at.
const PIECE: usize = 200;

/// Bytes of a game that are looked at.
const LONGEST: u64 = 1 << 18;

/// How many games have been looked through.
#[derive(Debug, Clone, Copy, Serialize)]
pub(super) struct Searched {
    pub games: usize,
    pub of: usize,
}

/// Looks through games for a while, unless another request is doing it.
pub(super) fn look_through(games: &RunGames) -> Searched {
    let began = Instant::now();
    let file = GamesFile::open(&games.dir.join(GAMES_PGN));
    if let (Ok(mut file), Ok(_only_one)) = (file, games.looking_through.try_lock()) {
        while began.elapsed() < BUDGET {
            let (first, places) = games.read().without_swing(PIECE);
            if places.is_empty() {
                break;
            }
            let swings = places.iter().map(|place| swing(&mut file, *place));
            let swings: Vec<Option<Swing>> = swings.collect();
            games.write().add_swings(first, swings);
        }
    }
    searched(&games.read())
}

fn searched(index: &GameIndex) -> Searched {
    let (games, of) = index.searched();
    Searched { games, of }
}

/// None of a game without scores.
fn swing(file: &mut GamesFile, game: PgnSpan) -> Option<Swing> {
    let start = PgnSpan {
        bytes: game.bytes.min(LONGEST),
        ..game
    };
    let text = file.game(start).ok()?;
    biggest_swing(&String::from_utf8_lossy(text))
}
