//! Document 002, sections 1.1 and 1.2: Stockfish simplified, and Leela.

use crate::moves;
use crate::tree::{Entry, Node, Tree};
use stillwater::board::{Move, Position};
use stillwater::search::score::{DRAW, INFINITE};

/// "Simplified threshold" of delta pruning.
const NODE_DELTA: i32 = 200;

/// Section 1.1, `qsearch`.
pub(crate) fn stockfish_simplified(tree: &mut Tree, position: &Position, mut node: Node) -> i32 {
    if let Some(draw) = tree.enter(position) {
        return draw;
    }
    let in_check = position.in_check();
    // Entries made with quiet checks, and those in check, have depth 0.
    let with_checks = node.depth == 0;
    let depth = if in_check || with_checks { 0 } else { -1 };
    let entry = tree.probe(position, node.ply);
    if let Some(score) = node.answer(entry, depth) {
        return score;
    }
    let window = node;
    let mut best = -INFINITE;
    if !in_check {
        best = tree.evaluate(position);
        if best >= node.beta {
            return best;
        }
        node.alpha = node.alpha.max(best);
        if best + NODE_DELTA <= node.alpha {
            return best;
        }
        if moves::is_pawn_stalemate(position) {
            return DRAW;
        }
    }
    let list = moves_of_1_1(tree, position, entry, with_checks);
    if in_check && list.is_empty() {
        return moves::without_moves(position, node.ply);
    }
    let mut best_move = Move::NONE;
    for mv in list {
        // "Check evasions always searched", "promotions always searched".
        if !in_check && !mv.is_promotion() && !tree.see(position, mv, 0) {
            continue;
        }
        let score = -tree.after(position, mv, |tree, after| {
            stockfish_simplified(tree, after, node.child())
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
        depth,
        mv: best_move,
    };
    tree.store(position, node.ply, entry);
    best
}

/// The table move, captures and promotions, "checks at depth 0"; in check all.
fn moves_of_1_1(
    tree: &Tree,
    position: &Position,
    entry: Option<Entry>,
    with_checks: bool,
) -> Vec<Move> {
    let evading = position.in_check();
    let mut list = if evading {
        moves::all(position)
    } else {
        moves::captures_and_promotions(position)
    };
    moves::by_victim_and_attacker(tree, position, &mut list);
    moves::put_first(&mut list, entry.map(|entry| entry.mv));
    if with_checks && !evading {
        list.extend(moves::quiet_checks(position));
    }
    list
}

/// Section 1.2, `QuiescenceSearch`: in check all evasions, else the evaluation.
pub(crate) fn leela(tree: &mut Tree, position: &Position, mut node: Node) -> i32 {
    if let Some(draw) = tree.enter(position) {
        return draw;
    }
    if !position.in_check() {
        return tree.evaluate(position);
    }
    let mut list = moves::all(position);
    if list.is_empty() {
        return moves::without_moves(position, node.ply);
    }
    moves::by_victim_and_attacker(tree, position, &mut list);
    let mut best = -INFINITE;
    for mv in list {
        let score = -tree.after(position, mv, |tree, after| leela(tree, after, node.child()));
        best = best.max(score);
        node.alpha = node.alpha.max(score);
        if score >= node.beta {
            break;
        }
    }
    best
}

/// The horizon without quiescence, looked up in the table and stored there: the
/// baseline of the designs with a table.
pub(crate) fn none_with_table(tree: &mut Tree, position: &Position, node: Node) -> i32 {
    if let Some(draw) = tree.enter(position) {
        return draw;
    }
    // Below the main search and below every quiescence.
    const DEPTH: i32 = -1;
    if let Some(score) = node.answer(tree.probe(position, node.ply), DEPTH) {
        return score;
    }
    let score = tree.evaluate(position);
    let entry = Entry {
        score,
        bound: node.bound(score),
        depth: DEPTH,
        mv: Move::NONE,
    };
    tree.store(position, node.ply, entry);
    score
}
