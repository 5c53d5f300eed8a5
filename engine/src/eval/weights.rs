//! The numbers of the evaluation.

use super::tapered::Tapered;
use crate::board::{Color, Role, Square};

const fn s(middlegame: i32, endgame: i32) -> Tapered {
    Tapered::new(middlegame, endgame)
}

/// Value of each role by itself; the king's does not count.
const MATERIAL: [Tapered; 6] = [
    s(85, 110),
    s(330, 310),
    s(345, 325),
    s(480, 540),
    s(980, 980),
    s(0, 0),
];

pub(super) const BISHOP_PAIR: Tapered = s(25, 45);
pub(super) const TEMPO: Tapered = s(18, 12);

/// Material and placement, for White and, with the sign turned, for Black.
static PIECE_SQUARE: [[[Tapered; 64]; 6]; 2] = {
    let mut table = [[[Tapered::ZERO; 64]; 6]; 2];
    let mut i = 0;
    while i < 6 * 64 {
        let (role, square) = (i / 64, i % 64);
        let value = MATERIAL[role].plus(placement(role, square as i32 % 8, square as i32 / 8));
        table[0][role][square] = value;
        table[1][role][square ^ 56] = Tapered::new(-value.middlegame(), -value.endgame());
        i += 1;
    }
    table
};

/// Material and placement of one piece: positive for White, negative for Black.
pub fn piece_square(color: Color, role: Role, square: Square) -> Tapered {
    PIECE_SQUARE[color.index()][role.index()][square.index()]
}

/// What a role gains by standing on a square, as White sees it.
const fn placement(role: usize, file: i32, rank: i32) -> Tapered {
    let from_centre_file = if file < 4 { 3 - file } else { file - 4 };
    let from_centre_rank = if rank < 4 { 3 - rank } else { rank - 4 };
    let from_centre = from_centre_file + from_centre_rank;
    match role {
        0 => {
            let advance = rank - 1;
            let central = if from_centre_file == 0 {
                8 * (advance > 1 && advance < 5) as i32
            } else {
                0
            };
            s(
                2 * advance * advance + central - 2 * from_centre_file,
                4 * advance * advance - 8,
            )
        }
        1 => s(18 - 11 * from_centre + 2 * rank, 12 - 8 * from_centre),
        2 => s(
            12 - 5 * from_centre - 6 * (rank == 0) as i32,
            8 - 4 * from_centre,
        ),
        3 => s(
            18 * (rank == 6) as i32 - 3 * from_centre_file,
            8 * (rank > 4) as i32,
        ),
        4 => s(
            -2 * from_centre - 3 * (rank == 0) as i32,
            20 - 7 * from_centre,
        ),
        _ => {
            let castled = 12 * from_centre_file - 22 * rank;
            s(
                if castled < -90 { -90 } else { castled },
                30 - 13 * from_centre,
            )
        }
    }
}
