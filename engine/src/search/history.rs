//! Histories: statistics of moves and of evaluation errors, from earlier parts of the search.
//!
//! Corrections are weighted means of errors. Every other value is updated by history gravity,
//! `value += gain * bonus - value * |bonus| / decay`. While no bonus exceeds `decay`, such values
//! stay within `gain * decay`; they always fit 16 bits.

use super::Frame;
use crate::board::{Move, Position, Role, Square};
use crate::params::Params;

type ByDestination = [i16; 64 * 12];

/// Index of a moved piece and its destination; by default no move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Moved(u16);

impl Default for Moved {
    fn default() -> Moved {
        Moved::NONE
    }
}

impl Moved {
    /// No move, or a null move.
    pub(super) const NONE: Moved = Moved(64 * 12);

    pub(super) fn new(position: &Position, mv: Move) -> Moved {
        let role = position.role_at(mv.from()).unwrap_or(Role::Pawn);
        let piece = position.turn.index() * 6 + role.index();
        Moved((piece * 64 + mv.to().index()) as u16)
    }

    /// The destination; `None` for a null move.
    pub(super) fn target(self) -> Option<Square> {
        (self != Moved::NONE).then(|| Square::new(self.index() % 64))
    }

    fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// Entries of each correction table.
const CORRECTIONS: usize = 1 << 14;
/// Units of a correction value per centipawn.
const CORRECTION_GRAIN: i32 = 256;

pub struct History {
    piece_to: ByDestination,
    from_to: [[[i16; 64]; 64]; 2],
    capture: Vec<[i16; 6]>,
    counter: [Move; 64 * 12],
    /// Index: the earlier move, then the move that followed it.
    continuation: Vec<ByDestination>,
    /// Index: side to move, then the key of the pawns, White's pieces or Black's pieces.
    correction: [[Vec<i16>; 3]; 2],
}

impl Default for History {
    fn default() -> History {
        History {
            piece_to: [0; 64 * 12],
            from_to: [[[0; 64]; 64]; 2],
            capture: vec![[0; 6]; 64 * 12],
            counter: [Move::NONE; 64 * 12],
            continuation: vec![[0; 64 * 12]; 64 * 12 + 1],
            correction: std::array::from_fn(|_| std::array::from_fn(|_| vec![0; CORRECTIONS])),
        }
    }
}

impl History {
    /// Clears all histories in place, which is faster than allocating new memory.
    pub fn clear(&mut self) {
        self.piece_to = [0; 64 * 12];
        self.from_to = [[[0; 64]; 64]; 2];
        self.capture.fill([0; 6]);
        self.counter = [Move::NONE; 64 * 12];
        self.continuation.fill([0; 64 * 12]);
        for table in self.correction.iter_mut().flatten() {
            table.fill(0);
        }
    }

    /// The histories of a node's quiet moves.
    pub(super) fn quiet<'h>(&'h self, params: &Params, line: &Line<'h>) -> QuietHistory<'h> {
        let mut history = self.anywhere(params, line);
        if params.continuation_history {
            let weigh =
                |(earlier, weight): (Moved, i32)| (&self.continuation[earlier.index()], weight);
            history.continuation = line.weighted(params).map(weigh);
        }
        history
    }

    /// The histories of a node's evasions (EvasionContinuation).
    pub(super) fn evasions<'h>(&'h self, params: &Params, line: &Line<'h>) -> QuietHistory<'h> {
        if params.evasion_continuation {
            self.quiet(params, line)
        } else {
            self.anywhere(params, line)
        }
    }

    /// Histories without the continuations of earlier moves.
    fn anywhere<'h>(&'h self, params: &Params, line: &Line<'h>) -> QuietHistory<'h> {
        let color = line.position.turn.index();
        QuietHistory {
            position: line.position,
            piece_to: params.piece_to_history.then_some(&self.piece_to),
            from_to: params.from_to_history.then_some(&self.from_to[color]),
            continuation: [(&self.continuation[0], 0); 3],
        }
    }

    /// The history of a capture; 0 without CaptureHistory.
    pub(super) fn capture(&self, params: &Params, position: &Position, mv: Move) -> i32 {
        if !params.capture_history {
            return 0;
        }
        let victim = position.captured(mv).unwrap_or(Role::Pawn);
        i32::from(self.capture[Moved::new(position, mv).index()][victim.index()])
    }

