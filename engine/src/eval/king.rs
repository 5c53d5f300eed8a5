//! King safety: the pawns before the king, and the pieces around it.

use super::mobility::Side;
use super::terms::Sink;
use super::weights::Term;
use crate::board::{Bitboard, Color, Position, Role, attacks};

/// Dangers for the king of `us`, except attackers near it, which `mobility` counts.
#[inline(always)]
pub(super) fn safety(side: &Side, sink: &mut impl Sink) {
    let (position, us, own, enemy) = (side.position, side.us, side.own, side.enemy);
    let king = position.king(us);
    let ring = attacks::king(king);
    sink.add(us, Term::DangerBase, 0, 1);
    if position.pieces(!us, Role::Queen).is_empty() {
        sink.add(us, Term::DangerWithoutQueen, 0, 1);
    }
    // Squares that no more than the king and the queen defend.
    let poorly_defended = !own.twice & (own.by(Role::King) | own.by(Role::Queen) | !own.all);
    let weak = ring & enemy.all & poorly_defended;
    sink.add(us, Term::DangerWeak, 0, weak.count() as i32);
    let defended = ring & (own.by(Role::Knight) | own.by(Role::Bishop));
    sink.add(us, Term::DangerDefended, 0, defended.count() as i32);
    sink.add(us, Term::DangerBlockers, 0, own.blockers.count() as i32);
    flank(side, sink);
    checks(side, poorly_defended, sink);
}

/// Possible checks: safe ones, on squares where the checking piece cannot be captured
/// profitably, and others.
#[inline(always)]
fn checks(side: &Side, poorly_defended: Bitboard, sink: &mut impl Sink) {
    let (position, us, own, enemy) = (side.position, side.us, side.own, side.enemy);
    let king = position.king(us);
    let free = !position.color(!us);
    let safe = free & (!own.all | enemy.twice & poorly_defended);
    let occupied = position.occupied() ^ position.pieces(us, Role::Queen);
    let diagonal = attacks::bishop(king, occupied);
    let straight = attacks::rook(king, occupied);
    let mut unsafe_checks = Bitboard::EMPTY;
    for (role, from) in [
        (Role::Knight, attacks::knight(king)),
        (Role::Bishop, diagonal),
        (Role::Rook, straight),
        (Role::Queen, diagonal | straight),
    ] {
        let checks = from & enemy.by(role) & free;
        let safe_checks = checks & safe;
        if safe_checks.any() {
            let several = usize::from(safe_checks.more_than_one());
            sink.add(us, Term::DangerSafeCheck, role.index() + 6 * several, 1);
        } else {
            unsafe_checks |= checks;
        }
    }
    sink.add(us, Term::DangerUnsafeCheck, 0, unsafe_checks.count() as i32);
}

/// The three or four files of the king's flank, by the king's file.
static WINGS: [Bitboard; 8] = {
    let left = Bitboard::FILE_A.0 * 0b111;
    let mut wings = [Bitboard::EMPTY; 8];
    let mut file = 0;
    while file < 8 {
        wings[file] = Bitboard(match file {
            0 => left,
            1 | 2 => left | left << 1,
            3 | 4 => left << 2 | left << 3,
            5 | 6 => left << 4 | left << 5,
            _ => left << 5,
        });
        file += 1;
    }
    wings
};

/// Attacked and defended squares on the king's flank, up to the fifth rank.
#[inline(always)]
fn flank(side: &Side, sink: &mut impl Sink) {
    let (us, own, enemy) = (side.us, side.own, side.enemy);
    let wing = WINGS[side.position.king(us).file()];
    let far = Bitboard::relative_rank(us, 5).fill_forward(us);
    let camp = wing & !far;
    let attacked = (enemy.all & camp).count() + (enemy.twice & camp).count();
    sink.add(us, Term::DangerFlank, 0, attacked as i32);
    sink.add(us, Term::DangerFlank, 1, (own.all & camp).count() as i32);
    if (side.position.role(Role::Pawn) & wing).is_empty() {
        sink.add(us, Term::KingWithoutPawns, 0, 1);
    }
}

/// Own and enemy pawns on the three files around the king, by the rank of the
/// nearest one not behind it (rank 0 stands for none) and by how near the file
/// is to the edge; and how far the king is from the pawns.
pub(super) fn shelter(position: &Position, us: Color, sink: &mut impl Sink) {
    let king = position.king(us);
    let centre = king.file().clamp(1, 6);
    let from_king = Bitboard::rank(king.rank()).fill_forward(us);
    for file in centre - 1..=centre + 1 {
        let ahead = Bitboard::file(file) & from_king;
        let nearest = |color: Color| {
            let pawns = ahead & position.pieces(color, Role::Pawn);
            match us {
                _ if pawns.is_empty() => 0,
                Color::White => pawns.first().relative_rank(us),
                Color::Black => pawns.highest().relative_rank(us),
            }
        };
        let (own, enemy) = (nearest(us), nearest(!us));
        let edge = file.min(7 - file);
        let before_king = usize::from(file == king.file());
        sink.add(us, Term::Shelter, own + 8 * edge, 1);
        sink.add(us, Term::DangerShelter, own + 8 * before_king, 1);
        let blocked = own > 0 && enemy == own + 1;
        let storm = enemy + 8 * if blocked { 4 } else { edge };
        sink.add(us, Term::Storm, storm, 1);
        if !blocked {
            sink.add(us, Term::DangerStorm, enemy, 1);
        }
    }
    let mut around = Bitboard::of(king);
    let pawns = position.role(Role::Pawn);
    for distance in 1..8 {
        around |= around.west() | around.east();
        around |= around.forward(Color::White) | around.forward(Color::Black);
        if (around & pawns).any() {
            sink.add(us, Term::KingPawnDistance, distance, 1);
            break;
        }
    }
}
