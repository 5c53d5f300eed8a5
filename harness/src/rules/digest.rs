//! A fingerprint of a game: equal for the same start, moves and result.

use sha2::{Digest, Sha256};

use crate::rules::Outcome;

/// The first 64 bits of the SHA-256 of the start position's FEN (or
/// `startpos`), the moves in UCI notation separated by single spaces, and the
/// result, each followed by a line end. Moves are added as they are played.
#[derive(Debug, Clone)]
pub(crate) struct GameDigest {
    hasher: Sha256,
    started: bool,
}

impl GameDigest {
    pub(crate) fn new(fen: Option<&str>) -> Self {
        let mut hasher = Sha256::new();
        hasher.update(fen.unwrap_or("startpos"));
        hasher.update("\n");
        Self {
            hasher,
            started: false,
        }
    }

    /// Adds moves: each with a space before it, which the first need not have.
    pub(crate) fn push(&mut self, moves: &[u8]) {
        let moves = if self.started {
            moves
        } else {
            moves.trim_ascii_start()
        };
        self.started |= !moves.is_empty();
        self.hasher.update(moves);
    }

    pub(crate) fn finish(mut self, outcome: Outcome) -> u64 {
        for part in ["\n", outcome.as_str(), "\n"] {
            self.hasher.update(part);
        }
        let digest = self.hasher.finalize();
        u64::from_be_bytes(digest[..8].try_into().expect("a SHA-256 has 32 bytes"))
    }
}

/// The digest of a finished game; see [`GameDigest`].
pub(crate) fn game_digest(fen: Option<&str>, moves: &str, outcome: Outcome) -> u64 {
    let mut digest = GameDigest::new(fen);
    digest.push(moves.trim().as_bytes());
    digest.finish(outcome)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_matters() {
        let digest = game_digest(None, "e2e4 e7e5", Outcome::White);
        // printf 'startpos\ne2e4 e7e5\n1-0\n' | sha256sum
        assert_eq!(digest, game_digest(None, " e2e4 e7e5 ", Outcome::White));
        assert_ne!(digest, game_digest(None, "e2e4 e7e6", Outcome::White));
        assert_ne!(digest, game_digest(None, "e2e4 e7e5", Outcome::Draw));
        assert_ne!(digest, game_digest(Some("x"), "e2e4 e7e5", Outcome::White));
    }

    #[test]
    fn moves_may_come_one_by_one() {
        let mut digest = GameDigest::new(None);
        for moves in ["", " e2e4", "", " e7e5 g1f3"] {
            digest.push(moves.as_bytes());
        }
        assert_eq!(
            digest.finish(Outcome::Draw),
            game_digest(None, "e2e4 e7e5 g1f3", Outcome::Draw)
        );
    }
}
