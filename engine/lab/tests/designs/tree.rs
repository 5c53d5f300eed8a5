//! The common parts of the listings: node counts, draws by rule, static evaluation, exchange
//! values and a table.

use std::collections::HashMap;
use stillwater::board::see::Values;
use stillwater::board::{Move, MoveKind, Position, Role, Square, movegen};
use stillwater::eval::Evaluator;
use stillwater::search::score::{DRAW, MATE_BOUND, from_table, to_table};
use stillwater::search::table::Bound;

/// An entry of the transposition table. Mate scores count from the position itself.
#[derive(Clone, Copy)]
pub(crate) struct Entry {
    pub(crate) score: i32,
    pub(crate) bound: Bound,
    pub(crate) depth: i32,
    pub(crate) mv: Move,
}

/// A search tree that is being visited.
pub(crate) struct Tree {
    pub(crate) nodes: u64,
    values: Values,
    table: HashMap<u64, Entry>,
    /// Keys of the positions from the root to the current node.
    keys: Vec<u64>,
    /// The moves between them, each with the exchange value of its victim.
    path: Vec<(Move, i32)>,
    evaluator: Evaluator,
}

impl Tree {
    /// A tree with an empty table; `values` are exchange values by role.
    pub(crate) fn new(values: Values) -> Tree {
        Tree {
            nodes: 0,
            values,
            table: HashMap::new(),
            keys: Vec::new(),
            path: Vec::new(),
            evaluator: Evaluator::default(),
        }
    }

    /// Makes `position` the root of a new tree. The table stays.
    pub(crate) fn start(&mut self, position: &Position) {
        self.nodes = 0;
        self.keys = vec![position.key];
        self.path.clear();
    }

    /// Counts a node.
    pub(crate) fn count(&mut self) {
        self.nodes += 1;
    }

    /// Draws by rule: fifty moves, material, or a repetition in the tree.
    pub(crate) fn is_draw(&self, position: &Position) -> bool {
        let [earlier @ .., _] = &self.keys[..] else {
            return false;
        };
        let fifty = position.halfmoves >= 100
            && !(position.in_check() && movegen::legal_moves(position).is_empty());
        fifty || position.insufficient_material() || earlier.contains(&position.key)
    }

    /// Counts a node; the score if it is drawn by rule.
    pub(crate) fn enter(&mut self, position: &Position) -> Option<i32> {
        self.count();
        self.is_draw(position).then_some(DRAW)
    }

    pub(crate) fn evaluate(&mut self, position: &Position) -> i32 {
        let value = self.evaluator.evaluate(position, self.path.len(), true);
        value.clamp(1 - MATE_BOUND, MATE_BOUND - 1)
    }

    /// The result of `search` for the position after `mv`.
    pub(crate) fn after<T>(
        &mut self,
        position: &Position,
        mv: Move,
        search: impl FnOnce(&mut Tree, &Position) -> T,
    ) -> T {
        let child = position.play(mv);
        self.keys.push(child.key);
        self.path.push((mv, self.victim(position, mv)));
        let result = search(self, &child);
        self.path.pop();
        self.keys.pop();
        result
    }

    /// Destination of the last move; `None` at the root.
    pub(crate) fn last_target(&self) -> Option<Square> {
        self.path.last().map(|(mv, _)| mv.to())
    }

    /// Exchange value of the piece that the last move captured.
    pub(crate) fn last_victim(&self) -> i32 {
        self.path.last().map_or(0, |&(_, victim)| victim)
    }

    pub(crate) fn value(&self, role: Role) -> i32 {
        self.values[role.index()]
    }

    /// Exchange value of the piece that `mv` captures, also en passant.
    pub(crate) fn victim(&self, position: &Position, mv: Move) -> i32 {
        position.captured(mv).map_or(0, |role| self.value(role))
    }

    /// The same, plus the gain of a promotion.
    pub(crate) fn gain(&self, position: &Position, mv: Move) -> i32 {
        let promotion = match mv.kind() {
            MoveKind::Promotion(role) => self.value(role) - self.value(Role::Pawn),
            _ => 0,
        };
        self.victim(position, mv) + promotion
    }

    /// The exchange value of the piece that moves.
    pub(crate) fn attacker(&self, position: &Position, mv: Move) -> i32 {
        let role = position.role_at(mv.from());
        role.map_or(0, |role| self.value(role))
    }

    /// Whether `mv` gains at least `threshold` by exchanges.
    pub(crate) fn see(&self, position: &Position, mv: Move, threshold: i32) -> bool {
        position.see_at_least(mv, threshold, &self.values)
    }

    /// The entry of a position `ply` plies from the root.
    pub(crate) fn probe(&self, position: &Position, ply: usize) -> Option<Entry> {
        let mut entry = *self.table.get(&position.key)?;
        entry.score = from_table(entry.score, ply);
        Some(entry)
    }

    /// Stores a position; without a move it keeps the one it had.
    pub(crate) fn store(&mut self, position: &Position, ply: usize, mut entry: Entry) {
        entry.score = to_table(entry.score, ply);
        if let Some(old) = self.table.get(&position.key)
            && !entry.mv.is_some()
        {
            entry.mv = old.mv;
        }
        self.table.insert(position.key, entry);
    }
}

/// A window of alpha and beta, and where a node is.
#[derive(Clone, Copy)]
pub(crate) struct Node {
    pub(crate) alpha: i32,
    pub(crate) beta: i32,
    /// Plies from the root.
    pub(crate) ply: usize,
    /// 0 at the horizon, then −1, −2, …; in the main search the depth left.
    pub(crate) depth: i32,
}

impl Node {
    /// The node after a move, seen by the other side.
    pub(crate) fn child(self) -> Node {
        Node {
            alpha: -self.beta,
            beta: -self.alpha,
            ply: self.ply + 1,
            depth: self.depth - 1,
        }
    }

    /// Whether the table may decide the node: not at the root with an open window, which must
    /// return a move.
    pub(crate) fn may_be_answered(self) -> bool {
        self.ply > 0 || self.beta - self.alpha == 1
    }

    /// The score of an entry that is deep enough and whose bound decides this
    /// window: 002, section 7.2.
    pub(crate) fn answer(self, entry: Option<Entry>, least_depth: i32) -> Option<i32> {
        let entry = entry.filter(|entry| self.may_be_answered() && entry.depth >= least_depth)?;
        let decides = match entry.bound {
            Bound::Exact => true,
            Bound::Lower => entry.score >= self.beta,
            Bound::Upper => entry.score <= self.alpha,
            Bound::None => false,
        };
        decides.then_some(entry.score)
    }

    /// The bound of a score found with this window.
    pub(crate) fn bound(self, score: i32) -> Bound {
        match score {
            _ if score >= self.beta => Bound::Lower,
            _ if score > self.alpha => Bound::Exact,
            _ => Bound::Upper,
        }
    }
}

/// A document's quiescence search.
pub(crate) type Quiescence = fn(&mut Tree, &Position, Node) -> i32;
