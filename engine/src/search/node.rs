//! Principal variation search, read as numbered steps. Steps 6 to 11 are in
//! `prune.rs`, 13 to 15 in `moves.rs`.

use super::history::{Line, bonus};
use super::score::{DRAW, INFINITE, MAX_PLY, is_mate, mate_in, mated_in};
use super::table::{Bound, Entry, NO_EVAL};
use super::{Counter, Search};
use crate::board::{Move, Position};
use crate::params::CheckExtension;

/// Most moves of each kind that pay when a later one refutes.
const REMEMBERED: usize = 48;

/// What the steps of one node share, also in quiescence.
pub(super) struct Node<'p> {
    pub(super) position: &'p Position,
    pub(super) ply: usize,
    /// In quiescence 0 at the horizon, then −1, −2, …
    pub(super) depth: i32,
    pub(super) alpha: i32,
    pub(super) beta: i32,
    /// A cutoff is expected here.
    pub(super) cut: bool,
    pub(super) in_check: bool,
    pub(super) hit: Option<Entry>,
    pub(super) table_move: Move,
    /// Evaluation as it was computed; [`NO_EVAL`] in check.
    raw_eval: i32,
    /// The same, corrected by history.
    pub(super) eval: i32,
    pub(super) improving: bool,
    /// The move that is being tested for singularity, left out here.
    pub(super) excluded: Move,
    pub(super) best: i32,
    pub(super) best_move: Move,
    /// Moves given out, those skipped too.
    pub(super) tried: usize,
    /// Plies of extension in the line up to here, the node's own included.
    pub(super) extensions: i32,
    /// The node was decided by a multi-cut.
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

    /// The evaluation, or the table's score where that is a better bound.
    pub(super) fn guess(&self) -> i32 {
        let better = |hit: &Entry| hit.bound.decides(hit.score, self.eval) && !is_mate(hit.score);
        self.hit.filter(better).map_or(self.eval, |hit| hit.score)
    }
}

