//! Principal variation search in numbered steps, in the order of execution.
//! Steps 6 to 10 are in `prune.rs`, 11 to 14 in `moves.rs`, 15, 17 and a part of 5 in
//! `learn.rs`. The search is fail-soft: a score outside the window is a bound.
//!
//! There are three kinds of nodes. PV nodes (`PV`) have an open window. A cut node (`cut`)
//! is expected to fail high on one of its first moves. Its children are all-nodes, where
//! every move is searched; their children are cut nodes again.
//!
//! The Elo beside a step is the gain of the engine over itself without that step, at 8,000
//! nodes a move, with its 95 % interval; `engine/CHANGELOG.md` has the games. A step that
//! gains only in deeper searches shows no gain at this limit.

use super::score::{DRAW, MAX_PLY, mate_in, mated_in};
use super::table::NO_EVAL;
use super::{Counter, Node, Search};
use crate::board::{Move, Position};
use crate::params::CheckExtension;

/// Halfmove clock from which the table causes no cutoffs before the horizon: its scores come
/// from other paths and do not include the approaching draw by the fifty-move rule (100
/// plies). It follows from that rule, so it is not an option.
const FIFTY_MOVES_NEAR: u16 = 90;

impl Search<'_> {
    /// Score of `position` in a search of `depth` plies. With `PV`, the window is open and
    /// the principal variation is kept. `cut` marks a cut node.
    pub(super) fn search<const PV: bool>(
        &mut self,
        position: &Position,
        ply: usize,
        mut depth: i32,
        mut alpha: i32,
        mut beta: i32,
        cut: bool,
    ) -> i32 {
        // Step 1 (-22 Elo [-64, 20]). Check extension (CheckExtension,
        // ExtensionLimit).
        let in_check = position.in_check();
        let excluded = self.frames[ply].excluded;
        let inherited = self.frames[..ply].last().map_or(0, |last| last.extensions);
        let extension = self.check_extension(ply, in_check && !excluded.is_some(), inherited);
        depth += extension;

        // Step 2 (+287 Elo [150, 634]). Quiescence from the horizon on
        // (Quiescence, HorizonChecks, HorizonCaptures).
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

        // Step 3. Draws by rule; the maximum ply; mate distance pruning: no mate from here
        // can be shorter than one already found (MateDistancePruning).
        if ply > 0 {
            if self.is_draw(position) {
                return DRAW;
            }
            if ply >= MAX_PLY {
                return self.evaluate(position, ply);
            }
            if self.params.mate_distance_pruning {
                alpha = alpha.max(mated_in(ply));
                beta = beta.min(mate_in(ply + 1));
                if alpha >= beta {
                    self.stats.count(Counter::MateDistanceCutoffs);
                    return alpha;
                }
            }
        }

        // Step 4 (+45 Elo [6, 85]). Transposition table (TableCutoffs).
        let hit = self.shared.table.probe(position.key, ply);
        self.stats.count_if(hit.is_some(), Counter::TableHits);
        let mut node = Node::new(position, ply, depth, alpha, beta, hit);
        (node.cut, node.excluded) = (cut, excluded);
        node.extensions = inherited + extension;
        if let Some(score) = self.table_cutoff::<PV>(&node) {
            return score;
        }
        if ply == 0 {
            node.table_move = self.root_moves[self.root_line].mv;
        }

        // Step 5 (improving: +66 Elo [18, 117]). Static evaluation
        // (CorrectionHistory), whether it has improved (Improving), and the history of
        // the last move (EvalHistory).
        self.assess(&mut node);

        // Steps 6 to 9. Pruning of the whole node.
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

        // Step 10. Internal iterative reduction.
        self.reduce_without_table_move::<PV>(&mut node);

        // Steps 11 to 15. The moves.
        self.search_moves::<PV>(&mut node);
        if self.stopped {
            return DRAW;
        }
        if node.multi_cut {
            return node.best;
        }

        // Step 16. Mate and stalemate.
        if node.tried == 0 {
            return match in_check {
                _ if excluded.is_some() => alpha,
                true => mated_in(ply),
                false => DRAW,
            };
        }

        // Step 17. Store the result.
        if !excluded.is_some() {
            self.remember::<PV>(&node, alpha);
        }
        node.best
    }

    /// Score of the table entry, if it is deep enough and causes a cutoff.
    fn table_cutoff<const PV: bool>(&mut self, node: &Node) -> Option<i32> {
        let entry = node.hit.filter(|entry| entry.depth >= node.depth)?;
        let (bound, score) = (entry.bound, entry.score);
        if !bound.decides_window(score, node.alpha, node.beta) {
            return None;
        }
        let allowed = self.params.table_cutoffs
            && self.may_cut::<PV>(node.ply)
            && !node.excluded.is_some()
            && node.position.halfmoves < FIFTY_MOVES_NEAR;
        self.stats.count_if(allowed, Counter::TableCutoffs);
        allowed.then_some(score)
    }

    /// Check extension in plies (0 or 1); `inherited` is the number of plies by which the
    /// line has been extended already.
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

    /// Whether the line is searched one ply beyond the horizon: in check or after a
    /// valuable capture, once in a line.
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

    /// Whether the node may be pruned as a whole: outside the principal variation, or
    /// anywhere below the root in plain alpha-beta.
    pub(super) fn may_cut<const PV: bool>(&self, ply: usize) -> bool {
        !PV || ply > 0 && !self.params.principal_variation_search
    }

    fn assess(&mut self, node: &mut Node) {
        let ply = node.ply;
        if node.excluded.is_some() {
            // A singular extension test: the node has been evaluated before.
            node.eval = self.frames[ply].eval;
        } else {
            if !node.in_check {
                self.find_eval(node, true);
            }
            self.frames[ply].eval = node.eval;
            self.learn_from_eval(node);
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
}
