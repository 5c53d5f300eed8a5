//! Static evaluation in centipawns.

pub mod tapered;
pub mod weights;

use crate::board::{Color, Position, Role};
use tapered::Tapered;

/// The value of a position for the side to move, in centipawns.
pub fn evaluate(position: &Position) -> i32 {
    let mut total = position.psqt();
    for (color, sign) in [(Color::White, 1), (Color::Black, -1)] {
        if position.pieces(color, Role::Bishop).more_than_one() {
            total += weights::BISHOP_PAIR * sign;
        }
    }
    let own: Tapered = match position.turn() {
        Color::White => total,
        Color::Black => -total,
    };
    (own + weights::TEMPO).blend(position.phase(), 64)
}
