//! The games that a worker is playing, for the live pages of a run. A worker sends them
//! only while they are requested, and the server does not store them.

use std::fmt::Debug;

use serde::{Deserialize, Serialize};

use super::message::{Job, Message, Notice, Reply, Status, decode, encode};
use hone_run::executor::LiveGame;

/// Maximum number of games in a message.
pub(crate) const MAX_GAMES: usize = 16;
/// Maximum number of plies of a game in a message.
const MAX_PLIES: usize = 2000;

/// The games of a run that a worker is playing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Shown {
    /// The worker's time, in milliseconds since 1970.
    pub now_ms: i64,
    pub games: Vec<LiveGame>,
}

impl Message for Shown {
    const LIMIT: usize = 256 * 1024;

    fn check(&self) -> Result<(), &'static str> {
        let is_long = |game: &LiveGame| {
            let fen = game.fen.as_ref().map_or(0, String::len);
            game.moves.len() > MAX_PLIES || fen > 256
        };
        if self.games.len() > MAX_GAMES || self.games.iter().any(is_long) {
            Err("too many games, or a game that is too long")
        } else {
            Ok(())
        }
    }
}

impl Shown {
    /// The games with their times converted to the clock of this machine, which is at
    /// `now_ms`, in milliseconds since 1970.
    pub(crate) fn games_at(self, now_ms: i64) -> Vec<LiveGame> {
        let offset = now_ms.saturating_sub(self.now_ms);
        let mut games = self.games;
        for game in &mut games {
            game.thinking_since_ms = game.thinking_since_ms.saturating_add(offset);
        }
        games
    }
}

/// Decodes bytes as each kind of message, and returns whether one accepts them. A message that
/// is accepted does not change when it is encoded and decoded again.
///
/// # Panics
/// If it changes.
pub fn read_any_message(bytes: &[u8]) -> bool {
    let accepted = [
        read::<Job>(bytes),
        read::<Reply>(bytes),
        read::<Notice>(bytes),
        read::<Status>(bytes),
        read::<Shown>(bytes),
    ];
    accepted.contains(&true)
}

fn read<M: Message + Debug>(bytes: &[u8]) -> bool {
    let Ok(message) = decode::<M>(bytes) else {
        return false;
    };
    // Its encoding may be longer than the input, and too long.
    let Ok(again) = encode(&message) else {
        return true;
    };
    let read = decode::<M>(&again).expect("it was just written");
    assert_eq!(format!("{read:?}"), format!("{message:?}"));
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game(moves: usize) -> LiveGame {
        let moves = vec![serde_json::json!({ "uci": "e2e4" }); moves];
        serde_json::from_value(serde_json::json!({
            "pair": 3, "game": 1, "players": [1, 0], "opening": 3, "fen": null,
            "moves": moves, "left_ms": [null, 20], "thinking_since_ms": 1000
        }))
        .expect("a game")
    }

    #[test]
    fn games_are_bounded_and_clocks_are_those_of_the_reader() {
        let shown = |games| Shown {
            now_ms: 1500,
            games,
        };
        let bytes = encode(&shown(vec![game(2)])).expect("sent");
        let read: Shown = decode(&bytes).expect("read");
        assert_eq!(read.games_at(9500)[0].thinking_since_ms, 9000);
        assert!(encode(&shown(vec![game(1); MAX_GAMES + 1])).is_err());
        assert!(encode(&shown(vec![game(MAX_PLIES + 1)])).is_err());
    }
}
