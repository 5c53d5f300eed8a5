//! Document 003: quiescence by captures, the extension at the horizon, and no
//! quiescence at all.

use crate::moves;
use crate::tree::{Node, Tree};
use std::cmp::Reverse;
use stillwater::board::{Position, Role};
use stillwater::search::score::DRAW;

/// "Quiescence Search": stand pat, all captures in the order of
/// `EvaluateMovesQ`, fail-hard.
pub(crate) fn captures(tree: &mut Tree, position: &Position, mut node: Node) -> i32 {
    if let Some(draw) = tree.enter(position) {
        return draw;
    }
    let score = tree.evaluate(position);
    if score >= node.beta {
        return node.beta;
    }
    if moves::is_pawn_stalemate(position) {
        return DRAW;
    }
    node.alpha = node.alpha.max(score);
    let mut list = moves::captures(position);
    // `EvaluateMovesQ`: the victim; if the attacker is worth less, the
    // difference too; then the cheapest attacker.
    moves::sort_by_rank(&mut list, |mv| {
        let victim = tree.victim(position, mv);
        let bonus = match position.role_at(mv.from()) {
            Some(Role::King) => 0,
            _ => (victim - tree.attacker(position, mv)).max(0),
        };
        let attacker = position.role_at(mv.from()).map_or(0, Role::index);
        (victim + bonus, Reverse(attacker))
    });
    for mv in list {
        let score = -tree.after(position, mv, |tree, after| {
            captures(tree, after, node.child())
        });
        if score >= node.beta {
            return node.beta;
        }
        node.alpha = node.alpha.max(score);
    }
    node.alpha
}

/// "Extensions": at the horizon a ply more, once in a line, in check and after
/// the capture of a rook or a queen.
pub(crate) fn extends_at_horizon(tree: &Tree, position: &Position) -> bool {
    position.in_check() || tree.last_victim() >= tree.value(Role::Rook)
}

/// "Horizon Affect": no quiescence search.
pub(crate) fn none(tree: &mut Tree, position: &Position, _: Node) -> i32 {
    let draw = tree.enter(position);
    draw.unwrap_or_else(|| tree.evaluate(position))
}
