//! What earlier parts of the search say about moves.

use crate::board::{Color, Move};
use crate::params::Params;

/// Scores of quiet moves by side, origin and destination.
pub struct History {
    butterfly: Vec<[[i16; 64]; 64]>,
}

impl History {
    pub fn new() -> History {
        History {
            butterfly: vec![[[0; 64]; 64]; 2],
        }
    }

    pub fn clear(&mut self) {
        self.butterfly.fill([[0; 64]; 64]);
    }

    pub fn quiet(&self, color: Color, mv: Move) -> i32 {
        i32::from(self.butterfly[color.index()][mv.from().index()][mv.to().index()])
    }

    pub fn update_quiet(&mut self, params: &Params, color: Color, mv: Move, bonus: i32) {
        let value = &mut self.butterfly[color.index()][mv.from().index()][mv.to().index()];
        let old = i32::from(*value);
        let new = old + params.history_gain * bonus - old * bonus.abs() / params.history_decay;
        *value = new.clamp(-32_000, 32_000) as i16;
    }
}

impl Default for History {
    fn default() -> History {
        History::new()
    }
}

/// The bonus for a move that was good at `depth`; bad ones get its negative.
pub fn bonus(depth: i32) -> i32 {
    (depth * depth + 2 * depth - 2).min(323)
}
