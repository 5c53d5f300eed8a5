//! Document 002, section 1.3: Ethereal as listed, and the real Ethereal 12.75.

use crate::moves;
use crate::tree::{Entry, Node, Tree};
use stillwater::board::{Bitboard, Move, Position, Role};
use stillwater::search::score::{DRAW, is_mate};

/// The number in the listing.
const DELTA_MARGIN: i32 = 200;
/// `QSDeltaMargin` of Ethereal 12.75.
const NODE_DELTA_MARGIN: i32 = 150;
/// `QSSeeMargin` of Ethereal 12.75.
const SEE_MARGIN: i32 = 110;

/// Section 1.3, `quiescence`.
pub(crate) fn listed(tree: &mut Tree, position: &Position, mut node: Node) -> i32 {
    if let Some(draw) = tree.enter(position) {
        return draw;
    }
    let entry = tree.probe(position, node.ply);
    if let Some(score) = node.answer(entry, 0) {
        return score;
    }
    let window = node;
    let eval = tree.evaluate(position);
    if eval >= node.beta {
        return eval;
    }
    if moves::is_pawn_stalemate(position) {
        return DRAW;
    }
    let (mut best, mut best_move) = (eval, Move::NONE);
    node.alpha = node.alpha.max(eval);
    let mut list = moves::captures(position);
    moves::by_victim_and_attacker(tree, position, &mut list);
    moves::put_first(&mut list, entry.map(|entry| entry.mv));
    for mv in list {
        let reach = eval + tree.victim(position, mv) + DELTA_MARGIN;
        // No capture is skipped by delta while alpha is a mate.
        let prunable = !mv.is_promotion() && !is_mate(node.alpha);
        if prunable && reach < node.alpha || !tree.see(position, mv, 0) {
            continue;
        }
        let score = -tree.after(position, mv, |tree, after| {
            listed(tree, after, node.child())
        });
        best = best.max(score);
        if score > node.alpha {
            (node.alpha, best_move) = (score, mv);
        }
        if score >= node.beta {
            break;
        }
    }
    let entry = Entry {
        score: best,
        bound: window.bound(best),
        depth: 0,
        mv: best_move,
    };
    tree.store(position, node.ply, entry);
    best
}

/// `qsearch` of Ethereal 12.75: the table is read at any depth and never
/// written. Unlike there, the table move comes first.
pub(crate) fn real(tree: &mut Tree, position: &Position, mut node: Node) -> i32 {
    if let Some(draw) = tree.enter(position) {
        return draw;
    }
    let entry = tree.probe(position, node.ply);
    if let Some(score) = node.answer(entry, i32::MIN) {
        return score;
    }
    let eval = tree.evaluate(position);
    let mut best = eval;
    node.alpha = node.alpha.max(eval);
    if node.alpha >= node.beta {
        return eval;
    }
    if NODE_DELTA_MARGIN.max(best_case(tree, position)) < node.alpha - eval {
        return eval;
    }
    if moves::is_pawn_stalemate(position) {
        return DRAW;
    }
    let threshold = 1.max(node.alpha - eval - SEE_MARGIN);
    let mut list = moves::captures_and_promotions(position);
    moves::by_victim_and_attacker(tree, position, &mut list);
    moves::put_first(&mut list, entry.map(|entry| entry.mv));
    for mv in list {
        if !tree.see(position, mv, threshold) {
            continue;
        }
        let score = -tree.after(position, mv, |tree, after| real(tree, after, node.child()));
        best = best.max(score);
        node.alpha = node.alpha.max(score);
        if node.alpha >= node.beta {
            break;
        }
    }
    best
}

/// `moveBestCaseValue`: the opponent's best piece, and a pawn on the seventh.
fn best_case(tree: &Tree, position: &Position) -> i32 {
    let us = position.turn;
    let has = |role: &Role| position.pieces(!us, *role).any();
    let roles = [Role::Queen, Role::Rook, Role::Bishop, Role::Knight];
    let victim = roles.into_iter().find(has).unwrap_or(Role::Pawn);
    let seventh = position.pieces(us, Role::Pawn) & Bitboard::relative_rank(us, 6);
    let promotion = if seventh.any() {
        tree.value(Role::Queen) - tree.value(Role::Pawn)
    } else {
        0
    };
    tree.value(victim) + promotion
}
