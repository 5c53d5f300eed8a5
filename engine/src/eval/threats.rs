//! Threats and space.

use super::mobility::Side;
use super::terms::Sink;
use super::weights::Term;
use crate::board::{Bitboard, Color, Role, attacks};

/// Attacks by `us` on pieces that are worth capturing.
#[inline(always)]
pub(super) fn threats(side: &Side, sink: &mut impl Sink) {
    let (position, us, own, enemy) = (side.position, side.us, side.own, side.enemy);
    let enemies = position.color(!us);
    let pieces = enemies & !position.role(Role::Pawn) & !position.role(Role::King);
    let defended = enemy.by(Role::Pawn) | enemy.twice & !own.twice;
    let role_at = |square| position.role_at(square).map_or(0, Role::index);
    // Pawns that can be captured for free threaten less.
    let safe = !enemy.all | own.all;
    let pawns = position.pieces(us, Role::Pawn);
    let by_safe_pawns = attacks::pawns(us, pawns & safe) & pieces;
    for victim in by_safe_pawns {
        sink.add(us, Term::ThreatByPawn, role_at(victim), 1);
    }
    let others = own.by(Role::Pawn) & pieces & !by_safe_pawns;
    sink.add(us, Term::ThreatByUnsafePawn, 0, others.count() as i32);
    let targets = pieces | enemies & !defended & !position.role(Role::King);
    // Defended victims have separate weights, after the others.
    let index = |victim| role_at(victim) + 6 * usize::from(defended.contains(victim));
    for victim in (own.by(Role::Knight) | own.by(Role::Bishop)) & targets {
        sink.add(us, Term::ThreatByMinor, index(victim), 1);
    }
    for victim in own.by(Role::Rook) & targets {
        sink.add(us, Term::ThreatByRook, index(victim), 1);
    }
    let by_queen = own.by(Role::Queen) & targets & !defended;
    sink.add(us, Term::ThreatByQueen, 0, by_queen.count() as i32);
    if (own.by(Role::King) & targets & !defended).any() {
        sink.add(us, Term::ThreatByKing, 0, 1);
    }
    let contested = enemy.all & !defended & own.all;
    sink.add(us, Term::Restricted, 0, contested.count() as i32);
    let hanging = enemies & own.all & !enemy.all;
    sink.add(us, Term::Hanging, 0, hanging.count() as i32);
    let by_queen_only = pieces & own.all & enemy.by(Role::Queen) & !enemy.twice;
    sink.add(us, Term::DefendedByQueen, 0, by_queen_only.count() as i32);
    pushes(side, pieces, sink);
    on_queen(side, sink);
}

/// Pieces that a pawn could attack by advancing safely.
#[inline(always)]
fn pushes(side: &Side, pieces: Bitboard, sink: &mut impl Sink) {
    let (position, us, own, enemy) = (side.position, side.us, side.own, side.enemy);
    let free = !position.occupied();
    let safe = free & !enemy.by(Role::Pawn) & (own.all | !enemy.all);
    let pawns = position.pieces(us, Role::Pawn);
    let once = pawns.forward(us) & free;
    let twice = (once & Bitboard::relative_rank(us, 2)).forward(us);
    let attacked = attacks::pawns(us, (once | twice) & safe) & pieces;
    sink.add(us, Term::PawnPushThreat, 0, attacked.count() as i32);
}

/// Pieces that could attack the enemy's only queen with their next move.
#[inline(always)]
fn on_queen(side: &Side, sink: &mut impl Sink) {
    let (position, us, own, enemy) = (side.position, side.us, side.own, side.enemy);
    let queens = position.pieces(!us, Role::Queen);
    if queens.is_empty() || queens.more_than_one() {
        return;
    }
    let queen = queens.first();
    let defended = enemy.by(Role::Pawn) | enemy.twice & !own.twice;
    let safe = !position.color(us) & !defended;
    let knights = own.by(Role::Knight) & attacks::knight(queen) & safe;
    sink.add(us, Term::KnightOnQueen, 0, knights.count() as i32);
    let diagonal = own.by(Role::Bishop) & attacks::bishop(queen, position.occupied());
    let straight = own.by(Role::Rook) & attacks::rook(queen, position.occupied());
    let sliders = (diagonal | straight) & safe & own.twice;
    sink.add(us, Term::SliderOnQueen, 0, sliders.count() as i32);
}

/// Space: squares on the centre files behind and between the own pawns that no enemy pawn
/// attacks, weighted by the number of own pieces.
#[inline(always)]
pub(super) fn space(side: &Side, sink: &mut impl Sink) {
    let (position, us, enemy) = (side.position, side.us, side.enemy);
    if position.phase < 12 {
        return;
    }
    let centre = match us {
        Color::White => Bitboard(0x0000_0000_3c3c_3c00),
        Color::Black => Bitboard(0x003c_3c3c_0000_0000),
    };
    let pawns = position.pieces(us, Role::Pawn);
    let safe = centre & !pawns & !enemy.by(Role::Pawn);
    let behind = pawns.forward(!us);
    let behind = behind | behind.forward(!us) | behind.forward(!us).forward(!us);
    let room = safe.count() + (safe & behind & !enemy.all).count();
    let pieces = position.color(us).count() as i32;
    sink.add(us, Term::Space, 0, room as i32 * (pieces - 4) / 4);
}
