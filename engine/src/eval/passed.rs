//! Passed pawns.

use super::mobility::Side;
use super::terms::Sink;
use super::weights::Term;
use crate::board::{Bitboard, Role};

/// Passed pawns of `us`: blockers, support, free path, distance of the kings.
#[inline(always)]
pub(super) fn passed(side: &Side, passed: Bitboard, sink: &mut impl Sink) {
    let (position, us, own, enemy) = (side.position, side.us, side.own, side.enemy);
    let enemies = position.color(!us);
    for pawn in passed & position.pieces(us, Role::Pawn) {
        let (rank, stop) = (pawn.relative_rank(us), pawn.forward(us));
        sink.add(us, Term::PassedFile, pawn.file().min(7 - pawn.file()), 1);
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
        // Rooks and queens behind it, its own or the enemy's.
        let behind = Bitboard::of(pawn).fill_forward(!us);
        let heavy = position.role(Role::Rook) | position.role(Role::Queen);
        if (behind & heavy & position.color(us)).any() {
            sink.add(us, Term::PassedRookBehind, 0, 1);
        }
        if (behind & heavy & enemies).any() {
            sink.add(us, Term::PassedRookBehind, 1, 1);
        }
        if rank > 2 {
            let row = 8 * (rank - 3);
            let near = stop.distance(position.king(us));
            let far = stop.distance(position.king(!us));
            sink.add(us, Term::PassedOwnKing, row + near, 1);
            sink.add(us, Term::PassedEnemyKing, row + far, 1);
        }
    }
}
