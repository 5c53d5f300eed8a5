//! The sums of the first layer, kept up to date from ply to ply.

use super::{Network, Row, input, is_mirrored};
use crate::board::{Bitboard, Color, Position, Role, Square};
use crate::search::score::MAX_PLY;

/// The sums of one position.
#[derive(Clone)]
#[repr(align(64))]
struct Sums {
    /// By side: White's first.
    rows: [Row; 2],
    /// What has been summed.
    position: Position,
    /// Which side sees the board mirrored.
    mirrored: [bool; 2],
}

/// Inputs that change from one position to another, as both sides see them, at most as
/// many as a board has squares.
struct Inputs {
    list: [[u16; 64]; 2],
    count: usize,
}

impl Inputs {
    const NONE: Inputs = Inputs {
        list: [[0; 64]; 2],
        count: 0,
    };

    /// Adds the piece on a square, if there is one.
    fn push(&mut self, mirrored: [bool; 2], square: Square, piece: Option<(Color, Role)>) {
        let Some((color, role)) = piece else { return };
        for side in Color::BOTH {
            let input = input(side, mirrored[side.index()], color, role, square);
            self.list[side.index()][self.count & 63] = input as u16;
        }
        self.count += 1;
    }

    fn of(&self, side: Color) -> &[u16] {
        &self.list[side.index()][..self.count.min(64)]
    }
}

/// The sums of the positions on the way from the root. What a ply keeps may be of
/// another line than the current one: only the difference is summed, whatever it is.
pub struct Accumulator {
    network: &'static Network,
    /// The empty board, then the root and so on.
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

    /// The correction of a position `ply` half moves from the root, in centipawns for
    /// the side to move. It depends on the position alone.
    pub fn evaluate(&mut self, position: &Position, ply: usize) -> i32 {
        let network = self.network;
        let [white, black] = self.visit(position, ply);
        let (own, other) = match position.turn {
            Color::White => (white, black),
            Color::Black => (black, white),
        };
        network.output(own, other, position.occupied().count())
    }

    /// Sums a position, which makes those that come after it cheaper: White's sums and
    /// Black's.
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
    /// Writes to `after` the sums of `position`, by what is different in `before`.
    fn update(&self, position: &Position, before: &Sums, after: &mut Sums) {
        let old = &before.position;
        let mirrored = Color::BOTH.map(|side| is_mirrored(position, side));
        let (mut added, mut removed) = (Inputs::NONE, Inputs::NONE);
        let colors = Color::BOTH.map(|color| old.color(color) ^ position.color(color));
        let roles = Role::ALL.map(|role| old.role(role) ^ position.role(role));
        let sets = colors.into_iter().chain(roles);
        let changed = sets.fold(Bitboard::EMPTY, |all, set| all | set);
        for square in changed {
            added.push(mirrored, square, position.piece_at(square));
            removed.push(mirrored, square, old.piece_at(square));
        }
        for side in Color::BOTH {
            let to = &mut after.rows[side.index()];
            if before.mirrored[side.index()] == mirrored[side.index()] {
                let from = &before.rows[side.index()];
                self.sum(from, added.of(side), removed.of(side), to);
            } else {
                // All inputs are others: sum anew.
                let mut all = Inputs::NONE;
                for square in position.occupied() {
                    all.push(mirrored, square, position.piece_at(square));
                }
                self.sum(&self.bias, all.of(side), &[], to);
            }
        }
        (after.position, after.mirrored) = (position.clone(), mirrored);
    }

    /// Writes to `to` the sums `from` with inputs added and removed. After most moves
    /// one pass is enough.
    fn sum(&self, from: &Row, added: &[u16], removed: &[u16], to: &mut Row) {
        let row = |input: u16| &self.inputs[usize::from(input)];
        match (added, removed) {
            (&[moved], &[origin]) => {
                let (moved, origin) = (row(moved), row(origin));
                for i in 0..to.len() {
                    to[i] = from[i] + moved[i] - origin[i];
                }
            }
            (&[moved], &[first, second]) => {
                let (moved, first, second) = (row(moved), row(first), row(second));
                for i in 0..to.len() {
                    to[i] = from[i] + moved[i] - first[i] - second[i];
                }
            }
            _ => {
                *to = *from;
                for &input in added {
                    let sums = to.iter_mut().zip(row(input));
                    sums.for_each(|(sum, &weight)| *sum += weight);
                }
                for &input in removed {
                    let sums = to.iter_mut().zip(row(input));
                    sums.for_each(|(sum, &weight)| *sum -= weight);
                }
            }
        }
    }
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
