//! Pairs that are played again to see whether the same games come out: on this machine in new
//! processes, on a fleet by another worker.
//!
//! With limits of nodes or depth and one thread, every process on every machine plays the same
//! games. If the second play differs from the first, a third one decides.

use sha2::{Digest, Sha256};

use super::{PairJob, Player, Rules};
use hone_experiment::PairResult;

/// One of this many pairs is played again, besides the first.
pub const ONE_IN: u64 = 50;

/// Whether a pair is one in [`ONE_IN`]. Only who has the `secret` knows which are.
pub fn is_spot(secret: &[u8], pair: u64) -> bool {
    let mut hasher = Sha256::new();
    hasher.update(b"check");
    hasher.update(secret);
    hasher.update(pair.to_le_bytes());
    let digest = hasher.finalize();
    let start = digest.first_chunk().expect("a SHA-256 has 32 bytes");
    u64::from_le_bytes(*start).is_multiple_of(ONE_IN)
}

/// Whether every process plays the same games.
pub fn is_repeatable(job: &PairJob) -> bool {
    job.players.iter().all(|player| {
        !player.limit.is_timed() && !player.ponder && has_one_thread(player, &job.rules)
    })
}

fn has_one_thread(player: &Player, rules: &Rules) -> bool {
    let options = player.all_options(rules);
    let mut threads = options
        .iter()
        .filter(|(name, _)| name.eq_ignore_ascii_case("Threads"));
    threads.all(|(_, value)| value == "1")
}

/// Whether an engine failed, also in a game that was played again. A failure, such as a crash,
/// may be that of one machine.
pub fn has_failure(result: &PairResult) -> bool {
    let mut games = result.games.iter();
    games.any(|game| {
        let mut effort = game.effort.iter();
        game.termination.is_failure() || effort.any(|side| side.replayed > 0)
    })
}

/// The digests of a pair's games.
pub fn digests(result: &PairResult) -> [u64; 2] {
    [result.games[0].digest, result.games[1].digest]
}

/// Of three plays of a pair, the index of the one that differs from two equal ones; `None` if
/// all three differ.
pub fn odd_one([first, second, third]: [[u64; 2]; 3]) -> Option<usize> {
    if second == third {
        Some(0)
    } else if first == third {
        Some(1)
    } else if first == second {
        Some(2)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_in_fifty_pairs_is_played_again() {
        let spots = (0..50_000).filter(|pair| is_spot(b"secret", *pair));
        let spots: Vec<u64> = spots.collect();
        // 1000 ± 5 standard deviations.
        assert!((843..=1157).contains(&spots.len()), "{}", spots.len());
        assert!(spots.iter().any(|pair| !is_spot(b"another", *pair)));
    }

    #[test]
    fn two_equal_plays_of_three_decide() {
        let [a, b, c] = [[1, 2], [1, 3], [4, 2]];
        for (plays, odd) in [
            ([a, b, b], Some(0)),
            ([a, b, a], Some(1)),
            ([a, a, b], Some(2)),
            ([a, b, c], None),
        ] {
            assert_eq!(odd_one(plays), odd, "{plays:?}");
        }
    }
}
