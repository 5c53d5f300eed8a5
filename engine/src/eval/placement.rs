//! Material and piece-square values, which positions keep up to date.

use super::tapered::Tapered;
use super::terms::half_board;
use super::weights::Term;
use crate::board::{Color, Role, Square};

/// For White and, with the sign turned, for Black.
static TABLE: [[[Tapered; 64]; 6]; 2] = {
    let (material, placement) = (Term::Material.weights(), Term::Placement.weights());
    let mut table = [[[Tapered::ZERO; 64]; 6]; 2];
    let mut i = 0;
    while i < 6 * 64 {
        let (role, square) = (i / 64, i % 64);
        let index = role * 32 + half_board(Square::new(square));
        let value = material[role].plus(placement[index]);
        table[0][role][square] = value;
        table[1][role][square ^ 56] = Tapered::new(-value.middlegame(), -value.endgame());
        i += 1;
    }
    table
};

/// Material and placement of one piece: positive for White, negative for Black.
pub fn piece_square(color: Color, role: Role, square: Square) -> Tapered {
    TABLE[color.index()][role.index()][square.index()]
}
