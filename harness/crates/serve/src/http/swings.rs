//! The biggest swing of evaluation in each game, for searching games. Swings are computed from
//! `games.pgn` on request, piece by piece, and then kept.

use std::time::{Duration, Instant};

use serde::Serialize;

use crate::index::GameIndex;
use crate::opened::RunGames;
use hone_report::html::{Swing, biggest_swing};
use hone_run::ledger::{GAMES_PGN, GamesFile, PgnSpan};

/// Time that one request may spend on new games. Its answer has the number of remaining games,
/// and the next request continues there.
const BUDGET: Duration = Duration::from_millis(1500);

/// Number of games between two checks of the time.
const PIECE: usize = 200;

/// Maximum number of bytes read of a game.
const LONGEST: u64 = 1 << 18;

/// Progress of the search: games whose swings are known.
#[derive(Debug, Clone, Copy, Serialize)]
pub(super) struct Searched {
    pub games: usize,
    pub of: usize,
}

/// Computes swings for at most [`BUDGET`], unless another request is doing it.
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

/// The biggest swing of a game; `None` without scores.
fn swing(file: &mut GamesFile, game: PgnSpan) -> Option<Swing> {
    let start = PgnSpan {
        bytes: game.bytes.min(LONGEST),
        ..game
    };
    let text = file.game(start).ok()?;
    biggest_swing(&String::from_utf8_lossy(text))
}
