//! The search: iterative deepening over principal variation search, which
//! ends in quiescence.
//!
//! # Layout
//!
//! * [`root`]: iterations, aspiration windows, when to stop.
//! * `alpha_beta`, `prune`, `moves`, `learn`: principal variation search in
//!   numbered steps; `node`: the state that these steps share.
//! * `quiescence`: quiescence search, from the horizon on.
//! * `picker`, `order`, [`history`]: move ordering.
//! * [`table`]: the transposition table.
//! * [`limits`]: limits, clock and the stop signal.
//! * [`derived`]: values computed from the parameters.
//! * [`stats`]: counters of search events.
//! * [`score`]: scores of mates and draws.

mod alpha_beta;
pub mod derived;
pub mod history;
mod learn;
pub mod limits;
mod moves;
mod node;
mod order;
mod picker;
mod prune;
mod quiescence;
pub mod root;
pub mod score;
pub mod stats;
pub mod table;

use crate::board::{Move, MoveKind, MoveList, Position, Role, movegen};
use crate::eval::Evaluator;
use crate::params::Params;
use derived::Derived;
use history::{History, Moved};
use limits::{Clock, Limits};
use node::Node;
use root::RootMove;
pub use root::{Observer, Outcome, Report, Silent};
use score::{MATE_BOUND, MAX_PLY};
use stats::{Counter, Stats};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use table::Table;

/// A game so far: the position, and the keys of all positions up to it.
#[derive(Clone)]
pub struct Game {
    pub position: Position,
    pub keys: Vec<u64>,
}

impl Game {
    pub fn new(position: Position) -> Game {
        let keys = vec![position.key];
        Game { position, keys }
    }

    pub fn play(&mut self, mv: Move) {
        self.position = self.position.play(mv);
        self.keys.push(self.position.key);
    }
}

/// The state that the threads of one search share.
pub struct Shared<'a> {
    pub params: &'a Params,
    pub derived: &'a Derived,
    pub table: &'a Table,
    pub game: &'a Game,
    pub limits: &'a Limits,
    pub clock: Clock<'a>,
    /// Set when the main thread has its best move.
    pub finished: AtomicBool,
    /// Nodes searched by the other threads.
    pub helper_nodes: AtomicU64,
}

/// The memory of one thread, which lasts from search to search.
#[derive(Default)]
pub struct Memory {
    pub history: History,
    /// Depends only on positions, so it is never cleared.
    pub evaluator: Evaluator,
}

/// One ply of the search stack.
#[derive(Clone, Copy, Default)]
struct Frame {
    killers: [Move; 2],
    eval: i32,
    /// The move made at this ply.
    moved: Moved,
    /// The move excluded by a singular extension test.
    excluded: Move,
    /// Whether this node was extended for being in check.
    check_extended: bool,
    /// Whether the move made at this ply is quiet.
    quiet: bool,
    /// Plies of extension in the line, including those of the move made at this ply.
    extensions: i32,
    /// Whether this node was extended at the horizon.
    horizon_extended: bool,
    /// Exchange value of the piece that the move captured; 0 unless HorizonCaptures is set.
    captured: i32,
}

/// One search by one thread.
pub struct Search<'a> {
    shared: &'a Shared<'a>,
    params: &'a Params,
    history: &'a mut History,
    evaluator: &'a mut Evaluator,
    observer: &'a mut dyn Observer,
    /// 0 for the main thread, which answers.
    thread: u64,
    /// Sorted best first, up to the line being searched.
    root_moves: Vec<RootMove>,
    /// Index of the MultiPV line being searched.
    root_line: usize,
    keys: Vec<u64>,
    frames: Vec<Frame>,
    pvs: Vec<Vec<Move>>,
    /// Stack of generated moves; each picker uses the part above its `start`.
    moves: MoveList,
    /// Stack of moves that caused no cutoff at the nodes of the current line, and
    /// whether they are noisy.
    tried: Vec<(Move, bool)>,
    /// While a null move is verified: minimum ply of further null moves.
    no_null_before: usize,
    nodes: u64,
    node_limit: u64,
    seldepth: usize,
    stopped: bool,
    stats: Stats,
}

/// Nodes between two checks of the clock; they take well under a millisecond.
const CLOCK_NODES: u64 = 1024;

