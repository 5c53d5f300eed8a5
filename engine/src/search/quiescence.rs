//! Quiescence search: beyond the horizon, only captures, promotions, evasions and, if
//! wanted, checks are searched, until the position is quiet.

use super::picker::{Picker, Purpose};
use super::score::{DRAW, MATE_BOUND, MAX_PLY, is_mate, mated_in};
use super::table::{Bound, NO_EVAL};
use super::{Counter, Moved, Node, Search};
use crate::board::{Bitboard, Move, MoveList, Position, Role, movegen};
use crate::params::{NodeDelta, QsMoves, QuietGate};

impl Search<'_> {
    /// Score of `position`, `ply` plies from the root. `depth` is 0 at the horizon and falls
    /// by 1 with each ply of quiescence.
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

        // 1. Draws by rule; the maximum ply.
        if self.is_draw(position) {
            return DRAW;
        }
        if ply >= MAX_PLY {
            return self.evaluate(position, ply);
        }

        // 2. Ply limits: from the horizon (QsMaxPly), from the root (QsMaxPlyFromRoot).
        if let Some(limit) = self.ply_limit(ply, depth) {
            self.stats.count(limit);
            let mut node = Node::new(position, ply, depth, alpha, beta, None);
            self.find_eval(&mut node, params.qs_correction);
            return node.eval;
        }

        // 3. Transposition table (QsTt). Entries of a search with quiet checks (depth
        // QsChecksDepth) are also valid for one without (QsNoChecksDepth).
        let evading = position.in_check() && params.qs_evasions && params.quiescence;
        let with_checks = params.qs_moves == QsMoves::Checks && depth >= params.qs_checks_depth;
        let table_depth = if evading || with_checks {
            params.qs_checks_depth
        } else {
            params.qs_no_checks_depth
        };
        let probe = || self.shared.table.probe(position.key, ply);
        let hit = params.qs_tt.then(probe).flatten();
        if let Some(entry) = hit {
            self.stats.count(Counter::QsTableHits);
            if self.may_cut::<PV>(ply)
                && entry.depth >= table_depth
                && entry.bound.decides_window(entry.score, alpha, beta)
            {
                self.stats.count(Counter::QsTableCutoffs);
                return entry.score;
            }
        }
        let mut node = Node::new(position, ply, depth, alpha, beta, hit);

        // 4. Quiescence switched off (Quiescence); quiet positions (QsQuietGate).
        if !params.quiescence || self.is_quiet(position) {
            self.find_eval(&mut node, params.qs_correction);
            node.best = node.eval;
            return self.leave_quiescence::<PV>(&node, table_depth, (alpha, alpha));
        }

        // 5. Stand pat (QsStandPatInCheck).
        if params.qs_moves == QsMoves::All {
            self.stats.count(Counter::QsAllMoves);
        } else if !evading || params.qs_stand_pat_in_check {
            self.find_eval(&mut node, params.qs_correction);
            node.best = if params.qs_tt_eval {
                node.guess()
            } else {
                node.eval
            };
            if node.best >= beta {
                self.stats.count(Counter::StandPatCutoffs);
                if hit.is_none() {
                    self.store_quiescent(&node, params.qs_no_checks_depth, Bound::Lower, PV);
                }
                return self.soften(node.best, alpha, beta);
            }
            node.alpha = alpha.max(node.best);
        }
        if params.qs_moves == QsMoves::None && !evading {
            return self.soften(node.best, alpha, beta);
        }

        // 6. Delta pruning of the whole node (QsNodeDelta, QsNodeDeltaMargin).
        if !evading && node.eval != NO_EVAL && self.is_node_hopeless(&node) {
            self.stats.count(Counter::QsNodeDeltaPrunes);
            return self.soften(node.best, alpha, beta);
        }

        // 7. The moves (QsMoves, QsEvasions, QsChecksDepth, QsRecaptureDepth).
        let floor = if params.qs_tt_exact {
            alpha
        } else {
            node.alpha
        };
        // The minimum of QsRecaptureDepth switches it off.
        let (checks, limit) = (with_checks && !node.in_check, params.qs_recapture_depth);
        let last = self.frames[..ply].last().map(|frame| frame.moved);
        let purpose = match last.and_then(Moved::target) {
            _ if evading || params.qs_moves == QsMoves::All => Purpose::Evasions,
            Some(square) if depth <= limit && limit > -64 => Purpose::Recaptures(square),
            _ => Purpose::Quiescence { checks },
        };
        let recaptures = matches!(purpose, Purpose::Recaptures(_));
        self.stats.count_if(evading, Counter::QsEvasionNodes);
        self.stats.count_if(recaptures, Counter::QsRecaptureNodes);
        let mut picker = self.quiescence_picker(&node, purpose);
        self.search_noisy_moves::<PV>(&mut node, &mut picker);
        self.moves.truncate(picker.start);
        if self.stopped {
            return DRAW;
        }

        // 8. Mate; stalemate of a side that has only king and pawns.
        if node.tried == 0 {
            if purpose == Purpose::Evasions {
                return if node.in_check { mated_in(ply) } else { DRAW };
            }
            if !node.in_check
                && position.non_pawn_material(position.turn).is_empty()
                && movegen::legal_moves(position).is_empty()
            {
                return DRAW;
            }
        }
        self.leave_quiescence::<PV>(&node, table_depth, (alpha, floor))
    }

    /// Stores a node that was entered with `alpha` and returns its score. The score is exact
    /// if it lies above `floor` and below beta.
    fn leave_quiescence<const PV: bool>(
        &self,
        node: &Node,
        table_depth: i32,
        (alpha, floor): (i32, i32),
    ) -> i32 {
        let bound = Bound::of(node.best, floor, node.beta, PV);
        self.store_quiescent(node, table_depth, bound, PV);
        self.soften(node.best, alpha, node.beta)
    }

    fn store_quiescent(&self, node: &Node, depth: i32, bound: Bound, pv: bool) {
        if self.params.qs_tt && self.params.qs_tt_store {
            self.store(node, depth, bound, pv);
        }
    }

    /// The ply limit that ends the line at this node, if one does.
    fn ply_limit(&self, ply: usize, depth: i32) -> Option<Counter> {
        let (params, from_root) = (self.params, self.params.qs_max_ply_from_root);
        if params.qs_max_ply > 0 && -depth >= params.qs_max_ply {
            return Some(Counter::QsPlyLimits);
        }
        let ends = from_root > 0 && ply >= from_root as usize;
        ends.then_some(Counter::QsRootPlyLimits)
    }

    /// Whether a position counts as quiet, so that its evaluation is returned (QsQuietGate).
    fn is_quiet(&mut self, position: &Position) -> bool {
        let gate = self.params.qs_quiet_gate;
        if gate == QuietGate::Off || position.in_check() {
            return false;
        }
        let mut moves = MoveList::new();
        movegen::noisy(position, &mut moves);
        let disturbs = |mv| {
            position.is_legal(mv)
                && match gate {
                    QuietGate::NoGain => self.see(position, mv, 1),
                    _ => position.captured(mv).is_some(),
                }
        };
        let quiet = !moves.into_iter().any(|scored| disturbs(scored.mv));
        self.stats.count_if(quiet, Counter::QsQuietGates);
        quiet
    }

    /// Whether delta pruning of the whole node applies (QsNodeDelta).
    fn is_node_hopeless(&self, node: &Node) -> bool {
        let (margin, needed) = (self.params.qs_node_delta_margin, node.alpha - node.best);
        match self.params.qs_node_delta {
            NodeDelta::Off => false,
            NodeDelta::Margin => margin <= needed,
            NodeDelta::BestCapture => margin.max(self.best_gain(node.position)) < needed,
        }
    }

    /// Maximum gain of one move: the exchange value of the opponent's best piece, plus the
    /// gain of a promotion if a pawn stands on the seventh rank.
    fn best_gain(&self, position: &Position) -> i32 {
        let value = |role: Role| self.shared.derived.exchange[role.index()];
        let best = [Role::Queen, Role::Rook, Role::Bishop, Role::Knight]
            .into_iter()
            .find(|&role| position.pieces(!position.turn, role).any())
            .unwrap_or(Role::Pawn);
        let ready =
            position.pieces(position.turn, Role::Pawn) & Bitboard::relative_rank(position.turn, 6);
        if ready.any() {
            value(best) + value(Role::Queen) - value(Role::Pawn)
        } else {
            value(best)
        }
    }

    /// The score that a node with this window returns: moved towards the bound by QsFailHard
    /// percent above beta and QsFailHardLow percent below alpha.
    fn soften(&self, score: i32, alpha: i32, beta: i32) -> i32 {
        let blend = |bound: i32, percent: i32| score + (bound - score) * percent / 100;
        match score {
            _ if is_mate(score) => score,
            _ if score >= beta => blend(beta, self.params.qs_fail_hard),
            _ if score < alpha => blend(alpha, self.params.qs_fail_hard_low),
            _ => score,
        }
    }

    fn search_noisy_moves<const PV: bool>(&mut self, node: &mut Node, picker: &mut Picker) {
        let (position, params) = (node.position, self.params);
        let mut searched = 0;
        while let Some(mv) = self.next_move(picker) {
            node.tried += 1;
            if node.best > -MATE_BOUND
                && let Some(reason) = self.reason_to_skip_noisy(node, mv, picker.see_threshold)
            {
                self.stats.count(reason);
                continue;
            }
            // Move limit (QsMoveLimit), unless all moves so far lead to mate.
            let limit = params.qs_move_limit;
            if limit > 0 && searched >= limit && node.best > -MATE_BOUND {
                self.stats.count(Counter::QsMoveLimits);
                return;
            }
            searched += 1;
            let promotes = mv.is_promotion() && !position.is_noisy(mv);
            let check = picker.gives_checks() && !promotes && !position.is_noisy(mv);
            self.stats.count_if(promotes, Counter::QsKnightPromotions);
            self.stats.count_if(check, Counter::QsChecks);
            let child = self.make(node, mv);
            let (alpha, beta) = (-node.beta, -node.alpha);
            let score = -self.quiesce::<PV>(&child, node.ply + 1, node.depth - 1, alpha, beta);
            self.keys.pop();
            if self.stopped {
                return;
            }
            if self.update_best::<PV>(node, mv, score) {
                self.stats.count(Counter::QsBetaCutoffs);
                return;
            }
        }
    }

    /// Pruning of a move: its reason, or `None` if the move is searched. `see_threshold` is
    /// the exchange value in centipawns that a capture must reach.
    fn reason_to_skip_noisy(
        &self,
        node: &mut Node,
        mv: Move,
        see_threshold: i32,
    ) -> Option<Counter> {
        let (position, params, alpha) = (node.position, self.params, node.alpha);
        let (noisy, known) = (position.is_noisy(mv), node.eval != NO_EVAL);
        if node.in_check && params.qs_evasions {
            // 7a. SEE pruning of evasions (QsEvasionPruning).
            let skip = params.qs_evasion_pruning && !noisy && !self.see(position, mv, 0);
            return skip.then_some(Counter::QsEvasionPrunes);
        }
        if noisy && !mv.is_promotion() && !is_mate(alpha) {
            // 7b. Delta pruning of a capture (QsDeltaPruning, QsDeltaMargin,
            // QsDeltaMarginEndgame).
            let reach = node.eval + self.gain(position, mv) + self.delta_margin(position);
            if params.qs_delta_pruning && known && reach <= alpha {
                self.note_reach(node, reach);
                return Some(Counter::QsDeltaPrunes);
            }
            // 7c. Futility pruning (QsFutility, QsFutilityBase): far below alpha, only
            // captures that win material are searched.
            let base = node.eval + params.qs_futility_base;
            if params.qs_futility && known && base <= alpha && !self.see(position, mv, 1) {
                self.note_reach(node, base);
                return Some(Counter::QsFutilityPrunes);
            }
            // 7d. Captures of a much less valuable piece (QsAttackerPruning,
            // QsAttackerMargin).
            let value = |role: Role| self.shared.derived.exchange[role.index()];
            let attacker = position.role_at(mv.from()).map_or(0, value);
            let victim = position.captured(mv).map_or(0, value);
            if params.qs_attacker_pruning && attacker > victim + params.qs_attacker_margin {
                return Some(Counter::QsAttackerPrunes);
            }
        }
        // 7e. SEE pruning (QsSee, QsSeeThreshold, QsSeePromotions). A quiet check captures
        // nothing, so its threshold is at most 0.
        if !params.qs_see || mv.is_promotion() && !params.qs_see_promotions {
            return None;
        }
        let threshold = if noisy {
            see_threshold
        } else {
            see_threshold.min(0)
        };
        let skip = !self.see(position, mv, threshold);
        skip.then_some(Counter::QsSeePrunes)
    }

    /// Raises the best score to `reach`, the estimate for a pruned capture (QsPrunedScore).
    fn note_reach(&self, node: &mut Node, reach: i32) {
        if self.params.qs_pruned_score {
            node.best = node.best.max(reach);
        }
    }

    fn delta_margin(&self, position: &Position) -> i32 {
        if position.non_pawn_material(!position.turn).more_than_one() {
            self.params.qs_delta_margin
        } else {
            self.params.qs_delta_margin_endgame
        }
    }
}
