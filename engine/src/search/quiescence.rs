//! Quiescence: from the horizon on, only moves that keep the position from
//! being quiet.

use super::score::{DRAW, INFINITE, MAX_PLY, from_table, mated_in, to_table};
use super::table::{Bound, Entry, NO_EVAL};
use super::{Search, gain, mvv_lva};
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
        mut alpha: i32,
        beta: i32,
    ) -> i32 {
        if PV {
            self.pvs[ply].clear();
        }
        if !self.enter_node(ply) {
            return 0;
        }
        let params = self.params;

        // 1. Draws by rule, and the end of the line.
        if self.is_draw(position) {
            return DRAW;
        }
        if ply >= MAX_PLY || !params.quiescence {
            return self.evaluate(position);
        }

        // 2. Transposition table: QsTt.
        let evading = position.in_check() && params.qs_evasions;
        let hit = match params.qs_tt {
            true => self.table.probe(position.key()),
            false => None,
        };
        if let Some(entry) = hit {
            let score = from_table(entry.score, ply);
            if !PV && entry.bound.decides(score, beta) {
                return score;
            }
        }

        // 3. Stand pat: QsStandPatInCheck, QsFailHard.
        let mut best = -INFINITE;
        let mut eval = NO_EVAL;
        if !evading || params.qs_stand_pat_in_check {
            eval = match hit {
                Some(entry) if entry.eval != NO_EVAL => entry.eval,
                _ => self.evaluate(position),
            };
            best = eval;
            if best >= beta {
                return best + (beta - best) * params.qs_fail_hard / 100;
            }
            alpha = alpha.max(best);
        }

        // 4. Limit of plies: QsMaxPly.
        if params.qs_max_ply > 0 && -depth >= params.qs_max_ply {
            return if best > -INFINITE {
                best
            } else {
                self.evaluate(position)
            };
        }

        // 5. Moves: QsMoves.
        let start = self.moves.len();
        if evading {
            movegen::noisy(position, &mut self.moves);
            movegen::quiet(position, &mut self.moves);
        } else if params.qs_moves > QsMoves::None {
            movegen::noisy(position, &mut self.moves);
        }
        let table_move = hit.map_or(Move::NONE, |entry| entry.mv);
        for i in start..self.moves.len() {
            let mv = self.moves[i].mv;
            self.moves[i].score = match mv == table_move {
                true => i32::MAX,
                false => mvv_lva(position, mv),
            };
        }

        let original_alpha = alpha;
        let mut best_move = Move::NONE;
        let mut legal = 0;
        for next in start..self.moves.len() {
            let mv = self.pick(next);
            if !position.is_legal(mv) {
                continue;
            }
            legal += 1;
            if !evading {
                if params.qs_moves == QsMoves::Captures && position.captured(mv).is_none() {
                    continue;
                }
                // 6. Delta pruning: QsDeltaPruning, QsDeltaMargin.
                let values = self.derived.exchange();
                if params.qs_delta_pruning
                    && !mv.is_promotion()
                    && eval + gain(values, position, mv) + params.qs_delta_margin <= alpha
                {
                    continue;
                }
                // 7. Losing captures: QsSee, QsSeeThreshold.
                if params.qs_see && !position.see_at_least(mv, params.qs_see_threshold, values) {
                    continue;
                }
            }
            let child = position.play(mv);
            self.table.prefetch(child.key());
            self.keys.push(child.key());
            let score = -self.quiesce::<PV>(&child, ply + 1, depth - 1, -beta, -alpha);
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
        }
        self.moves.truncate(start);

        // 8. Mate and stalemate.
        if evading && legal == 0 {
            return mated_in(ply);
        }
        if !position.in_check()
            && legal == 0
            && !position.has_pieces(position.turn())
            && movegen::legal_moves(position).is_empty()
        {
            return DRAW;
        }

        if params.qs_tt {
            let bound = match best {
                _ if best >= beta => Bound::Lower,
                _ if best > original_alpha => Bound::Exact,
                _ => Bound::Upper,
            };
            let entry = Entry {
                mv: best_move,
                score: to_table(best, ply),
                eval,
                depth: 0,
                bound,
                pv: PV,
            };
            self.table.store(position.key(), entry);
        }
        best
    }
}
