//! Attacks of each side, mobility of its pieces, and its attackers near the enemy king.

use super::terms::Sink;
use super::weights::Term;
use crate::board::{Bitboard, Color, Position, Role, Square, attacks};

/// The attacks of one side.
#[derive(Clone, Copy, Default)]
pub(super) struct Attacks {
    by_role: [Bitboard; 6],
    pub(super) all: Bitboard,
    /// Attacked at least twice.
    pub(super) twice: Bitboard,
    /// Pieces of both colours that alone stand between the king and an enemy slider.
    pub(super) blockers: Bitboard,
}

impl Attacks {
    /// Attacks of king and pawns; those of the pieces are added by
    /// [`mobility`].
    #[inline(always)]
    pub(super) fn new(position: &Position, us: Color) -> Attacks {
        let mut own = Attacks {
            blockers: position.blockers[us.index()],
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

/// One side of a position, with the attacks of both sides.
pub(super) struct Side<'a> {
    pub(super) position: &'a Position,
    pub(super) us: Color,
    pub(super) own: &'a Attacks,
    pub(super) enemy: &'a Attacks,
}

/// The squares near the king of `color` whose attackers are counted.
fn king_zone(position: &Position, color: Color) -> Bitboard {
    let king = Bitboard::of(position.king(color));
    let around = attacks::king(position.king(color)) | king;
    around | around.forward(color)
}

/// Adds the attacks of the pieces of `us`, their mobility, and the attackers near the enemy
/// king.
#[inline(always)]
pub(super) fn mobility(
    position: &Position,
    us: Color,
    own: &mut Attacks,
    enemy: &Attacks,
    sink: &mut impl Sink,
) {
    let (king, occupied) = (position.king(us), position.occupied());
    let blocked = position.pieces(us, Role::Pawn) & occupied.forward(!us);
    let mut pieces = Pieces {
        position,
        us,
        king,
        area: !(enemy.by(Role::Pawn) | blocked | Bitboard::of(king)),
        enemy_zone: king_zone(position, !us),
        own,
    };
    // X-rays: sliders attack through pieces that move the same way.
    let past_queens = occupied ^ position.role(Role::Queen);
    let past_rooks = past_queens ^ position.pieces(us, Role::Rook);
    pieces.add(Role::Knight, Term::KnightMobility, occupied, sink);
    pieces.add(Role::Bishop, Term::BishopMobility, past_queens, sink);
    pieces.add(Role::Rook, Term::RookMobility, past_rooks, sink);
    pieces.add(Role::Queen, Term::QueenMobility, occupied, sink);
}

/// The pieces of one side while their attacks are collected.
struct Pieces<'a> {
    position: &'a Position,
    us: Color,
    king: Square,
    /// The mobility area: squares that count as mobility.
    area: Bitboard,
    enemy_zone: Bitboard,
    own: &'a mut Attacks,
}

impl Pieces<'_> {
    /// Adds the pieces of a role; `occupied` squares block their lines.
    #[inline(always)]
    fn add(&mut self, role: Role, term: Term, occupied: Bitboard, sink: &mut impl Sink) {
        for square in self.position.pieces(self.us, role) {
            let mut reach = attacks::piece(role, square, occupied);
            if self.own.blockers.contains(square) {
                reach &= attacks::line(self.king, square);
            }
            self.own.add(role, reach);
            let near_king = reach & self.enemy_zone;
            let (attacker, squares) = (near_king.any().into(), near_king.count() as i32);
            sink.add(!self.us, Term::DangerAttacker, role.index(), attacker);
            sink.add(!self.us, Term::DangerAttacks, role.index(), squares);
            sink.add(self.us, term, (reach & self.area).count(), 1);
        }
    }
}