    /// The countermove: the quiet move that last caused a cutoff after `earlier`.
    pub(super) fn counter(&self, earlier: Moved) -> Move {
        match earlier {
            Moved::NONE => Move::NONE,
            _ => self.counter[earlier.index()],
        }
    }

    pub(super) fn set_counter(&mut self, earlier: Moved, mv: Move) {
        if earlier != Moved::NONE {
            self.counter[earlier.index()] = mv;
        }
    }

    pub(super) fn update_quiet(&mut self, params: &Params, line: &Line, mv: Move, bonus: i32) {
        let position = line.position;
        let gain = params.history_gain;
        let moved = Moved::new(position, mv).index();
        update(&mut self.piece_to[moved], bonus, gain, params.history_decay);
        let color = position.turn.index();
        let from_to = &mut self.from_to[color][mv.from().index()][mv.to().index()];
        update(from_to, bonus, gain, params.from_to_decay);
        if params.continuation_history {
            for (earlier, _) in line.weighted(params) {
                if earlier != Moved::NONE {
                    let value = &mut self.continuation[earlier.index()][moved];
                    update(value, bonus, gain, params.counter_history_decay);
                }
            }
        }
    }

    /// Updates the history of piece and destination alone.
    pub(super) fn update_piece_to(&mut self, params: &Params, moved: Moved, bonus: i32) {
        if let Some(value) = self.piece_to.get_mut(moved.index()) {
            update(value, bonus, params.history_gain, params.history_decay);
        }
    }

    pub(super) fn update_capture(&mut self, params: &Params, line: &Line, mv: Move, bonus: i32) {
        let position = line.position;
        let victim = position.captured(mv).unwrap_or(Role::Pawn);
        let value = &mut self.capture[Moved::new(position, mv).index()][victim.index()];
        let (gain, decay) = (params.history_gain, params.capture_history_decay);
        update(value, bonus, gain, decay);
    }

    /// Centipawns to add to the evaluation of a position.
    pub(super) fn correction(&self, params: &Params, position: &Position) -> i32 {
        let (pawns, pieces) = (params.correction_pawns, params.correction_pieces);
        let weights = [pawns, pieces, pieces];
        let tables = &self.correction[position.turn.index()];
        let mut sum = 0;
        let keys = correction_keys(position).into_iter();
        for ((key, table), weight) in keys.zip(tables).zip(weights) {
            sum += i32::from(table[key]) * weight;
        }
        sum / (100 * CORRECTION_GRAIN)
    }

    /// Updates the corrections after a search of `depth` plies whose score differed from the
    /// evaluation by `difference` centipawns.
    pub(super) fn update_correction(
        &mut self,
        params: &Params,
        position: &Position,
        depth: i32,
        difference: i32,
    ) {
        let weight = (depth + 1).min(params.correction_weight_limit);
        let error = params.correction_error_limit;
        let target = difference.clamp(-error, error) * CORRECTION_GRAIN;
        let limit = params.correction_limit * CORRECTION_GRAIN;
        let tables = &mut self.correction[position.turn.index()];
        for (key, table) in correction_keys(position).into_iter().zip(tables) {
            let old = i32::from(table[key]);
            let new = (old * (256 - weight) + target * weight) / 256;
            table[key] = new.clamp(-limit, limit) as i16;
        }
    }
}

fn correction_keys(position: &Position) -> [usize; 3] {
    position.part_keys.map(|key| key as usize % CORRECTIONS)
}

fn update(value: &mut i16, bonus: i32, gain: i32, decay: i32) {
    let old = i32::from(*value);
    let new = old + gain * bonus - old * bonus.abs() / decay;
    *value = new.clamp(i32::from(i16::MIN), i32::from(i16::MAX)) as i16;
}

/// The histories of a node's quiet moves, looked up once for all of them.
pub(super) struct QuietHistory<'h> {
    position: &'h Position,
    piece_to: Option<&'h ByDestination>,
    from_to: Option<&'h [[i16; 64]; 64]>,
    /// Continuation histories with their weights in percent.
    continuation: [(&'h ByDestination, i32); 3],
}

impl QuietHistory<'_> {
    /// The weighted sum of the histories of a move.
    pub(super) fn score(&self, mv: Move) -> i32 {
        let moved = Moved::new(self.position, mv).index();
        let piece_to = self.piece_to.map_or(0, |table| i32::from(table[moved]));
        let (from, to) = (mv.from().index(), mv.to().index());
        let from_to = self.from_to.map_or(0, |table| i32::from(table[from][to]));
        let mut sum = 100 * (piece_to + from_to);
        for (table, weight) in self.continuation {
            sum += i32::from(table[moved]) * weight;
        }
        sum / 100
    }
}

/// A node's position, and the moves one, two and four plies before it.
pub(super) struct Line<'p> {
    pub(super) position: &'p Position,
    before: [Moved; 3],
}

