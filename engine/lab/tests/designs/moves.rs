//! Lists of legal moves for the documents, and their orders. Moves of equal rank keep the
//! order of generation.

use crate::tree::Tree;
use std::cmp::Reverse;
use stillwater::board::{CheckSquares, Move, MoveKind, Position, Role, movegen};
use stillwater::search::score::{DRAW, mated_in};

/// All legal moves; captures and promotions to a queen come first.
pub(crate) fn all(position: &Position) -> Vec<Move> {
    movegen::legal_moves(position)
}

/// All captures; those that promote do so to a queen or a knight.
pub(crate) fn captures(position: &Position) -> Vec<Move> {
    let mut moves = captures_and_promotions(position);
    moves.retain(|&mv| position.captured(mv).is_some());
    moves
}

/// Captures, and promotions to a queen; captures that promote do so to a queen
/// or a knight.
pub(crate) fn captures_and_promotions(position: &Position) -> Vec<Move> {
    let mut moves = noisy(position);
    moves.retain(|mv| !matches!(mv.kind(), MoveKind::Promotion(Role::Rook | Role::Bishop)));
    moves
}

/// Captures, and promotions to a queen.
pub(crate) fn noisy(position: &Position) -> Vec<Move> {
    let mut moves = all(position);
    moves.retain(|&mv| position.is_noisy(mv));
    moves
}

/// Promotions to a knight without a capture.
pub(crate) fn knight_promotions(position: &Position) -> Vec<Move> {
    let mut moves = quiet(position);
    moves.retain(|mv| mv.kind() == MoveKind::Promotion(Role::Knight));
    moves
}

/// Checks without a capture or a promotion to a queen.
pub(crate) fn quiet_checks(position: &Position) -> Vec<Move> {
    let checks = CheckSquares::new(position);
    let mut moves = quiet(position);
    moves.retain(|&mv| checks.gives_check(position, mv));
    moves
}

fn quiet(position: &Position) -> Vec<Move> {
    let mut moves = all(position);
    moves.retain(|&mv| !position.is_noisy(mv));
    moves
}

/// Highest rank first.
pub(crate) fn sort_by_rank<K: Ord>(moves: &mut [Move], mut rank: impl FnMut(Move) -> K) {
    moves.sort_by_key(|&mv| Reverse(rank(mv)));
}

/// 002, section 5.2: promotions to a queen, then the most valuable victim, and
/// of its captors the least valuable; quiet moves last. Unlike in 5.2, these include
/// promotions to a knight, which come after the losing captures.
pub(crate) fn by_victim_and_attacker(tree: &Tree, position: &Position, moves: &mut [Move]) {
    sort_by_rank(moves, |mv| {
        let attacker = position.role_at(mv.from()).map_or(0, Role::index);
        let victim = tree.victim(position, mv);
        let noisy = position.is_noisy(mv);
        noisy.then_some((mv.promotes_to_queen(), victim, Reverse(attacker)))
    });
}

/// Puts `first` before the others if it is one of them.
pub(crate) fn put_first(moves: &mut Vec<Move>, first: Option<Move>) {
    if let Some(index) = moves.iter().position(|&mv| Some(mv) == first) {
        let mv = moves.remove(index);
        moves.insert(0, mv);
    }
}

/// Whether the side to move has only king and pawns and no legal move, which
/// quiescence sees in every design.
pub(crate) fn is_pawn_stalemate(position: &Position) -> bool {
    position.non_pawn_material(position.turn).is_empty()
        && !position.in_check()
        && all(position).is_empty()
}

/// The score of a node without legal moves.
pub(crate) fn without_moves(position: &Position, ply: usize) -> i32 {
    if position.in_check() {
        mated_in(ply)
    } else {
        DRAW
    }
}
