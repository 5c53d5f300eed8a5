//! Pieces: mobility, good squares, threats, and passed pawns on their way.

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
    /// Weighted count of pieces that attack near the enemy king, and of the
    /// squares they attack there.
    pub(super) king_attack: usize,
    pub(super) king_attackers: usize,
}

impl Attacks {
    /// Attacks of king and pawns; those of the pieces are added by
    /// [`mobility`].
    pub(super) fn new(position: &Position, us: Color) -> Attacks {
        let mut own = Attacks::default();
        own.add(
            Role::Pawn,
            attacks::pawns(us, position.pieces(us, Role::Pawn)),
        );
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

/// Weight of an attacker of the king by role.
const ATTACKER: [usize; 6] = [0, 2, 2, 3, 4, 0];

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
            if us == position.turn && position.pinned.contains(square) {
                reach &= attacks::line(king, square);
            }
            own.add(role, reach);
            let near_king = reach & zone;
            if near_king.any() {
                own.king_attackers += 1;
                own.king_attack += ATTACKER[role.index()] + near_king.count();
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

/// How well rooks stand.
pub(super) fn rooks(side: &Side, sink: &mut impl Sink) {
    let (position, us) = (side.position, side.us);
    for rook in position.pieces(us, Role::Rook) {
        let file = Bitboard::file(rook.file());
        if (file & position.pieces(us, Role::Pawn)).is_empty() {
            match (file & position.pieces(!us, Role::Pawn)).is_empty() {
                true => sink.add(us, Term::RookOpenFile, 0, 1),
                false => sink.add(us, Term::RookHalfOpenFile, 0, 1),
            }
        }
    }
}

/// How well knights and bishops stand.
pub(super) fn minors(side: &Side, sink: &mut impl Sink) {
    let (position, us) = (side.position, side.us);
    let bishops = position.pieces(us, Role::Bishop);
    let outposts = side.own.by(Role::Pawn);
    for minor in bishops | position.pieces(us, Role::Knight) {
        let front = Bitboard::of(minor).forward(us);
        let ahead = front.fill_forward(us);
        let challengers = (ahead.west() | ahead.east()) & position.pieces(!us, Role::Pawn);
        let rank = minor.relative_rank(us);
        if (3..=5).contains(&rank) && outposts.contains(minor) && challengers.is_empty() {
            sink.add(us, Term::Outpost, bishops.contains(minor).into(), 1);
        }
        if (front & position.role(Role::Pawn)).any() {
            sink.add(us, Term::MinorBehindPawn, 0, 1);
        }
    }
    for bishop in bishops {
        let same = match Bitboard::DARK.contains(bishop) {
            true => Bitboard::DARK,
            false => !Bitboard::DARK,
        };
        let pawns = (position.pieces(us, Role::Pawn) & same).count();
        sink.add(us, Term::BishopPawns, 0, pawns as i32);
    }
    if bishops.more_than_one() {
        sink.add(us, Term::BishopPair, 0, 1);
    }
}

/// What `us` attacks that it would like to take.
pub(super) fn threats(side: &Side, sink: &mut impl Sink) {
    let (position, us, own, enemy) = (side.position, side.us, side.own, side.enemy);
    let enemies = position.color(!us);
    let pieces = enemies & !position.role(Role::Pawn) & !position.role(Role::King);
    let defended = enemy.by(Role::Pawn) | enemy.twice & !own.twice;
    let role_at = |square| position.role_at(square).map_or(0, Role::index);
    for victim in own.by(Role::Pawn) & pieces {
        sink.add(us, Term::ThreatByPawn, role_at(victim), 1);
    }
    let targets = pieces | enemies & !defended & !position.role(Role::King);
    // Victims that are defended have weights of their own, behind the others.
    let index = |victim| role_at(victim) + 6 * usize::from(defended.contains(victim));
    for victim in (own.by(Role::Knight) | own.by(Role::Bishop)) & targets {
        sink.add(us, Term::ThreatByMinor, index(victim), 1);
    }
    for victim in own.by(Role::Rook) & targets {
        sink.add(us, Term::ThreatByRook, index(victim), 1);
    }
    if (own.by(Role::King) & targets & !defended).any() {
        sink.add(us, Term::ThreatByKing, 0, 1);
    }
    let contested = enemy.all & !defended & own.all;
    sink.add(us, Term::Restricted, 0, contested.count() as i32);
    let hanging = enemies & own.all & !enemy.all;
    sink.add(us, Term::Hanging, 0, hanging.count() as i32);

    let safe = !position.occupied() & !enemy.by(Role::Pawn) & (own.all | !enemy.all);
    let pushes = position.pieces(us, Role::Pawn).forward(us) & safe;
    let attacked = attacks::pawns(us, pushes) & pieces;
    sink.add(us, Term::PawnPushThreat, 0, attacked.count() as i32);
}

/// How the passed pawns of `us` may get on.
pub(super) fn passed(side: &Side, passed: Bitboard, sink: &mut impl Sink) {
    let (position, us, own, enemy) = (side.position, side.us, side.own, side.enemy);
    let enemies = position.color(!us);
    for pawn in passed & position.pieces(us, Role::Pawn) {
        let rank = pawn.relative_rank(us);
        let stop = pawn.forward(us);
        if !position.occupied().contains(stop) && !enemy.all.contains(stop) {
            sink.add(us, Term::PassedFree, rank, 1);
        }
        if enemies.contains(stop) {
            sink.add(us, Term::PassedBlocked, rank, 1);
        } else if own.all.contains(stop) {
            sink.add(us, Term::PassedSupported, rank, 1);
        }
        let path = Bitboard::of(stop).fill_forward(us);
        if (path & (enemies | enemy.all)).is_empty() {
            sink.add(us, Term::PassedPath, rank, 1);
        }
        if rank > 2 {
            let near = stop.distance(position.king(us));
            let far = stop.distance(position.king(!us));
            sink.add(us, Term::PassedOwnKing, near, 1);
            sink.add(us, Term::PassedEnemyKing, far, 1);
        }
    }
}