impl<'a> Search<'a> {
    /// A search by thread number `thread`, limited to `node_limit` nodes.
    pub fn new(
        shared: &'a Shared<'a>,
        memory: &'a mut Memory,
        observer: &'a mut dyn Observer,
        (thread, node_limit): (u64, u64),
    ) -> Search<'a> {
        Search {
            shared,
            params: shared.params,
            history: &mut memory.history,
            evaluator: &mut memory.evaluator,
            observer,
            thread,
            root_moves: Vec::new(),
            root_line: 0,
            keys: shared.game.keys.clone(),
            frames: vec![Frame::default(); MAX_PLY + 4],
            pvs: vec![Vec::new(); MAX_PLY + 2],
            moves: MoveList::with_capacity(4096),
            tried: Vec::with_capacity(4096),
            no_null_before: 0,
            nodes: 0,
            node_limit,
            seldepth: 0,
            stopped: false,
            stats: Stats::NEW,
        }
    }

    /// Counts a node. Returns false once the node limit, the time or `stop` has ended
    /// the search.
    fn enter_node(&mut self, ply: usize) -> bool {
        if self.nodes >= self.node_limit {
            self.stopped = true;
        } else if self.nodes.is_multiple_of(CLOCK_NODES) && self.nodes > 0 {
            self.check_clock();
        }
        if self.stopped {
            return false;
        }
        self.nodes += 1;
        self.seldepth = self.seldepth.max(ply);
        true
    }

    fn check_clock(&mut self) {
        if self.thread == 0 {
            self.observer.tick();
            self.stopped |= self.shared.clock.is_over();
        } else {
            let helped = &self.shared.helper_nodes;
            helped.fetch_add(CLOCK_NODES, Ordering::Relaxed);
            self.stopped |= self.shared.finished.load(Ordering::Relaxed);
        }
    }

    /// Whether the game is drawn by rule, apart from stalemate. A mate on the last of
    /// the fifty moves counts as mate.
    fn is_draw(&self, position: &Position) -> bool {
        if position.halfmoves >= 100 {
            return !position.in_check() || !movegen::legal_moves(position).is_empty();
        }
        position.insufficient_material() || self.is_repetition(position)
    }

    /// Whether the position occurred before: once since the root, or twice in the game.
    fn is_repetition(&self, position: &Position) -> bool {
        let last = self.keys.len() - 1;
        let mut seen = 0;
        for back in (4..=usize::from(position.reversible).min(last)).step_by(2) {
            if self.keys[last - back] == position.key {
                seen += 1;
                if seen == 2 || last - back + 1 >= self.shared.game.keys.len() {
                    return true;
                }
            }
        }
        false
    }

    fn evaluate(&mut self, position: &Position, ply: usize) -> i32 {
        let value = self.evaluator.evaluate(position, ply, self.params.network);
        value.clamp(1 - MATE_BOUND, MATE_BOUND - 1)
    }

    /// Correction of the evaluation, in centipawns, from earlier searches of positions
    /// with the same pawns or pieces.
    fn correction(&mut self, position: &Position) -> i32 {
        if !self.params.correction_history {
            return 0;
        }
        let correction = self.history.correction(self.params, position);
        let corrects = correction != 0;
        self.stats.count_if(corrects, Counter::EvalCorrections);
        correction
    }

    /// Makes a move. The caller pops its key from `keys` afterwards.
    fn make(&mut self, node: &Node, mv: Move) -> Position {
        if self.params.network {
            self.evaluator.visit(node.position, node.ply);
        }
        let moved = Moved::new(node.position, mv);
        let child = node.position.play(mv);
        self.descend(node, &child, moved);
        self.frames[node.ply].quiet = !node.position.is_noisy(mv);
        if self.params.horizon_captures > 0 {
            let victim = node.position.captured(mv);
            let value = |role: Role| self.shared.derived.exchange[role.index()];
            self.frames[node.ply].captured = victim.map_or(0, value);
        }
        child
    }

    fn make_null(&mut self, node: &Node) -> Position {
        let child = node.position.play_null();
        self.frames[node.ply].captured = 0;
        self.frames[node.ply].quiet = false;
        self.shared.table.prefetch(child.key);
        self.descend(node, &child, Moved::NONE);
        child
    }

    fn descend(&mut self, node: &Node, child: &Position, moved: Moved) {
        self.keys.push(child.key);
        let frame = &mut self.frames[node.ply];
        (frame.moved, frame.extensions) = (moved, node.extensions);
        self.frames[node.ply + 1].excluded = Move::NONE;
    }

    /// Whether the static exchange evaluation of a move is at least `threshold` centipawns.
    fn see(&self, position: &Position, mv: Move, threshold: i32) -> bool {
        position.see_at_least(mv, threshold, &self.shared.derived.exchange)
    }

    /// Exchange value of the captured piece, plus the gain of a promotion.
    fn gain(&self, position: &Position, mv: Move) -> i32 {
        let value = |role: Role| self.shared.derived.exchange[role.index()];
        let promoted = match mv.kind() {
            MoveKind::Promotion(role) => value(role) - value(Role::Pawn),
            _ => 0,
        };
        position.captured(mv).map_or(0, value) + promoted
    }
}
