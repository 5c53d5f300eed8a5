//! Principal variation search.

use super::history::bonus;
use super::score::{DRAW, INFINITE, MAX_PLY, from_table, is_mate, mate_in, mated_in, to_table};
use super::table::{Bound, Entry, NO_EVAL};
use super::{Search, has_pieces, mvv_lva};
use crate::board::{Move, Position, movegen};

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
    ) -> i32 {
        // 1. Horizon.
        let in_check = position.in_check();
        if in_check {
            depth += 1;
        }
        if depth <= 0 {
            return self.quiesce::<PV>(position, ply, 0, alpha, beta);
        }
        if PV {
            self.pvs[ply].clear();
        }
        if !self.enter_node(ply) {
            return 0;
        }
        let root = ply == 0;

        // 2. Draws by rule; no mate here can beat one found nearer the root.
        if !root {
            if self.is_draw(position) {
                return DRAW;
            }
            if ply >= MAX_PLY {
                return self.evaluate(position);
            }
            alpha = alpha.max(mated_in(ply));
            beta = beta.min(mate_in(ply + 1));
            if alpha >= beta {
                return alpha;
            }
        }

        // 3. Transposition table.
        let hit = self.table.probe(position.key());
        if let Some(entry) = hit {
            let score = from_table(entry.score, ply);
            if !PV && entry.depth >= depth && entry.bound.decides(score, beta) {
                return score;
            }
        }
        let table_move = hit.map_or(Move::NONE, |entry| entry.mv);

        // 4. Static evaluation.
        let params = self.params;
        let eval = match hit {
            _ if in_check => NO_EVAL,
            Some(entry) if entry.eval != NO_EVAL => entry.eval,
            _ => self.evaluate(position),
        };
        self.frames[ply].eval = eval;
        self.frames[ply + 1].killers = [Move::NONE; 2];

        let us = position.turn();
        if !PV && !in_check && !is_mate(beta) {
            // 5. Reverse futility: ReverseFutility, …Depth, …Margin.
            if params.reverse_futility
                && depth <= params.reverse_futility_depth
                && eval - params.reverse_futility_margin * depth >= beta
            {
                return eval;
            }
            // 6. Null move: NullMove, …Depth, …Base, …DepthDiv.
            let passed = self.keys.len() > self.root_keys && position.reversible() == 0;
            if params.null_move
                && depth >= params.null_move_depth
                && eval >= beta
                && !passed
                && has_pieces(position, us)
            {
                let reduction = params.null_move_base + depth / params.null_move_depth_div;
                let child = position.play_null();
                self.keys.push(child.key());
                let score =
                    -self.node::<false>(&child, ply + 1, depth - reduction, -beta, -beta + 1);
                self.keys.pop();
                if self.stopped {
                    return 0;
                }
                if score >= beta {
                    return if is_mate(score) { beta } else { score };
                }
            }
        }

        // 7. The moves in order: table move, captures, killers, quiets.
        let start = self.moves.len();
        movegen::noisy(position, &mut self.moves);
        let first_quiet = self.moves.len();
        movegen::quiet(position, &mut self.moves);
        let killers = self.frames[ply].killers;
        for i in start..self.moves.len() {
            let mv = self.moves[i].mv;
            self.moves[i].score = if mv == table_move {
                i32::MAX
            } else if i < first_quiet {
                let wins = position.see_at_least(mv, 0, self.derived.exchange());
                mvv_lva(position, mv) + if wins { 1_000_000 } else { -1_000_000 }
            } else if let Some(rank) = killers.iter().position(|&killer| killer == mv) {
                500_000 - rank as i32
            } else {
                self.history.quiet(us, mv)
            };
        }

        let original_alpha = alpha;
        let mut best = -INFINITE;
        let mut best_move = Move::NONE;
        let mut number = 0;
        let mut quiets_tried: [Move; 32] = [Move::NONE; 32];
        let mut quiets = 0;
        for next in start..self.moves.len() {
            let mv = self.pick(next);
            if !position.is_legal(mv) || root && !self.root_moves.contains(&mv) {
                continue;
            }
            number += 1;
            let noisy = position.is_noisy(mv);
            let child = position.play(mv);
            self.table.prefetch(child.key());
            self.keys.push(child.key());

            // 8. Late move reductions: LateMoveReductions, LmrDepth, …Base, …Div.
            let mut score = -INFINITE;
            let mut full = number > 1 || !PV;
            if params.late_move_reductions
                && depth >= params.lmr_depth
                && number > 1 + usize::from(PV)
                && !noisy
                && !in_check
            {
                let mut reduction = self.derived.reduction(depth, number);
                reduction -= i32::from(PV) + i32::from(child.in_check());
                let reduced = (depth - 1 - reduction).clamp(1, depth - 1);
                score = -self.node::<false>(&child, ply + 1, reduced, -alpha - 1, -alpha);
                full = score > alpha && reduced < depth - 1;
            }
            // 9. The null window, then the open one.
            if full {
                score = -self.node::<false>(&child, ply + 1, depth - 1, -alpha - 1, -alpha);
            }
            if PV && (number == 1 || score > alpha) {
                score = -self.node::<true>(&child, ply + 1, depth - 1, -beta, -alpha);
            }
            self.keys.pop();
            if self.stopped {
                self.moves.truncate(start);
                return 0;
            }

            if score > best {
                best = score;
                if score > alpha {
                    alpha = score;
                    best_move = mv;
                    if PV {
                        self.update_pv(ply, mv);
                    }
                    if score >= beta {
                        break;
                    }
                }
            }
            if !noisy && quiets < quiets_tried.len() {
                quiets_tried[quiets] = mv;
                quiets += 1;
            }
        }
        self.moves.truncate(start);

        // 10. Mate and stalemate.
        if number == 0 {
            return if in_check { mated_in(ply) } else { DRAW };
        }

        // 11. Histories: the move that refuted, and those tried before it.
        if best >= beta && !position.is_noisy(best_move) {
            let killers = &mut self.frames[ply].killers;
            if killers[0] != best_move {
                *killers = [best_move, killers[0]];
            }
            let bonus = bonus(depth);
            self.history.update_quiet(params, us, best_move, bonus);
            for &mv in &quiets_tried[..quiets] {
                self.history.update_quiet(params, us, mv, -bonus);
            }
        }

        let bound = match best {
            _ if best >= beta => Bound::Lower,
            _ if PV && best > original_alpha => Bound::Exact,
            _ => Bound::Upper,
        };
        let entry = Entry {
            mv: best_move,
            score: to_table(best, ply),
            eval,
            depth,
            bound,
            pv: PV,
        };
        self.table.store(position.key(), entry);
        best
    }
}