impl Search<'_> {
    /// The score of `position`, searched `depth` plies deep. With `PV` the
    /// window is open and a principal variation is kept.
    pub(super) fn node<const PV: bool>(
        &mut self,
        position: &Position,
        ply: usize,
        mut depth: i32,
        mut alpha: i32,
        mut beta: i32,
        cut: bool,
    ) -> i32 {
        // 1. Check extension (CheckExtension, ExtensionLimit), then the horizon
        // (HorizonChecks, HorizonCaptures).
        let in_check = position.in_check();
        let excluded = self.frames[ply].excluded;
        let inherited = self.frames[..ply].last().map_or(0, |last| last.extensions);
        let extension = self.check_extension(ply, in_check && !excluded.is_some(), inherited);
        depth += extension;
        self.frames[ply].horizon_extended = false;
        if depth <= 0 {
            if !self.extends_horizon(ply, in_check) {
                return self.quiesce::<PV>(position, ply, 0, alpha, beta);
            }
            self.frames[ply].horizon_extended = true;
            depth = 1;
        }
        if PV {
            self.pvs[ply].clear();
        }
        if !self.enter_node(ply) {
            return DRAW;
        }
        self.stats.count(Counter::MainNodes);

        // 2. Draws by rule; the longest line; no mate from here can be nearer
        // than one already found (MateDistancePruning).
        if ply > 0 {
            if self.is_draw(position) {
                return DRAW;
            }
            if ply >= MAX_PLY {
                return self.evaluate(position);
            }
            if self.params.mate_distance {
                alpha = alpha.max(mated_in(ply));
                beta = beta.min(mate_in(ply + 1));
                if alpha >= beta {
                    self.stats.count(Counter::MateDistanceCutoffs);
                    return alpha;
                }
            }
        }

        // 3. Transposition table (TableCutoffs). Near the fiftieth move a score
        // found on another path may hide the draw.
        let hit = self.shared.table.probe(position.key, ply);
        if let Some(entry) = hit {
            self.stats.count(Counter::TableHits);
            let cutoff = self.params.table_cutoffs
                && self.may_cut::<PV>(ply)
                && !excluded.is_some()
                && entry.depth >= depth
                && position.halfmoves < 90
                && entry.bound.decides_window(entry.score, alpha, beta);
            if cutoff {
                self.stats.count(Counter::TableCutoffs);
                return entry.score;
            }
        }
        let mut node = Node::new(position, ply, depth, alpha, beta, hit);
        (node.cut, node.excluded) = (cut, excluded);
        node.extensions = inherited + extension;
        if ply == 0 {
            node.table_move = self.root_moves[self.root_line].mv;
        }

        // 4. Static evaluation (CorrectionHistory), and whether it improves.
        self.assess(&mut node);

        // 5. The whole node may be decided without searching its moves.
        if self.may_cut::<PV>(ply)
            && !in_check
            && !excluded.is_some()
            && let Some(score) = self.decide_early(&mut node)
        {
            return score;
        }
        if self.stopped {
            return DRAW;
        }
        self.reduce_blind::<PV>(&mut node);

        // 12. The moves.
        self.try_moves::<PV>(&mut node);
        if self.stopped {
            return DRAW;
        }
        if node.multi_cut {
            return node.best;
        }

        // 16. Mate and stalemate.
        if node.tried == 0 {
            return match in_check {
                _ if excluded.is_some() => alpha,
                true => mated_in(ply),
                false => DRAW,
            };
        }

        // 17. What has been learnt.
        if !excluded.is_some() {
            self.remember::<PV>(&node, alpha);
        }
        node.best
    }

    /// A ply if the side to move is in check and the line, which has been
    /// extended by `inherited` plies, may still be extended.
    fn check_extension(&mut self, ply: usize, in_check: bool, inherited: i32) -> i32 {
        let allowed = match self.params.check_extension {
            CheckExtension::Off => false,
            CheckExtension::Once => !self.frames[..ply].iter().any(|frame| frame.check_extended),
            CheckExtension::Always => true,
        };
        let extends = in_check && allowed && inherited < self.params.extension_limit;
        self.frames[ply].check_extended = extends;
        self.stats.count_if(extends, Counter::CheckExtensions);
        i32::from(extends)
    }

    /// Whether the line is searched a ply further than the horizon: once, in
    /// check or after a valuable capture.
    fn extends_horizon(&mut self, ply: usize, in_check: bool) -> bool {
        let (params, line) = (self.params, &self.frames[..ply]);
        let least = params.horizon_captures;
        let captured = line.last().map_or(0, |last| last.captured);
        let extends = (params.horizon_checks && in_check || least > 0 && captured >= least)
            && ply < MAX_PLY
            && !line.iter().any(|frame| frame.horizon_extended);
        self.stats.count_if(extends, Counter::HorizonExtensions);
        extends
    }

    /// Whether the node may be decided without searching its moves: outside the
    /// principal variation, or anywhere below the root in plain alpha-beta.
    pub(super) fn may_cut<const PV: bool>(&self, ply: usize) -> bool {
        !PV || ply > 0 && !self.params.principal_variation
    }

    fn assess(&mut self, node: &mut Node) {
        let ply = node.ply;
        if node.excluded.is_some() {
            // The same node has just been assessed.
            node.eval = self.frames[ply].eval;
        } else {
            if !node.in_check {
                self.find_eval(node, true);
            }
            self.frames[ply].eval = node.eval;
        }
        self.frames[ply + 1].killers = [Move::NONE; 2];
        let earlier = [2, 4]
            .into_iter()
            .filter_map(|plies| ply.checked_sub(plies))
            .map(|ply| self.frames[ply].eval)
            .find(|&eval| eval != NO_EVAL);
        node.improving = self.params.improving
            && node.eval != NO_EVAL
            && earlier.is_none_or(|earlier| node.eval > earlier);
    }

    /// Finds the evaluation: remembered or computed, and, if wanted, corrected by
    /// history.
    pub(super) fn find_eval(&mut self, node: &mut Node, correct: bool) {
        node.raw_eval = match node.hit {
            Some(entry) if entry.eval != NO_EVAL => entry.eval,
            _ => self.evaluate(node.position),
        };
        node.eval = match correct {
            true => self.corrected(node.position, node.raw_eval),
            false => node.raw_eval,
        };
    }

    /// Takes in the score of a move: whether the opponent will avoid this node.
    pub(super) fn refutes<const PV: bool>(
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
                // The move, and the line that has been found after it.
                let (head, tail) = self.pvs.split_at_mut(node.ply + 1);
                head[node.ply].clear();
                head[node.ply].push(mv);
                head[node.ply].extend_from_slice(&tail[0]);
            }
        }
        score >= node.beta
    }

    /// Rewards the move that refuted; what was tried before it, from `start` on,
    /// pays.
    pub(super) fn learn(&mut self, node: &Node, start: usize) {
        self.stats.count(Counter::BetaCutoffs);
        let first = node.tried == 1;
        self.stats.count_if(first, Counter::FirstMoveCutoffs);
        let (params, position, best) = (self.params, node.position, node.best_move);
        let line = Line::new(position, &self.frames[..node.ply]);
        let bonus = bonus(params, node.depth);
        let history = &mut *self.history;
        let tried = self.tried[start..].iter();
        if position.is_noisy(best) {
            history.update_capture(params, &line, best, bonus);
        } else {
            let killers = &mut self.frames[node.ply].killers;
            if killers[0] != best {
                *killers = [best, killers[0]];
            }
            history.set_counter(line.last(), best);
            history.update_quiet(params, &line, best, bonus);
            let quiets = tried.clone().filter(|(_, noisy)| !noisy);
            for &(mv, _) in quiets.take(REMEMBERED) {
                history.update_quiet(params, &line, mv, -bonus);
            }
        }
        let captures = tried.filter(|(_, noisy)| *noisy);
        for &(mv, _) in captures.take(REMEMBERED) {
            history.update_capture(params, &line, mv, -bonus);
        }
    }

    /// Stores the node, and how far its evaluation was from the truth.
    fn remember<const PV: bool>(&mut self, node: &Node, original_alpha: i32) {
        let bound = Bound::of(node.best, original_alpha, node.beta, PV);
        let informative = match bound {
            Bound::Lower => node.best > node.eval,
            Bound::Upper => node.best < node.eval,
            _ => true,
        };
        if self.params.correction_history
            && !node.in_check
            && informative
            && !is_mate(node.best)
            && !(node.best_move.is_some() && node.position.is_noisy(node.best_move))
        {
            let difference = node.best - node.raw_eval;
            self.history
                .update_correction(node.position, node.depth, difference);
        }
        if node.ply == 0 && self.root_line > 0 {
            return;
        }
        self.store(node, node.depth, bound, PV);
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
