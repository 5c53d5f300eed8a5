//! Digests of games: equal for the same start position, moves and result.

use sha2::{Digest, Sha256};

use super::without_counters;
use crate::rules::Outcome;

/// Computes the digests of a game while it is played.
///
/// [`Digests::game`] is the first 64 bits of the SHA-256 of the start position's FEN (or
/// `startpos`), the moves in UCI notation separated by single spaces, and the result, each
/// followed by a line end. [`Digests::line`] is the same without the move counters of the
/// FEN.
#[derive(Debug, Clone)]
pub struct GameDigest {
    hasher: Sha256,
    /// `None` without a FEN: the digests are equal.
    line: Option<Sha256>,
    /// Whether a move was added.
    started: bool,
}

/// The digests of a finished game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Digests {
    pub game: u64,
    pub line: u64,
}

impl GameDigest {
    /// The digest of a game from a position in FEN; `None` is the standard start position.
    pub fn new(fen: Option<&str>) -> Self {
        let begin = |start: &[u8]| {
            let mut hasher = Sha256::new();
            hasher.update(start);
            hasher.update("\n");
            hasher
        };
        Self {
            hasher: begin(fen.unwrap_or("startpos").as_bytes()),
            line: fen.map(|fen| begin(without_counters(fen.as_bytes()))),
            started: false,
        }
    }

    /// Adds moves, each with a leading space, which is optional before the first.
    pub fn push(&mut self, moves: &[u8]) {
        let moves = if self.started {
            moves
        } else {
            moves.trim_ascii_start()
        };
        self.started |= !moves.is_empty();
        self.hasher.update(moves);
        if let Some(line) = &mut self.line {
            line.update(moves);
        }
    }

    /// Adds the result and returns the digests.
    pub fn finish(self, outcome: Outcome) -> Digests {
        let game = end(self.hasher, outcome);
        Digests {
            game,
            line: self.line.map_or(game, |line| end(line, outcome)),
        }
    }
}

fn end(mut hasher: Sha256, outcome: Outcome) -> u64 {
    for part in ["\n", outcome.as_str(), "\n"] {
        hasher.update(part);
    }
    let digest = hasher.finalize();
    u64::from_be_bytes(digest[..8].try_into().expect("a SHA-256 has 32 bytes"))
}

/// The digests of a finished game; see [`GameDigest`].
pub fn game_digests(fen: Option<&str>, moves: &str, outcome: Outcome) -> Digests {
    let mut digest = GameDigest::new(fen);
    digest.push(moves.trim().as_bytes());
    digest.finish(outcome)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_matters() {
        let digest = game_digests(None, "e2e4 e7e5", Outcome::White);
        // printf 'startpos\ne2e4 e7e5\n1-0\n' | sha256sum
        assert_eq!(digest, game_digests(None, " e2e4 e7e5 ", Outcome::White));
        assert_ne!(digest, game_digests(None, "e2e4 e7e6", Outcome::White));
        assert_ne!(digest, game_digests(None, "e2e4 e7e5", Outcome::Draw));
        assert_ne!(digest, game_digests(Some("x"), "e2e4 e7e5", Outcome::White));
    }

    #[test]
    fn move_counters_do_not_change_the_line_digest() {
        let digests = |fen| {
            let mut digest = GameDigest::new(fen);
            digest.push(b"e2e4 e7e5");
            digest.finish(Outcome::White)
        };
        let position = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";
        let [one, other] = ["0 1", "7 30"].map(|counters| format!("{position} {counters}"));
        let [one, other] = [&one, &other].map(|fen| digests(Some(fen)));
        assert_ne!(one.game, other.game);
        assert_eq!(one.line, other.line);
        let start = digests(None);
        assert_eq!(start.line, start.game);
    }

    #[test]
    fn moves_may_come_one_by_one() {
        let mut digest = GameDigest::new(None);
        for moves in ["", " e2e4", "", " e7e5 g1f3"] {
            digest.push(moves.as_bytes());
        }
        assert_eq!(
            digest.finish(Outcome::Draw),
            game_digests(None, "e2e4 e7e5 g1f3", Outcome::Draw)
        );
    }
}