impl<'p> Line<'p> {
    /// `frames` ends with the frame of the move that led to the node.
    pub(super) fn new(position: &'p Position, frames: &[Frame]) -> Line<'p> {
        let back = |plies: usize| match frames.len().checked_sub(plies) {
            Some(index) => frames[index].moved,
            None => Moved::NONE,
        };
        let before = [back(1), back(2), back(4)];
        Line { position, before }
    }

    pub(super) fn last(&self) -> Moved {
        self.before[0]
    }

    fn weighted(&self, params: &Params) -> [(Moved, i32); 3] {
        let [one, two, four] = self.before;
        [
            (one, params.continuation_weight_1),
            (two, params.continuation_weight_2),
            (four, params.continuation_weight_4),
        ]
    }
}

/// The bonus of a move that caused a cutoff at `depth`; its negative is the penalty of the
/// moves before it.
pub(super) fn bonus(params: &Params, depth: i32) -> i32 {
    let bonus = params.history_bonus_square * depth * depth
        + params.history_bonus_linear * depth
        + params.history_bonus_constant;
    if params.history_bonus_cliff && bonus.abs() >= params.history_bonus_limit {
        return 0;
    }
    bonus.clamp(0, params.history_bonus_limit)
}

/// The bonus of a quiet move by the evaluations before and after it, each from the view of
/// the side to move.
pub(super) fn eval_bonus(params: &Params, before: i32, after: i32) -> i32 {
    let gain = -after - before;
    let limit = params.eval_history_limit;
    (gain * params.eval_history / 100).clamp(-limit, limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_approach_gain_times_decay() {
        for (decay, fixed_point) in [(324, 10_368), (936, 29_952)] {
            let mut value = 0;
            for _ in 0..10_000 {
                update(&mut value, 300, 32, decay);
                assert!(i32::from(value) <= fixed_point);
            }
            assert!(fixed_point - i32::from(value) < 40, "{value}");
            for _ in 0..10_000 {
                update(&mut value, -300, 32, decay);
            }
            assert!(fixed_point + i32::from(value) < 40, "{value}");
        }
    }

    #[test]
    fn an_update_by_hand() {
        let mut value = 10_000;
        update(&mut value, 64, 32, 324);
        assert_eq!(value, 10_000 + 2048 - 1975);
        let mut value = 10_000;
        update(&mut value, -64, 32, 324);
        assert_eq!(value, 10_000 - 2048 - 1975);
    }

    #[test]
    fn a_move_that_makes_the_evaluation_better_gets_a_bonus() {
        let params = Params {
            eval_history: 50,
            eval_history_limit: 40,
            ..Params::DEFAULT
        };
        // From 10 centipawns for the side that moves to 50.
        assert_eq!(eval_bonus(&params, 10, -50), 20);
        assert_eq!(eval_bonus(&params, 50, -10), -20);
        assert_eq!(eval_bonus(&params, -500, -500), 40);
        assert_eq!(eval_bonus(&params, 500, 500), -40);
    }

    #[test]
    fn the_bonus_has_a_limit_or_a_cliff() {
        let mut params = Params::DEFAULT;
        (params.history_bonus_square, params.history_bonus_linear) = (1, 2);
        assert_eq!(bonus(&params, 1), 1);
        assert_eq!(bonus(&params, 8), 78);
        assert_eq!(bonus(&params, 17), 321);
        assert_eq!(bonus(&params, 18), 324);
        params.history_bonus_cliff = true;
        assert_eq!(bonus(&params, 17), 321);
        assert_eq!(bonus(&params, 18), 0);
    }
}
