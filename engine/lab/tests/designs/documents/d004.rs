//! Document 004 and the quiescence search of Stockfish 8: quiet checks at the
//! horizon, then captures, from the fifth ply on recaptures only.

use crate::moves;
use crate::tree::{Entry, Node, Tree};
use stillwater::board::{Move, Position};
use stillwater::search::score::{DRAW, INFINITE, MATE_BOUND, is_mate};
use stillwater::search::table::Bound;

/// `DEPTH_QS_CHECKS`, `DEPTH_QS_NO_CHECKS` and `DEPTH_QS_RECAPTURES`.
const CHECKS: i32 = 0;
const NO_CHECKS: i32 = -1;
const RECAPTURES: i32 = -5;
/// Stands for the futility of Stockfish 8, 128: 52 centipawns by its pawn in the endgame,
/// 68 by that in the middlegame.
const FUTILITY: i32 = 60;

/// `qsearch` of Stockfish 8, with the differences of `engine/lab/designs/stockfish-8.toml`.
pub(crate) fn stockfish_8(tree: &mut Tree, position: &Position, mut node: Node) -> i32 {
    if let Some(draw) = tree.enter(position) {
        return draw;
    }
    let in_check = position.in_check();
    let with_checks = node.depth >= CHECKS;
    let depth = if in_check || with_checks {
        CHECKS
    } else {
        NO_CHECKS
    };
    let entry = tree.probe(position, node.ply);
    if let Some(score) = node.answer(entry, depth) {
        return score;
    }
    let window = node;
    let (mut eval, mut best) = (-INFINITE, -INFINITE);
    if !in_check {
        eval = tree.evaluate(position);
        best = better_guess(entry, eval);
        if best >= node.beta {
            if entry.is_none() {
                let entry = Entry {
                    score: best,
                    bound: Bound::Lower,
                    depth: NO_CHECKS,
                    mv: Move::NONE,
                };
                tree.store(position, node.ply, entry);
            }
            return best;
        }
        if moves::is_pawn_stalemate(position) {
            return DRAW;
        }
        node.alpha = node.alpha.max(best);
    }
    let list = picked(tree, position, entry, node);
    if in_check && list.is_empty() {
        return moves::without_moves(position, node.ply);
    }
    let mut best_move = Move::NONE;
    for mv in list {
        let skips = if in_check {
            let quiet = !position.is_noisy(mv);
            quiet && best > -MATE_BOUND && !tree.see(position, mv, 0)
        } else {
            is_futile(tree, position, mv, (eval, node.alpha), &mut best)
        };
        if skips {
            continue;
        }
        let score = -tree.after(position, mv, |tree, after| {
            stockfish_8(tree, after, node.child())
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

/// The table's score where it bounds the true one better than the evaluation.
fn better_guess(entry: Option<Entry>, eval: i32) -> i32 {
    let better = |entry: &Entry| match entry.bound {
        _ if is_mate(entry.score) => false,
        Bound::Exact => true,
        Bound::Lower => entry.score >= eval,
        Bound::Upper => entry.score < eval,
        Bound::None => false,
    };
    entry.filter(better).map_or(eval, |entry| entry.score)
}

/// `MovePicker`, the constructor for quiescence: its four regimes.
fn picked(tree: &Tree, position: &Position, entry: Option<Entry>, node: Node) -> Vec<Move> {
    let table_move = entry.map(|entry| entry.mv);
    if position.in_check() {
        let mut list = moves::all(position);
        // `score<EVASIONS>`: captures by victim and attacker, then the others.
        moves::sort_by_rank(&mut list, |mv| {
            let attacker = position.role_at(mv.from()).map_or(0, |role| role as i32);
            let noisy = position.is_noisy(mv);
            noisy.then(|| tree.gain(position, mv) - attacker)
        });
        moves::put_first(&mut list, table_move);
        return list;
    }
    let mut list = moves::captures_and_promotions(position);
    if node.depth <= RECAPTURES {
        // Promotions to a rook or a bishop too.
        list = moves::noisy(position);
        list.retain(|mv| tree.last_target() == Some(mv.to()));
    }
    // `score<CAPTURES>`: the victim, and the lower the rank the better.
    moves::sort_by_rank(&mut list, |mv| {
        let rank = mv.to().relative_rank(position.turn) as i32;
        2 * tree.gain(position, mv) - 200 * rank
    });
    moves::put_first(&mut list, table_move);
    if node.depth >= CHECKS {
        list.extend(moves::quiet_checks(position));
    }
    list
}

/// Futility pruning, which raises the best score to what the move could have
/// reached, and pruning of what loses by exchanges.
fn is_futile(
    tree: &Tree,
    position: &Position,
    mv: Move,
    (eval, alpha): (i32, i32),
    best: &mut i32,
) -> bool {
    let base = eval + FUTILITY;
    if position.is_noisy(mv) && !mv.is_promotion() && !is_mate(alpha) {
        let reach = base + tree.victim(position, mv);
        if reach <= alpha {
            *best = (*best).max(reach);
            return true;
        }
        if base <= alpha && !tree.see(position, mv, 1) {
            *best = (*best).max(base);
            return true;
        }
    }
    !mv.is_promotion() && !tree.see(position, mv, 0)
}
