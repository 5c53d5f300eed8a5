//! Scores: centipawns, and mates by their distance.

pub use crate::eval::MAX_PLY;

pub const INFINITE: i32 = 32_001;
/// `-MATE` is the score of a side that is mated at the root.
pub const MATE: i32 = 32_000;
/// Minimum score of a mate.
pub const MATE_BOUND: i32 = MATE - MAX_PLY as i32;
/// Maximum score of being mated.
const MATED_BOUND: i32 = -MATE_BOUND;
pub const DRAW: i32 = 0;

/// The score of being mated `ply` plies from the root.
pub const fn mated_in(ply: usize) -> i32 {
    -MATE + ply as i32
}

/// The score of mating `ply` plies from the root.
pub const fn mate_in(ply: usize) -> i32 {
    MATE - ply as i32
}

pub const fn is_mate(score: i32) -> bool {
    score.abs() >= MATE_BOUND
}

/// Moves to mate, negative if the side to move is mated; `None` if the score
/// is not a mate.
pub const fn moves_to_mate(score: i32) -> Option<i32> {
    match score {
        MATE_BOUND.. => Some((MATE - score + 1) / 2),
        ..=MATED_BOUND => Some(-(MATE + score) / 2),
        _ => None,
    }
}

/// A score in UCI notation.
pub fn uci(score: i32) -> String {
    match moves_to_mate(score) {
        Some(moves) => format!("mate {moves}"),
        None => format!("cp {score}"),
    }
}

/// Converts a mate score counted from the root into one counted from the node at `ply`, as
/// the table stores it: it is then valid on other paths to the node.
pub const fn to_table(score: i32, ply: usize) -> i32 {
    recount(score, ply as i32)
}

/// The reverse of [`to_table`].
pub const fn from_table(score: i32, ply: usize) -> i32 {
    recount(score, -(ply as i32))
}

const fn recount(score: i32, plies: i32) -> i32 {
    match score {
        MATE_BOUND.. => score + plies,
        ..=MATED_BOUND => score - plies,
        _ => score,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_round_trip() {
        for ply in [0, 1, 7, 60] {
            for score in [
                0,
                250,
                -250,
                mate_in(ply),
                mate_in(ply + 5),
                mated_in(ply + 4),
            ] {
                assert_eq!(from_table(to_table(score, ply), ply), score);
            }
        }
        assert_eq!(to_table(mate_in(7), 5), mate_in(2));
        assert_eq!(to_table(mated_in(8), 5), mated_in(3));
    }

    #[test]
    fn mates_are_counted_in_moves() {
        assert_eq!(moves_to_mate(mate_in(1)), Some(1));
        assert_eq!(moves_to_mate(mate_in(3)), Some(2));
        assert_eq!(moves_to_mate(mated_in(2)), Some(-1));
        assert_eq!(moves_to_mate(mated_in(0)), Some(0));
        assert_eq!(moves_to_mate(900), None);
    }
}
