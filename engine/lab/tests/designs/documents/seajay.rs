//! Document 002, section 8: the five phases of SeaJay's quiescence, with the
//! complete listing of A.1, and the limits of 2.4, 3.3 and 5.4.

use crate::moves;
use crate::tree::{Entry, Node, Tree};
use stillwater::board::{Move, Position};
use stillwater::search::score::{DRAW, INFINITE, MATE_BOUND, is_mate, mated_in};

/// `MAX_QSEARCH_PLY`, counted from the root: section 2.4.
const MAX_PLY: usize = 32;
/// `DELTA_MARGIN`: section 2.3.
const DELTA_MARGIN: i32 = 200;
/// `QSEARCH_DEPTH_LIMIT`: section 2.4.
const DEPTH_LIMIT: i32 = -7;
/// Section 3.3, which does not give a number.
const MOVE_LIMIT: usize = 8;
/// Section 5.4: minimum difference of attacker and victim for pruning.
const ATTACKER_MARGIN: i32 = 200;

/// Section 8.1, `quiescenceMinimal`: fail-soft above beta, alpha below it.
pub(crate) fn minimal(tree: &mut Tree, position: &Position, mut node: Node) -> i32 {
    if let Some(draw) = tree.enter(position) {
        return draw;
    }
    let stand_pat = tree.evaluate(position);
    if node.ply >= MAX_PLY || stand_pat >= node.beta {
        return stand_pat;
    }
    if moves::is_pawn_stalemate(position) {
        return DRAW;
    }
    node.alpha = node.alpha.max(stand_pat);
    let mut list = moves::captures(position);
    moves::by_victim_and_attacker(tree, position, &mut list);
    for mv in list {
        let score = -tree.after(position, mv, |tree, after| {
            minimal(tree, after, node.child())
        });
        if score >= node.beta {
            return score;
        }
        node.alpha = node.alpha.max(score);
    }
    node.alpha
}

/// Section 8.2: in check all evasions.
pub(crate) fn phase_2(tree: &mut Tree, position: &Position, node: Node) -> i32 {
    complete(tree, position, node, 2)
}

/// Section 8.3: delta pruning.
pub(crate) fn phase_3(tree: &mut Tree, position: &Position, node: Node) -> i32 {
    complete(tree, position, node, 3)
}

/// Section 8.4: the table.
pub(crate) fn phase_4(tree: &mut Tree, position: &Position, node: Node) -> i32 {
    complete(tree, position, node, 4)
}

/// Section 8.5: promotions that capture nothing.
pub(crate) fn phase_5(tree: &mut Tree, position: &Position, node: Node) -> i32 {
    complete(tree, position, node, 5)
}

/// Phase 5 and the limits of sections 2.4, 3.3 and 5.4.
pub(crate) fn limited(tree: &mut Tree, position: &Position, node: Node) -> i32 {
    complete(tree, position, node, 6)
}

/// A.1, `quiescence`, with the features up to `phase`; phase 6 has the limits.
fn complete(tree: &mut Tree, position: &Position, node: Node, phase: i32) -> i32 {
    if let Some(draw) = tree.enter(position) {
        return draw;
    }
    if node.ply >= MAX_PLY || phase == 6 && node.depth <= DEPTH_LIMIT {
        return tree.evaluate(position);
    }
    // 7.2: before anything else, entries of any depth that is not below 0.
    let entry = tree.probe(position, node.ply).filter(|_| phase >= 4);
    if let Some(score) = node.answer(entry, 0) {
        return score;
    }
    let first = entry.map(|entry| entry.mv);
    let (best, mv) = if position.in_check() {
        evasions(tree, position, node, (first, phase))
    } else {
        captures(tree, position, node, (first, phase))
    };
    if phase >= 4 {
        let entry = Entry {
            score: best,
            bound: node.bound(best),
            depth: 0,
            mv,
        };
        tree.store(position, node.ply, entry);
    }
    best
}

/// A.1, `quiescenceInCheck`.
fn evasions(
    tree: &mut Tree,
    position: &Position,
    mut node: Node,
    (first, phase): (Option<Move>, i32),
) -> (i32, Move) {
    let mut list = moves::all(position);
    if list.is_empty() {
        return (mated_in(node.ply), Move::NONE);
    }
    moves::by_victim_and_attacker(tree, position, &mut list);
    moves::put_first(&mut list, first);
    let (mut best, mut best_move) = (-INFINITE, Move::NONE);
    for (searched, mv) in list.into_iter().enumerate() {
        // Only once a move does not lead to mate.
        if phase == 6 && searched >= MOVE_LIMIT && best > -MATE_BOUND {
            break;
        }
        let score = -tree.after(position, mv, |tree, after| {
            complete(tree, after, node.child(), phase)
        });
        best = best.max(score);
        if score > node.alpha {
            (node.alpha, best_move) = (score, mv);
        }
        if score >= node.beta {
            break;
        }
    }
    (best, best_move)
}

/// A.1, `quiescence` when not in check.
fn captures(
    tree: &mut Tree,
    position: &Position,
    mut node: Node,
    (first, phase): (Option<Move>, i32),
) -> (i32, Move) {
    let stand_pat = tree.evaluate(position);
    if stand_pat >= node.beta {
        return (stand_pat, Move::NONE);
    }
    if moves::is_pawn_stalemate(position) {
        return (DRAW, Move::NONE);
    }
    let (mut best, mut best_move) = (stand_pat, Move::NONE);
    node.alpha = node.alpha.max(stand_pat);
    let mut list = match phase {
        5.. => moves::captures_and_promotions(position),
        _ => moves::captures(position),
    };
    if phase >= 5 {
        list.extend(moves::knight_promotions(position));
    }
    moves::by_victim_and_attacker(tree, position, &mut list);
    moves::put_first(&mut list, first);
    let mut searched = 0;
    for mv in list {
        let victim = tree.victim(position, mv);
        // No capture is skipped while alpha is a mate.
        let prunable = !mv.is_promotion() && !is_mate(node.alpha);
        if phase >= 3 && prunable && stand_pat + victim + DELTA_MARGIN < node.alpha {
            continue;
        }
        let attacker = tree.attacker(position, mv);
        if phase == 6 && prunable && attacker > victim + ATTACKER_MARGIN {
            continue;
        }
        searched += 1;
        if phase == 6 && searched > MOVE_LIMIT {
            break;
        }
        let score = -tree.after(position, mv, |tree, after| {
            complete(tree, after, node.child(), phase)
        });
        best = best.max(score);
        if score > node.alpha {
            (node.alpha, best_move) = (score, mv);
        }
        if score >= node.beta {
            break;
        }
    }
    (best, best_move)
}
