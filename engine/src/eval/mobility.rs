//! What each side attacks, and how freely its pieces stand.

use super::terms::Sink;
use super::weights::Term;
use crate::board::{Bitboard, Color, Position, Role, attacks};

/// What one side attacks.
#[derive(Clone, Copy, Default)]
pub(super) struct Attacks {
    by_role: [Bitboard; 6],
    pub(super) all: Bitboard,
    /// Attacked at least twice.
    pub(super) twice: Bitboard,
    /// Pieces that attack near the enemy king, and the squares they attack
    /// there, by role.
    pub(super) king_attackers: [u8; 6],
    pub(super) king_attacks: [u8; 6],
    /// What alone stands between the king and an enemy slider.
    pub(super) blockers: Bitboard,
}

impl Attacks {
    /// Attacks of king and pawns; those of the pieces are added by
    /// [`mobility`].
    pub(super) fn new(position: &Position, us: Color) -> Attacks {
        let mut own = Attacks {
            blockers: position.blockers(us),
            ..Attacks::default()
        };
        let pawns = position.pieces(us, Role::Pawn);
        own.add(Role::Pawn, attacks::pawns(us, pawns));
        let front = pawns.forward(us);
        own.twice |= front.west() & front.east();
        own.add(Role::King, attacks::king(position.king(us)));
        own
    }

    pub(super) fn by(&self, role: Role) -> Bitboard {
        self.by_role[role.index()]
    }

    fn add(&mut self, role: Role, set: Bitboard) {
        self.twice |= self.all & set;
        self.all |= set;
        self.by_role[role.index()] |= set;
    }
}

/// One side of a position, with what both attack.
pub(super) struct Side<'a> {
    pub(super) position: &'a Position,
    pub(super) us: Color,
    pub(super) own: &'a Attacks,
    pub(super) enemy: &'a Attacks,
}

/// The squares near the king of `color` that attackers are counted on.
fn king_zone(position: &Position, color: Color) -> Bitboard {
    let king = Bitboard::of(position.king(color));
    let around = attacks::king(position.king(color)) | king;
    around | around.forward(color)
}

/// Adds the attacks of the pieces of `us`, and finds how freely they stand.
pub(super) fn mobility(
    position: &Position,
    us: Color,
    own: &mut Attacks,
    enemy_pawn_attacks: Bitboard,
    sink: &mut impl Sink,
) {
    let king = position.king(us);
    let occupied = position.occupied();
    let blocked = position.pieces(us, Role::Pawn) & occupied.forward(!us);
    let area = !(enemy_pawn_attacks | blocked | Bitboard::of(king));
    let zone = king_zone(position, !us);
    // Sliders see through those that move the same way.
    let past_queens = occupied ^ position.role(Role::Queen);
    let past_rooks = past_queens ^ position.pieces(us, Role::Rook);
    for role in [Role::Knight, Role::Bishop, Role::Rook, Role::Queen] {
        let through = match role {
            Role::Bishop => past_queens,
            Role::Rook => past_rooks,
            _ => occupied,
        };
        for square in position.pieces(us, role) {
            let mut reach = attacks::piece(role, square, through);
            if own.blockers.contains(square) {
                reach &= attacks::line(king, square);
            }
            own.add(role, reach);
            let near_king = reach & zone;
            if near_king.any() {
                own.king_attackers[role.index()] += 1;
                own.king_attacks[role.index()] += near_king.count() as u8;
            }
            let count = (reach & area).count();
            match role {
                Role::Knight => sink.add(us, Term::KnightMobility, count, 1),
                Role::Bishop => sink.add(us, Term::BishopMobility, count, 1),
                Role::Rook => sink.add(us, Term::RookMobility, count, 1),
                _ => sink.add(us, Term::QueenMobility, count, 1),
            }
        }
    }
}
