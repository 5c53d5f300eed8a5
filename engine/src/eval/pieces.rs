//! Pieces: mobility, good squares, threats, and passed pawns on their way.

use super::terms::Sink;
use super::weights::Term;
use crate::board::{Bitboard, Color, Position, Role, Square, attacks};

/// What one side attacks.
#[derive(Clone, Copy)]
pub(super) struct Attacks {
    pub(super) by_role: [Bitboard; 6],
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
        let pawns = attacks::pawns(us, position.pieces(us, Role::Pawn));
        let king = attacks::king(position.king(us));
        let mut by_role = [Bitboard::EMPTY; 6];
        by_role[Role::Pawn.index()] = pawns;
        by_role[Role::King.index()] = king;
        Attacks {
            by_role,
            all: pawns | king,
            twice: pawns & king,
            king_attack: 0,
            king_attackers: 0,
        }
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

/// The squares near the king of `color` that attackers are counted on.
fn king_zone(position: &Position, color: Color) -> Bitboard {
    let king = Bitboard::of(position.king(color));
    let around = attacks::king(position.king(color)) | king;
    around | around.forward(color)
}

/// Weight of an attacker of the king by role.
const ATTACKER: [usize; 6] = [0, 2, 2, 3, 4, 0];

/// Adds the attacks of the pieces of `us`, and finds how freely and well they
/// stand.
pub(super) fn mobility(
    position: &Position,
    us: Color,
    own: &mut Attacks,
    enemy_pawn_attacks: Bitboard,
    sink: &mut impl Sink,
) {
    let own_pawns = position.pieces(us, Role::Pawn);
    let enemy_pawns = position.pieces(!us, Role::Pawn);
    let blocked = own_pawns & position.occupied().forward(!us);
    let area = !(enemy_pawn_attacks | blocked | position.pieces(us, Role::King));
    let zone = king_zone(position, !us);
    let king = position.king(us);
    let occupied = position.occupied();
    for role in [Role::Knight, Role::Bishop, Role::Rook, Role::Queen] {
        let pieces = position.pieces(us, role);
        // Sliders see through those that move the same way.
        let through = match role {
            Role::Bishop => occupied ^ position.role(Role::Queen),
            Role::Rook => occupied ^ position.role(Role::Queen) ^ position.pieces(us, Role::Rook),
            _ => occupied,
        };
        for square in pieces {
            let mut reach = attacks::piece(role, square, through);
            if us == position.turn() && position.pinned().contains(square) {
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
            match role {
                Role::Rook => rook_file(us, square, own_pawns, enemy_pawns, sink),
                Role::Knight | Role::Bishop => minor(position, us, role, square, own, sink),
                _ => {}
            }
        }
    }
    let bishops = position.pieces(us, Role::Bishop);
    if bishops.more_than_one() {
        sink.add(us, Term::BishopPair, 0, 1);
    }
}

fn rook_file(us: Color, rook: Square, own: Bitboard, enemy: Bitboard, sink: &mut impl Sink) {
    let file = Bitboard::file(rook.file());
    if (file & own).is_empty() {
        match (file & enemy).is_empty() {
            true => sink.add(us, Term::RookOpenFile, 0, 1),
            false => sink.add(us, Term::RookHalfOpenFile, 0, 1),
        }
    }
}

fn minor(
    position: &Position,
    us: Color,
    role: Role,
    square: Square,
    own: &Attacks,
    sink: &mut impl Sink,
) {
    let own_pawns = position.pieces(us, Role::Pawn);
    let enemy_pawns = position.pieces(!us, Role::Pawn);
    let ahead = Bitboard::of(square).forward(us).fill_forward(us);
    let challengers = (ahead.west() | ahead.east()) & enemy_pawns;
    let rank = square.relative_rank(us);
    if (3..=5).contains(&rank) && own.by(Role::Pawn).contains(square) && challengers.is_empty() {
        sink.add(us, Term::Outpost, usize::from(role == Role::Bishop), 1);
    }
    if (Bitboard::of(square).forward(us) & position.role(Role::Pawn)).any() {
        sink.add(us, Term::MinorBehindPawn, 0, 1);
    }
    if role == Role::Bishop {
        let same = match Bitboard::DARK.contains(square) {
            true => Bitboard::DARK,
            false => !Bitboard::DARK,
        };
        let pawns = (own_pawns & same).count() as i32;
        sink.add(us, Term::BishopPawns, 0, pawns);
    }
}

/// What `us` attacks that it would like to take.
pub(super) fn threats(
    position: &Position,
    us: Color,
    own: &Attacks,
    enemy: &Attacks,
    sink: &mut impl Sink,
) {
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
pub(super) fn passed(
    position: &Position,
    us: Color,
    passed: Bitboard,
    own: &Attacks,
    enemy: &Attacks,
    sink: &mut impl Sink,
) {
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
