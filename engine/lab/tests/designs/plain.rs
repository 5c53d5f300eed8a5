//! The plain main search of `engine/lab/designs/main/plain.toml`: alpha-beta with
//! iterative deepening and a transposition table, as the Go program of document
//! 000 has it, with the rules of draws and mates.

use crate::documents::d003;
use crate::moves;
use crate::tree::{Entry, Node, Quiescence, Tree};
use stillwater::board::{Move, Position};
use stillwater::search::score::INFINITE;

/// A design below the plain main search.
#[derive(Clone, Copy)]
pub(crate) struct Plain {
    pub(crate) quiescence: Quiescence,
    /// Whether lines are extended at the horizon: 003, "Extensions".
    pub(crate) extends: bool,
    /// Depths searched are multiples of this: 003, "Horizon Affect".
    pub(crate) step: i32,
}

impl Plain {
    pub(crate) fn new(quiescence: Quiescence) -> Plain {
        Plain {
            quiescence,
            extends: false,
            step: 1,
        }
    }

    /// Iterates to `depth`; the best move, its score and the number of nodes.
    pub(crate) fn search(
        self,
        tree: &mut Tree,
        position: &Position,
        depth: i32,
    ) -> (Move, i32, u64) {
        tree.start(position);
        // Before the first iteration the first move generated is the best.
        let mut best = (moves::all(position)[0], -INFINITE);
        for depth in (1..=depth).filter(|depth| depth % self.step == 0) {
            let root = Node {
                alpha: -INFINITE,
                beta: INFINITE,
                ply: 0,
                depth,
            };
            let (score, mv) = self.moves(tree, position, root, Some(best.0), false);
            best = (mv, score);
        }
        (best.0, best.1, tree.nodes)
    }

    /// `ab` of the Go program, fail-soft.
    fn node(self, tree: &mut Tree, position: &Position, mut node: Node, extended: bool) -> i32 {
        let extends = node.depth == 0
            && self.extends
            && !extended
            && d003::extends_at_horizon(tree, position);
        if node.depth == 0 && !extends {
            return (self.quiescence)(tree, position, node);
        }
        node.depth = node.depth.max(1);
        if let Some(draw) = tree.enter(position) {
            return draw;
        }
        let entry = tree.probe(position, node.ply);
        // Near the fiftieth move a score found on another path may hide the draw.
        if position.halfmoves < 90
            && let Some(score) = node.answer(entry, node.depth)
        {
            return score;
        }
        let first = entry.map(|entry| entry.mv);
        self.moves(tree, position, node, first, extended || extends)
            .0
    }

    /// Searches the moves of a node and stores it.
    fn moves(
        self,
        tree: &mut Tree,
        position: &Position,
        mut node: Node,
        first: Option<Move>,
        extended: bool,
    ) -> (i32, Move) {
        if node.ply == 0 {
            tree.count();
        }
        let mut list = moves::all(position);
        if list.is_empty() {
            return (moves::without_moves(position, node.ply), Move::NONE);
        }
        moves::by_victim_and_attacker(tree, position, &mut list);
        moves::put_first(&mut list, first);
        let (window, mut best, mut best_move) = (node, -INFINITE, Move::NONE);
        for mv in list {
            let score = -tree.after(position, mv, |tree, after| {
                self.node(tree, after, node.child(), extended)
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
            depth: node.depth,
            mv: best_move,
        };
        tree.store(position, node.ply, entry);
        (best, best_move)
    }
}
