//! The 960 start positions of Chess960.

use shakmaty::{CastlingMode, Chess, fen::Fen};

/// Number of start positions.
pub(crate) const COUNT: u32 = 960;

/// Start position `number` (0 to 959) by Scharnagl's numbering, in which 518
/// is that of standard chess. The remainders of the number place the bishops, the queen and
/// the knights; rook, king and rook fill the remaining squares in this order.
///
/// # Panics
/// If `number` is 960 or more.
pub fn start(number: u32) -> Chess {
    let rank = back_rank(number);
    let upper = rank.to_ascii_uppercase();
    format!("{rank}/pppppppp/8/8/8/8/PPPPPPPP/{upper} w KQkq - 0 1")
        .parse::<Fen>()
        .ok()
        .and_then(|fen| fen.into_position(CastlingMode::Chess960).ok())
        .expect("every start position is legal")
}

fn back_rank(number: u32) -> String {
    /// The places of the two knights among the five remaining squares.
    const KNIGHTS: [[usize; 2]; 10] = [
        [0, 1],
        [0, 2],
        [0, 3],
        [0, 4],
        [1, 2],
        [1, 3],
        [1, 4],
        [2, 3],
        [2, 4],
        [3, 4],
    ];
    assert!(number < COUNT, "start position {number}");
    let mut rank = [' '; 8];
    rank[(number % 4 * 2 + 1) as usize] = 'b';
    rank[(number / 4 % 4 * 2) as usize] = 'b';
    let place = |rank: &mut [char; 8], nth: usize, piece: char| {
        let free = rank.iter_mut().filter(|square| **square == ' ').nth(nth);
        *free.expect("eight pieces fill eight squares") = piece;
    };
    place(&mut rank, (number / 16 % 6) as usize, 'q');
    // The second knight first, so that the index of the first one stays valid.
    let [first, second] = KNIGHTS[(number / 96) as usize];
    place(&mut rank, second, 'n');
    place(&mut rank, first, 'n');
    for piece in ['r', 'k', 'r'] {
        place(&mut rank, 0, piece);
    }
    rank.iter().collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn known_numbers() {
        assert_eq!(back_rank(518), "rnbqkbnr");
        assert_eq!(back_rank(0), "bbqnnrkr");
        assert_eq!(back_rank(959), "rkrnnqbb");
        assert_eq!(start(518), Chess::default());
    }

    #[test]
    fn all_are_different_and_lawful() {
        let ranks: HashSet<String> = (0..COUNT).map(back_rank).collect();
        assert_eq!(ranks.len(), 960);
        for (number, rank) in (0..COUNT).map(|number| (number, back_rank(number))) {
            let bishops: Vec<usize> = rank.match_indices('b').map(|(at, _)| at).collect();
            assert_eq!((bishops[0] + bishops[1]) % 2, 1, "{rank}");
            let outline: String = rank.chars().filter(|piece| "rk".contains(*piece)).collect();
            assert_eq!(outline, "rkr");
            start(number);
        }
    }
}
