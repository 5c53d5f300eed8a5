//! Document 000: the general search, the Go program and the Java program. Its
//! second and third listings are those of document 003.

use crate::moves;
use crate::tree::{Node, Tree};
use stillwater::board::{Position, movegen};
use stillwater::search::score::{DRAW, INFINITE};

/// `reasonable_depth_value`, which the document leaves open.
const GENERAL_PLIES: i32 = 2;
/// `quiesce_depth`, which the document leaves open.
const JAVA_PLIES: i32 = 6;

/// "General search": a quiet position, and any at the limit, is evaluated; any
/// other is searched with all its moves.
pub(crate) fn general(tree: &mut Tree, position: &Position, mut node: Node) -> i32 {
    if let Some(draw) = tree.enter(position) {
        return draw;
    }
    if node.depth == -GENERAL_PLIES || appears_quiet(tree, position) {
        return tree.evaluate(position);
    }
    let mut list = moves::all(position);
    if list.is_empty() {
        return moves::without_moves(position, node.ply);
    }
    moves::by_victim_and_attacker(tree, position, &mut list);
    let mut best = -INFINITE;
    for mv in list {
        let score = -tree.after(position, mv, |tree, after| {
            general(tree, after, node.child())
        });
        best = best.max(score);
        node.alpha = node.alpha.max(score);
        if score >= node.beta {
            break;
        }
    }
    best
}

/// Not in check, and no capture or promotion gains by exchanges.
fn appears_quiet(tree: &Tree, position: &Position) -> bool {
    let gains = |mv| position.is_noisy(mv) && tree.see(position, mv, 1);
    !position.in_check() && !movegen::legal_moves(position).into_iter().any(gains)
}

/// The Go program's `quiesce` without its table: fail-hard, captures as they are generated.
pub(crate) fn go(tree: &mut Tree, position: &Position, mut node: Node) -> i32 {
    if let Some(draw) = tree.enter(position) {
        return draw;
    }
    let stand_pat = tree.evaluate(position);
    if stand_pat >= node.beta {
        return node.beta;
    }
    if moves::is_pawn_stalemate(position) {
        return DRAW;
    }
    node.alpha = node.alpha.max(stand_pat);
    for mv in moves::captures(position) {
        let score = -tree.after(position, mv, |tree, after| go(tree, after, node.child()));
        if score >= node.beta {
            return node.beta;
        }
        node.alpha = node.alpha.max(score);
    }
    node.alpha
}

/// The Java program's `Quiesce`: the same to a limited depth.
pub(crate) fn java(tree: &mut Tree, position: &Position, mut node: Node) -> i32 {
    if let Some(draw) = tree.enter(position) {
        return draw;
    }
    let stand_pat = tree.evaluate(position);
    if node.depth == -JAVA_PLIES {
        return stand_pat;
    }
    if stand_pat >= node.beta {
        return node.beta;
    }
    if moves::is_pawn_stalemate(position) {
        return DRAW;
    }
    node.alpha = node.alpha.max(stand_pat);
    for mv in moves::captures(position) {
        let score = -tree.after(position, mv, |tree, after| java(tree, after, node.child()));
        if score >= node.beta {
            return node.beta;
        }
        node.alpha = node.alpha.max(score);
    }
    node.alpha
}
