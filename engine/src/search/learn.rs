//! Steps 5 (in part), 15 and 17: updates of histories, table and corrections after a node.

use super::history::{Line, bonus, eval_bonus};
use super::score::is_mate;
use super::table::{Bound, NO_EVAL};
use super::{Counter, Node, Search};

/// Maximum number of moves of each kind that are penalised after a cutoff by a later one.
/// Moves after these are hardly ever searched first, so it is not an option.
const REMEMBERED: usize = 48;

impl Search<'_> {
    /// Step 15 (capture history +11 Elo [-12, 35], origin and destination +8
    /// [-16, 33], continuation +4 [-22, 32]). Rewards the move that caused the cutoff and
    /// penalises the moves tried before it (`self.tried` from `start` on).
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

    /// Step 5. The last move, if quiet, gets a bonus in the history of piece and destination
    /// if the evaluation has become better for its side, else a penalty (EvalHistory,
    /// EvalHistoryLimit).
    pub(super) fn learn_from_eval(&mut self, node: &Node) {
        let params = self.params;
        let Some(last) = self.frames[..node.ply].last() else {
            return;
        };
        let known = node.eval != NO_EVAL && last.eval != NO_EVAL;
        if params.eval_history > 0 && last.quiet && known {
            let bonus = eval_bonus(params, last.eval, node.eval);
            self.history.update_piece_to(params, last.moved, bonus);
        }
    }

    /// Step 17. Stores the node in the table, and the error of its evaluation in the
    /// correction history (-25 Elo [-69, 18]; its weights were then halved: +29 [12, 46]).
    pub(super) fn remember<const PV: bool>(&mut self, node: &Node, original_alpha: i32) {
        // With MultiPV or `searchmoves`, the score may be of other moves than the best.
        let limits = self.shared.limits;
        if node.ply == 0 && (self.root_line > 0 || !limits.search_moves.is_empty()) {
            return;
        }
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
            let (params, difference) = (self.params, node.best - node.raw_eval);
            let history = &mut self.history;
            history.update_correction(params, node.position, node.depth, difference);
        }
        self.store(node, node.depth, bound, PV);
    }
}
