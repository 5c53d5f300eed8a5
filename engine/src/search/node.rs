//! A node of the search tree.

use super::Search;
use super::score::{INFINITE, MATE_BOUND, is_mate};
use super::table::{Bound, Entry, NO_EVAL};
use crate::board::{Move, Position};

/// The state that the steps of the search share at one node, also in quiescence.
pub(super) struct Node<'p> {
    pub(super) position: &'p Position,
    pub(super) ply: usize,
    /// In quiescence 0 at the horizon, then −1, −2, …
    pub(super) depth: i32,
    pub(super) alpha: i32,
    pub(super) beta: i32,
    /// Whether this is a cut node.
    pub(super) cut: bool,
    pub(super) in_check: bool,
    pub(super) hit: Option<Entry>,
    pub(super) table_move: Move,
    /// Evaluation without correction; [`NO_EVAL`] if it is not needed, as mostly in check.
    pub(super) raw_eval: i32,
    /// Evaluation with the correction of the correction history.
    pub(super) eval: i32,
    pub(super) improving: bool,
    /// The move excluded by a singular extension test.
    pub(super) excluded: Move,
    pub(super) best: i32,
    pub(super) best_move: Move,
    /// Number of moves tried, including skipped ones.
    pub(super) tried: usize,
    /// Plies of extension in the line, including this node's.
    pub(super) extensions: i32,
    /// Whether multi-cut pruned the node.
    pub(super) multi_cut: bool,
}

impl<'p> Node<'p> {
    pub(super) fn new(
        position: &'p Position,
        ply: usize,
        depth: i32,
        alpha: i32,
        beta: i32,
        hit: Option<Entry>,
    ) -> Node<'p> {
        Node {
            position,
            ply,
            depth,
            alpha,
            beta,
            cut: false,
            in_check: position.in_check(),
            hit,
            table_move: hit.map_or(Move::NONE, |entry| entry.mv),
            raw_eval: NO_EVAL,
            eval: NO_EVAL,
            improving: false,
            excluded: Move::NONE,
            best: -INFINITE,
            best_move: Move::NONE,
            tried: 0,
            extensions: 0,
            multi_cut: false,
        }
    }

    /// The evaluation, or the score of the table entry where its bound makes it better.
    pub(super) fn guess(&self) -> i32 {
        let better = |hit: &Entry| hit.bound.decides(hit.score, self.eval) && !is_mate(hit.score);
        self.hit.filter(better).map_or(self.eval, |hit| hit.score)
    }
}

impl Search<'_> {
    /// Sets the evaluation: from the table entry or computed; with `correct`, the
    /// correction history is added.
    pub(super) fn find_eval(&mut self, node: &mut Node, correct: bool) {
        // The correction comes first so that its memory is fetched during the evaluation.
        let correction = if correct {
            self.correction(node.position)
        } else {
            0
        };
        node.raw_eval = match node.hit {
            Some(entry) if entry.eval != NO_EVAL => entry.eval,
            _ => self.evaluate(node.position, node.ply),
        };
        node.eval = (node.raw_eval + correction).clamp(1 - MATE_BOUND, MATE_BOUND - 1);
    }

    /// Updates best score, best move and alpha. Returns whether the score causes a cutoff.
    pub(super) fn update_best<const PV: bool>(
        &mut self,
        node: &mut Node,
        mv: Move,
        score: i32,
    ) -> bool {
        node.best = node.best.max(score);
        if score > node.alpha {
            node.alpha = score;
            node.best_move = mv;
            if PV {
                // The move and the principal variation of the child.
                let (head, tail) = self.pvs.split_at_mut(node.ply + 1);
                head[node.ply].clear();
                head[node.ply].push(mv);
                head[node.ply].extend_from_slice(&tail[0]);
            }
        }
        score >= node.beta
    }

    pub(super) fn store(&self, node: &Node, depth: i32, bound: Bound, pv: bool) {
        let entry = Entry {
            mv: node.best_move,
            score: node.best,
            eval: node.raw_eval,
            depth,
            bound,
            pv,
        };
        self.shared.table.store(node.position.key, node.ply, entry);
    }
}
