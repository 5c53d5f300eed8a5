//! A fingerprint of a game: equal for the same start, moves and result.

use sha2::{Digest, Sha256};

use crate::experiment::Outcome;

/// The first 64 bits of the SHA-256 of the start position's FEN (or
/// `startpos`), the moves in UCI notation separated by single spaces, and the
/// result, each followed by a line end.
pub fn game_digest(fen: Option<&str>, moves: &str, outcome: Outcome) -> u64 {
    let mut hasher = Sha256::new();
    for part in [fen.unwrap_or("startpos"), moves.trim(), outcome.as_str()] {
        hasher.update(part);
        hasher.update("\n");
    }
    let digest = hasher.finalize();
    u64::from_be_bytes(digest[..8].try_into().expect("a SHA-256 has 32 bytes"))
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
}
