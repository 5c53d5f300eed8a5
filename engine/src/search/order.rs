//! The order of moves within a stage: scores of captures and quiet moves, and a stable
//! sort.

use super::picker::{Picker, Purpose};
use super::{Counter, Search};
use crate::board::{Move, MoveKind, Position, Role, Scored, movegen};
use crate::params::{CaptureOrder, QsMoves};

/// Above every score of a quiet move.
const CAPTURES: i32 = 1 << 28;
/// Above every score of a capture.
const QUEENS: i32 = 1 << 20;

impl Search<'_> {
    /// Adds captures and promotions, ordered.
    pub(super) fn add_noisy(&mut self, picker: &Picker) {
        let (position, purpose) = (picker.line.position, picker.purpose);
        let mut moves = std::mem::take(&mut self.moves);
        movegen::noisy(position, &mut moves);
        if matches!(purpose, Purpose::Quiescence { .. }) {
            self.add_knight_promotions(position, &mut moves, picker.next);
        }
        if purpose != Purpose::Main {
            movegen::keep(&mut moves, picker.next, |mv| {
                // A promotion to a queen captures the same piece.
                let needless = matches!(mv.kind(), MoveKind::Promotion(Role::Rook | Role::Bishop))
                    && matches!(purpose, Purpose::Quiescence { .. });
                !needless && self.wants(position, purpose, mv)
            });
        }
        for Scored { mv, score } in &mut moves[picker.next..] {
            *score = self.score_noisy(picker.order, position, *mv);
        }
        sort(&mut moves[picker.next..], i32::MIN);
        self.moves = moves;
    }

    /// Adds a promotion to a knight for each quiet one to a queen (QsKnightPromotions).
    fn add_knight_promotions(&self, position: &Position, moves: &mut Vec<Scored>, start: usize) {
        if !self.params.qs_knight_promotions || self.params.qs_moves < QsMoves::Promotions {
            return;
        }
        for i in start..moves.len() {
            let mv = moves[i].mv;
            if mv.promotes_to_queen() && position.captured(mv).is_none() {
                let mv = Move::promotion(mv.from(), mv.to(), Role::Knight);
                moves.push(Scored { mv, score: 0 });
            }
        }
    }

    /// Adds all evasions (in check) or all moves, captures first.
    pub(super) fn add_evasions(&mut self, picker: &Picker) {
        let (params, position) = (self.params, picker.line.position);
        let mut moves = std::mem::take(&mut self.moves);
        movegen::noisy(position, &mut moves);
        movegen::quiet(position, &mut moves);
        let history = self.history.evasions(params, &picker.line);
        for Scored { mv, score } in &mut moves[picker.next..] {
            *score = if !position.is_noisy(*mv) {
                if picker.quiet_history {
                    history.score(*mv)
                } else {
                    0
                }
            } else if picker.order == CaptureOrder::History {
                let attacker = position.role_at(mv.from()).map_or(0, |role| role as i32);
                CAPTURES + self.gain(position, *mv) - attacker
            } else {
                CAPTURES + self.score_noisy(picker.order, position, *mv)
            };
        }
        sort(&mut moves[picker.next..], i32::MIN);
        self.moves = moves;
    }

    /// Adds quiet moves, ordered by their histories.
    pub(super) fn add_quiet(&mut self, picker: &mut Picker) {
        movegen::quiet(picker.line.position, &mut self.moves);
        self.drop_unforcing(picker);
        let history = self.history.quiet(self.params, &picker.line);
        for Scored { mv, score } in &mut self.moves[picker.next..] {
            *score = history.score(*mv);
        }
        sort(&mut self.moves[picker.next..], picker.sorted_from);
    }

    /// Adds all moves at once in the order of the stages (StagedPicker off). The histories
    /// are those after the table move.
    pub(super) fn add_all(&mut self, picker: &mut Picker) {
        let position = picker.line.position;
        self.add_noisy(picker);
        let noisy = self.moves.split_off(picker.next);
        let good = |search: &Self, mv| search.see(position, mv, search.params.good_capture_see);
        let (good, bad): (Vec<_>, Vec<_>) =
            noisy.into_iter().partition(|scored| good(self, scored.mv));
        for _ in &bad {
            self.stats.count(Counter::BadCaptures);
        }
        self.moves.extend(good);
        for index in 0..picker.refutations.len() {
            if let Some(mv) = self.refutation(picker, index) {
                self.moves.push(Scored { mv, score: 0 });
            }
        }
        let (next, quiet) = (picker.next, self.moves.len());
        picker.next = quiet;
        self.add_quiet(picker);
        picker.next = next;
        movegen::keep(&mut self.moves, quiet, |mv| !picker.is_refutation(mv));
        self.moves.extend(bad);
    }

    /// Ordering score of a capture or promotion (CaptureOrder in the main search, QsOrder in
    /// quiescence).
    fn score_noisy(&self, order: CaptureOrder, position: &Position, mv: Move) -> i32 {
        let params = self.params;
        let value = |role: Role| self.shared.derived.exchange[role.index()];
        let attacker = position.role_at(mv.from()).unwrap_or(Role::King);
        let victim = position.captured(mv).map_or(0, value);
        match order {
            // Gain, minus the rank of the destination, and history.
            CaptureOrder::History => {
                let rank = mv.to().relative_rank(position.turn) as i32;
                let history = if params.capture_history {
                    self.history.capture(params, position, mv) / params.capture_history_div
                } else {
                    0
                };
                2 * self.gain(position, mv) - params.capture_rank_penalty * rank + history
            }
            // Promotions to a queen, then the most valuable victim by the least
            // valuable attacker.
            CaptureOrder::Attacker => {
                let queen = i32::from(mv.promotes_to_queen()) * QUEENS;
                queen + 8 * victim - attacker as i32
            }
            // The victim, plus its value above the attacker's, with less valuable attackers
            // first among equals.
            CaptureOrder::Gain => {
                let risked = match attacker {
                    Role::King => QUEENS,
                    role => value(role),
                };
                victim + (victim - risked).max(0) + Role::King as i32 - attacker as i32
            }
            CaptureOrder::Generated => 0,
        }
    }
}

/// Stable insertion sort, best first; moves with a score below `floor` stay in place behind
/// the others.
fn sort(moves: &mut [Scored], floor: i32) {
    for i in 1..moves.len() {
        let scored = moves[i];
        if scored.score <= floor {
            continue;
        }
        let mut hole = i;
        while hole > 0 && moves[hole - 1].score < scored.score {
            moves[hole] = moves[hole - 1];
            hole -= 1;
        }
        moves[hole] = scored;
    }
}
