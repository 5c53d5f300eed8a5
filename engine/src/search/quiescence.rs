//! Quiescence: from the horizon on, only moves that keep the position from
//! being quiet.

use super::picker::{Picker, Purpose};
use super::score::{DRAW, INFINITE, MATE_BOUND, MAX_PLY, is_mate, mated_in};
use super::table::Bound;
use super::{Counter, Moved, Node, Search};
use crate::board::{Move, Position, movegen};
use crate::params::QsMoves;

impl Search<'_> {
    /// The score of `position`, which is `ply` half moves from the root and
    /// `depth` (0, −1, …) from the horizon.
    pub(super) fn quiesce<const PV: bool>(
        &mut self,
        position: &Position,
        ply: usize,
        depth: i32,
        alpha: i32,
        beta: i32,
    ) -> i32 {
        if PV {
            self.pvs[ply].clear();
        }
        if !self.enter_node(ply) {
            return DRAW;
        }
        self.stats.count(Counter::QsNodes);
        self.stats.qs_depth = self.stats.qs_depth.max(-depth as usize);
        let params = self.params;

        // 1. Draws by rule; the longest line there is; Quiescence switched off.
        if self.is_draw(position) {
            return DRAW;
        }
        if ply >= MAX_PLY || !params.quiescence {
            return self.evaluate(position);
        }

        // 2. Transposition table (QsTt). Entries made with quiet checks
        // (QsChecksDepth) answer for those without (QsNoChecksDepth).
        let evading = position.in_check() && params.qs_evasions;
        let with_checks = params.qs_moves == QsMoves::Checks && depth >= params.qs_checks_depth;
        let table_depth = match evading || with_checks {
            true => params.qs_checks_depth,
            false => params.qs_no_checks_depth,
        };
        let probe = || self.shared.table.probe(position.key, ply);
        let hit = params.qs_tt.then(probe).flatten();
        if let Some(entry) = hit {
            self.stats.count(Counter::QsTableHits);
            if !PV && entry.depth >= table_depth && entry.bound.decides(entry.score, beta) {
                self.stats.count(Counter::QsTableCutoffs);
                return entry.score;
            }
        }

        // 3. Stand pat (QsStandPatInCheck, QsFailHard): not to move on.
        let mut node = Node::new(position, ply, depth, alpha, beta, hit);
        if !evading || params.qs_stand_pat_in_check {
            self.find_eval(&mut node);
            node.best = node.guess();
            if node.best >= beta {
                self.stats.count(Counter::StandPatCutoffs);
                if hit.is_none() && params.qs_tt {
                    self.store(&node, params.qs_no_checks_depth, Bound::Lower, PV);
                }
                return self.soften(node.best, beta);
            }
            node.alpha = alpha.max(node.best);
        }

        // 4. Limit of plies (QsMaxPly), counted from the horizon.
        if params.qs_max_ply > 0 && -depth >= params.qs_max_ply {
            self.stats.count(Counter::QsPlyLimits);
            return match node.best > -INFINITE {
                true => node.best,
                false => self.evaluate(position),
            };
        }
        if params.qs_moves == QsMoves::None && !evading {
            return node.best;
        }

        // 5. Moves (QsMoves, QsEvasions, QsChecksDepth, QsRecaptureDepth).
        let original_alpha = node.alpha;
        let checks = with_checks && !node.in_check;
        let last = self.frames[..ply].last().map(|frame| frame.moved);
        let purpose = match last.and_then(Moved::target) {
            _ if evading => Purpose::Evasions,
            Some(square) if depth <= params.qs_recapture_depth => Purpose::Recaptures(square),
            _ => Purpose::Quiescence { checks },
        };
        let recaptures = matches!(purpose, Purpose::Recaptures(_));
        self.stats.count_if(evading, Counter::QsEvasionNodes);
        self.stats.count_if(recaptures, Counter::QsRecaptureNodes);
        let mut picker = self.picker(&node, purpose);
        self.try_noisy_moves::<PV>(&mut node, &mut picker);
        self.moves.truncate(picker.start);
        if self.stopped {
            return DRAW;
        }

        // 6. Mate, and the stalemate of a side with king and pawns only.
        if evading && node.tried == 0 {
            return mated_in(ply);
        }
        if node.tried == 0
            && !node.in_check
            && position.officers(position.turn).is_empty()
            && movegen::legal_moves(position).is_empty()
        {
            return DRAW;
        }

        if params.qs_tt {
            let bound = Bound::of(node.best, original_alpha, beta, PV);
            self.store(&node, table_depth, bound, PV);
        }
        self.soften(node.best, beta)
    }

    /// What a node returns, less if it is a cutoff: QsFailHard.
    fn soften(&self, score: i32, beta: i32) -> i32 {
        match score < beta || is_mate(score) {
            true => score,
            false => score + (beta - score) * self.params.qs_fail_hard / 100,
        }
    }

    fn try_noisy_moves<const PV: bool>(&mut self, node: &mut Node, picker: &mut Picker) {
        let (position, params) = (node.position, self.params);
        let evading = node.in_check && params.qs_evasions;
        while let Some(mv) = self.next_move(picker) {
            node.tried += 1;
            if node.best > -MATE_BOUND
                && let Some(reason) = self.reason_to_skip_noisy(node, mv, evading)
            {
                self.stats.count(reason);
                continue;
            }
            // Limit of moves (QsMoveLimit).
            if params.qs_move_limit > 0
                && node.tried > params.qs_move_limit as usize
                && node.best > -INFINITE
            {
                self.stats.count(Counter::QsMoveLimits);
                return;
            }
            let check = !evading && !position.is_noisy(mv);
            self.stats.count_if(check, Counter::QsChecks);
            let child = self.make(node, mv);
            let (alpha, beta) = (-node.beta, -node.alpha);
            let score = -self.quiesce::<PV>(&child, node.ply + 1, node.depth - 1, alpha, beta);
            self.keys.pop();
            if self.stopped {
                return;
            }
            if self.refutes::<PV>(node, mv, score) {
                self.stats.count(Counter::QsBetaCutoffs);
                return;
            }
        }
    }

    /// Why a move need not be looked at, if so.
    fn reason_to_skip_noisy(&self, node: &mut Node, mv: Move, evading: bool) -> Option<Counter> {
        let (position, params, alpha) = (node.position, self.params, node.alpha);
        let noisy = position.is_noisy(mv);
        if evading {
            // 5a. Evasions that lose material (QsEvasionPruning).
            let skip = params.qs_evasion_pruning && !noisy && !self.see(position, mv, 0);
            return skip.then_some(Counter::QsEvasionPrunes);
        }
        if noisy && !mv.is_promotion() && !is_mate(alpha) {
            // 5b. Delta pruning (QsDeltaPruning, QsDeltaMargin,
            // QsDeltaMarginEndgame), capture by capture.
            let reach = node.eval + self.gain(position, mv) + self.delta_margin(position);
            if params.qs_delta_pruning && reach <= alpha {
                node.best = node.best.max(reach);
                return Some(Counter::QsDeltaPrunes);
            }
            // 5c. Futility (QsFutility, QsFutilityBase): so far below alpha
            // only what wins something.
            let base = node.eval + params.qs_futility_base;
            if params.qs_futility && base <= alpha && !self.see(position, mv, 1) {
                node.best = node.best.max(base);
                return Some(Counter::QsFutilityPrunes);
            }
        }
        // 5d. Losing moves (QsSee, QsSeeThreshold). A quiet check wins nothing
        // by itself: it need only not lose.
        let threshold = match noisy {
            true => params.qs_see_threshold,
            false => params.qs_see_threshold.min(0),
        };
        let skip = params.qs_see && !self.see(position, mv, threshold);
        skip.then_some(Counter::QsSeePrunes)
    }

    fn delta_margin(&self, position: &Position) -> i32 {
        match position.officers(!position.turn).more_than_one() {
            true => self.params.qs_delta_margin,
            false => self.params.qs_delta_margin_endgame,
        }
    }
}
