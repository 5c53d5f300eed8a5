//! Material and piece-square values, updated incrementally by positions.
//!
//! The value of a piece on a square depends on both kings: for each, the board is mirrored
//! so that the king stands on the right half. Positions keep the sums for both halves, so
//! that nothing is recomputed when a king crosses the board.

use super::tapered::Tapered;
use super::terms::{Feature, Sink};
use super::weights::Term;
use crate::board::{Color, Position, Role, Square};

/// Contribution of a piece to White's advantage, by king (White's first) and by the half of
/// the board on which that king stands (left first).
type Shares = [[Tapered; 2]; 2];

/// Sums over the pieces of a position.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Placement(Shares);

impl Placement {
    pub fn add(&mut self, color: Color, role: Role, square: Square) {
        self.change(shares(color, role, square), Tapered::plus);
    }

    pub fn remove(&mut self, color: Color, role: Role, square: Square) {
        self.change(shares(color, role, square), |sum, share| sum - share);
    }

    fn change(&mut self, shares: &Shares, change: impl Fn(Tapered, Tapered) -> Tapered) {
        let sums = self.0.as_flattened_mut().iter_mut();
        for (sum, share) in sums.zip(shares.as_flattened()) {
            *sum = change(*sum, *share);
        }
    }

    /// White's advantage with the kings on their squares.
    pub(super) fn total(&self, position: &Position) -> Tapered {
        let [white, black] = Color::BOTH.map(|color| {
            let half = usize::from(position.king(color).file() > 3);
            self.0[color.index()][half]
        });
        white + black
    }
}

/// The same as a feature for each piece.
pub(super) fn features(position: &Position, features: &mut Vec<Feature>) {
    for square in position.occupied() {
        if let Some((color, role)) = position.piece_at(square) {
            let seen_from = |king: Square| {
                let mirror = if king.file() > 3 { 0 } else { 7 };
                let square = Square::new(square.index() ^ mirror);
                role.index() * 64 + square.relative(color).index()
            };
            features.add(color, Term::Material, role.index(), 1);
            features.add(color, Term::Placement, seen_from(position.king(color)), 1);
            features.add(color, Term::Facing, seen_from(position.king(!color)), 1);
        }
    }
}

static TABLE: [[[Shares; 64]; 6]; 2] = {
    let (material, own) = (Term::Material.weights(), Term::Placement.weights());
    let facing = Term::Facing.weights();
    let mut table = [[[[[Tapered::ZERO; 2]; 2]; 64]; 6]; 2];
    let mut i = 0;
    while i < 6 * 64 * 2 {
        let (role, square, half) = (i / 128, i / 2 % 64, i % 2);
        let seen = role * 64 + (square ^ (7 * (1 - half)));
        let value = material[role].plus(own[seen]);
        table[0][role][square][0][half] = value;
        table[0][role][square][1][half] = facing[seen];
        table[1][role][square ^ 56][1][half] = value.negated();
        table[1][role][square ^ 56][0][half] = facing[seen].negated();
        i += 1;
    }
    table
};

fn shares(color: Color, role: Role, square: Square) -> &'static Shares {
    &TABLE[color.index()][role.index()][square.index()]
}
