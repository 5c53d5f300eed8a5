//! Steps 5, 15 and 17: what a node teaches.

use super::history::{Line, bonus, eval_bonus};
use super::score::is_mate;
use super::table::{Bound, NO_EVAL};
use super::{Counter, Node, Search};

/// Most moves of each kind that are penalised when a later one refutes: what
/// comes after them hardly ever comes first, so it is not worth an option.
const REMEMBERED: usize = 48;

impl Search<'_> {
    /// Step 15 (capture history +11 Elo [-12, 35], origin and destination +8
    /// [-16, 33], continuation +4 [-22, 32]). Rewards the move that refuted and
    /// penalises what was tried before it, from `start` on.
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

    /// Step 5. A quiet move that has made the evaluation better for its side gets a
    /// bonus in the history of piece and destination, and a penalty if it has made it
    /// worse, before anything is searched (EvalHistory, EvalHistoryLimit).
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

    /// Step 17. Stores the node, and how far its evaluation was from the score
    /// (correction history: -25 Elo [-69, 18], since then its weights are
    /// halved: +29 [12, 46]).
    pub(super) fn remember<const PV: bool>(&mut self, node: &Node, original_alpha: i32) {
        // The score of a second line, or of some moves only, is not that of the position.
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
