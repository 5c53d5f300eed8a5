//! The accumulator: the sums of the first layer, updated incrementally from ply to ply.

use super::{Network, Row, input, is_mirrored};
use crate::board::{Bitboard, Color, Position, Role};
use crate::eval::MAX_PLY;

/// The sums of one position.
#[derive(Clone)]
#[repr(align(64))]
struct Sums {
    /// Sums of each side, White's first.
    rows: [Row; 2],
    /// The position that the sums belong to.
    position: Position,
    /// Whether each side sees the board mirrored, White's first.
    mirrored: [bool; 2],
}

/// The sums of each ply of the current line. An entry may still hold a position of another
/// line: the update always applies the difference between two positions, whatever it is.
pub struct Accumulator {
    network: &'static Network,
    /// Index 0 holds the empty board, index 1 the root.
    plies: Vec<Sums>,
}

impl Default for Accumulator {
    fn default() -> Accumulator {
        Accumulator::new(Network::get())
    }
}

impl Accumulator {
    pub fn new(network: &'static Network) -> Accumulator {
        let empty = Sums {
            rows: [network.bias; 2],
            position: Position::empty(),
            mirrored: [false; 2],
        };
        Accumulator {
            network,
            plies: vec![empty; MAX_PLY + 2],
        }
    }

    /// Correction of a position `ply` plies from the root, in centipawns for the side to
    /// move. It depends only on the position.
    pub fn evaluate(&mut self, position: &Position, ply: usize) -> i32 {
        let network = self.network;
        let [white, black] = self.visit(position, ply);
        let (own, other) = match position.turn {
            Color::White => (white, black),
            Color::Black => (black, white),
        };
        network.output(own, other, position.occupied().count())
    }

    /// Updates the sums for a position and returns White's and Black's. Its children are then
    /// cheaper to evaluate.
    pub fn visit(&mut self, position: &Position, ply: usize) -> &[Row; 2] {
        let (before, after) = self.plies.split_at_mut(ply.min(MAX_PLY) + 1);
        let (before, after) = (&before[before.len() - 1], &mut after[0]);
        if after.position.key != position.key {
            self.network.update(position, before, after);
        }
        &after.rows
    }
}

impl Network {
    /// Writes the sums of `position` to `after`, from the difference to `before`.
    fn update(&self, position: &Position, before: &Sums, after: &mut Sums) {
        let old = &before.position;
        let colors = Color::BOTH.map(|color| old.color(color) ^ position.color(color));
        let roles = Role::ALL.map(|role| old.role(role) ^ position.role(role));
        let sets = colors.into_iter().chain(roles);
        let changed = sets.fold(Bitboard::EMPTY, |all, set| all | set);
        after.mirrored = Color::BOTH.map(|side| is_mirrored(position, side));
        for side in Color::BOTH {
            let (index, mirrored) = (side.index(), after.mirrored[side.index()]);
            let weights =
                |(color, role), square| &self.inputs[input(side, mirrored, color, role, square)];
            let row = |of: &Position, square| Some(weights(of.piece_at(square)?, square));
            let added = |square| row(position, square);
            let to = &mut after.rows[index];
            if before.mirrored[index] == mirrored {
                let removed = changed.filter_map(|square| row(old, square));
                sum(&before.rows[index], changed.filter_map(added), removed, to);
            } else {
                // The board is mirrored anew, so all inputs have changed.
                let all = position.occupied().filter_map(added);
                sum(&self.bias, all, std::iter::empty(), to);
            }
        }
        after.position = position.clone();
    }
}

/// Writes to `to` the sums `from` with rows of weights added and removed, in one pass after
/// most moves.
fn sum<'a>(
    from: &Row,
    mut added: impl Iterator<Item = &'a Row>,
    mut removed: impl Iterator<Item = &'a Row>,
    to: &mut Row,
) {
    let add = |to: &mut Row, weights: &Row| (0..to.len()).for_each(|i| to[i] += weights[i]);
    let subtract = |to: &mut Row, weights: &Row| (0..to.len()).for_each(|i| to[i] -= weights[i]);
    match (added.next(), removed.next(), removed.next()) {
        (Some(moved), Some(origin), None) => {
            for i in 0..to.len() {
                to[i] = from[i] + moved[i] - origin[i];
            }
        }
        (Some(moved), Some(origin), Some(captured)) => {
            for i in 0..to.len() {
                to[i] = from[i] + moved[i] - origin[i] - captured[i];
            }
        }
        (first, origin, captured) => {
            *to = *from;
            first.into_iter().for_each(|weights| add(to, weights));
            let fewer = origin.into_iter().chain(captured);
            fewer.for_each(|weights| subtract(to, weights));
        }
    }
    added.for_each(|weights| add(to, weights));
    removed.for_each(|weights| subtract(to, weights));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::movegen;
    use rand::seq::IndexedRandom as _;
    use rand::{RngExt as _, SeedableRng as _};
    use rand_chacha::ChaCha8Rng;

    #[test]
    fn a_correction_depends_on_the_position_alone() {
        let mut random = ChaCha8Rng::seed_from_u64(1);
        let mut kept = Accumulator::default();
        for game in 0..40 {
            let mut line = vec![Position::start()];
            for _ in 0..120 {
                // Another move, or another line from a few plies before.
                if random.random_range(0..4) == 0 {
                    line.truncate(line.len().saturating_sub(3).max(1));
                }
                let position = line.last().unwrap();
                let moves = movegen::legal_moves(position);
                let Some(&mv) = moves.choose(&mut random) else {
                    break;
                };
                line.push(position.play(mv));
                // Not every ply is evaluated.
                if random.random_range(0..3) == 0 {
                    continue;
                }
                let (ply, position) = (line.len() - 1, line.last().unwrap());
                let value = kept.evaluate(position, ply);
                let fresh = Accumulator::default().evaluate(position, 0);
                assert_eq!(value, fresh, "game {game}, {}", position.fen(false));
            }
        }
    }

    #[test]
    fn a_piece_of_the_other_color_is_another_piece() {
        let [white, black] = [
            "4k3/8/8/3N4/8/8/8/4K3 w - - 0 1",
            "4k3/8/8/3n4/8/8/8/4K3 w - - 0 1",
        ]
        .map(|fen| Position::from_fen(fen).unwrap());
        let mut kept = Accumulator::default();
        kept.visit(&white, 0);
        let fresh = Accumulator::default().evaluate(&black, 0);
        assert_eq!(kept.evaluate(&black, 1), fresh);
    }
}
