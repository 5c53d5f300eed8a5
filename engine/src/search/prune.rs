//! Steps 6 to 10: pruning and reduction of a whole node before its moves are searched.

use super::picker::Purpose;
use super::score::{INFINITE, MATE_BOUND, is_mate};
use super::table::{Bound, Entry, NO_EVAL};
use super::{Counter, Moved, Node, Search};

impl Search<'_> {
    /// Score of a node that is pruned as a whole (steps 6 to 9). The node must not be in
    /// check nor on the principal variation.
    pub(super) fn decide_early(&mut self, node: &mut Node) -> Option<i32> {
        let guess = node.guess();
        // `-INFINITE` is an open window, not a mate score.
        if is_mate(node.beta) || is_mate(node.alpha) && node.alpha > -INFINITE {
            return None;
        }
        self.reverse_futility(node, guess)
            .or_else(|| self.razor(node, guess))
            .or_else(|| self.null_move(node, guess))
            .or_else(|| self.prob_cut(node))
    }

    /// Step 6 (+70 Elo [20, 123]). Reverse futility (ReverseFutility,
    /// ReverseFutilityDepth, ReverseFutilityMargin, ReverseFutilityImproving,
    /// ReverseFutilityBlend): the evaluation is above beta by more than a margin for the
    /// remaining depth.
    fn reverse_futility(&mut self, node: &Node, guess: i32) -> Option<i32> {
        let params = self.params;
        if !params.reverse_futility || node.depth > params.reverse_futility_depth {
            return None;
        }
        let margin = params.reverse_futility_margin * node.depth
            - i32::from(node.improving) * params.reverse_futility_improving;
        if guess - margin.max(0) < node.beta {
            return None;
        }
        self.stats.count(Counter::ReverseFutilityCutoffs);
        let blend = params.reverse_futility_blend;
        Some((guess * blend + node.beta * (100 - blend)) / 100)
    }

    /// Step 7 (-1 Elo [-31, 30]). Razoring (Razoring, RazoringDepth, RazoringBase,
    /// RazoringMargin): the evaluation is so far below alpha that only quiescence is searched.
    fn razor(&mut self, node: &Node, guess: i32) -> Option<i32> {
        let params = self.params;
        let margin = params.razoring_base + params.razoring_margin * node.depth;
        if !params.razoring || node.depth > params.razoring_depth || guess + margin > node.alpha {
            return None;
        }
        self.stats.count(Counter::RazoringTries);
        let (alpha, beta) = (node.alpha, node.alpha + 1);
        let score = self.quiesce::<false>(node.position, node.ply, 0, alpha, beta);
        if self.stopped || score > alpha {
            return None;
        }
        self.stats.count(Counter::RazoringCutoffs);
        Some(score)
    }

    /// Step 8 (-1 Elo [-31, 30]). Null move (NullMove, NullMoveDepth,
    /// NullMoveEvalMargin, NullMoveBase, NullMoveDepthDiv, NullMoveEvalDiv,
    /// NullMoveEvalLimit): a reduced search after passing still reaches beta. Not with king
    /// and pawns only, where zugzwang is common; deep cutoffs are verified
    /// (NullMoveVerifyDepth).
    fn null_move(&mut self, node: &Node, guess: i32) -> Option<i32> {
        let (params, position, ply) = (self.params, node.position, node.ply);
        let after_null = ply > 0 && self.frames[ply - 1].moved == Moved::NONE;
        if !params.null_move
            || node.depth < params.null_move_depth
            || guess < node.beta
            || node.eval < node.beta - params.null_move_eval_margin
            || after_null
            || ply < self.no_null_before
            || position.non_pawn_material(position.turn).is_empty()
        {
            return None;
        }
        self.stats.count(Counter::NullMoveTries);
        let reduction = params.null_move_base
            + node.depth / params.null_move_depth_div
            + ((guess - node.beta) / params.null_move_eval_div).min(params.null_move_eval_limit);
        let depth = node.depth - reduction;
        let child = self.make_null(node);
        let (alpha, beta) = (node.beta - 1, node.beta);
        let score = -self.search::<false>(&child, ply + 1, depth, -beta, -alpha, !node.cut);
        self.keys.pop();
        if self.stopped || score < beta {
            return None;
        }
        // A mate after a null move is not proven.
        let score = if is_mate(score) { beta } else { score };
        if node.depth >= params.null_move_verify_depth && self.no_null_before == 0 {
            // No null moves in three quarters of the reduced depth. The fraction is fixed;
            // NullMoveVerifyDepth is the option to tune.
            self.no_null_before = ply + (3 * depth.max(0) as usize) / 4 + 1;
            let verified = self.search::<false>(position, ply, depth, alpha, beta, false);
            self.no_null_before = 0;
            if self.stopped || verified < beta {
                return None;
            }
        }
        self.stats.count(Counter::NullMoveCutoffs);
        Some(score)
    }

    /// Step 9 (+2 Elo [-26, 31]). ProbCut (ProbCut, ProbCutDepth, ProbCutMargin,
    /// ProbCutReduction, ProbCutSeeMargin): a capture beats beta by a margin in a shallower
    /// search, so the node is expected to fail high.
    fn prob_cut(&mut self, node: &mut Node) -> Option<i32> {
        let (params, ply) = (self.params, node.ply);
        let beta = node.beta + params.prob_cut_margin;
        let depth = (node.depth - params.prob_cut_reduction).max(0);
        let refutes = |entry: Entry| entry.depth >= depth && entry.score < beta;
        if !params.prob_cut
            || node.depth < params.prob_cut_depth
            || beta >= MATE_BOUND
            || node.eval == NO_EVAL
            || node.hit.is_some_and(refutes)
        {
            return None;
        }
        let purpose = Purpose::ProbCut(beta - node.eval + params.prob_cut_see_margin);
        let mut picker = self.picker(node, purpose);
        let mut found = None;
        while let Some(mv) = self.next_move(&mut picker) {
            self.stats.count(Counter::ProbCutTries);
            let child = self.make(node, mv);
            let mut score = -self.quiesce::<false>(&child, ply + 1, 0, -beta, -beta + 1);
            if score >= beta && depth > 1 && !self.stopped {
                let (low, high) = (-beta, -beta + 1);
                score = -self.search::<false>(&child, ply + 1, depth - 1, low, high, !node.cut);
            }
            self.keys.pop();
            if self.stopped {
                break;
            }
            if score >= beta {
                self.stats.count(Counter::ProbCutCutoffs);
                (node.best, node.best_move) = (score, mv);
                self.store(node, depth, Bound::Lower, false);
                found = Some(score);
                break;
            }
        }
        self.moves.truncate(picker.start);
        found
    }

    /// Step 10 (-12 Elo [-48, 25]). Internal iterative reduction
    /// (InternalIterativeReduction, IirDepth): without a table move, moves are ordered
    /// badly; a shallower search stores one for the next iteration.
    pub(super) fn reduce_without_table_move<const PV: bool>(&mut self, node: &mut Node) {
        if self.params.internal_iterative_reduction
            && node.depth >= self.params.iir_depth
            && !node.table_move.is_some()
            && !node.excluded.is_some()
            && (PV || node.cut)
        {
            node.depth -= 1;
            self.stats.count(Counter::IterativeReductions);
        }
    }
}
