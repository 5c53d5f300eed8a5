//! A small neural network that corrects the sum of the terms.
//!
//! Its inputs are the pieces on their squares, as each side sees them: 768 a side,
//! with the board mirrored so that the side's own king stands on the right half. The
//! first layer sums a row of weights for every piece ([`accumulator`] keeps these sums
//! up to date from move to move). The second takes the squares of the sums of both
//! sides, limited to 0 to 1, with weights that depend on how many pieces are left.
//!
//! `lab network` fits the weights (`weights.bin`) to the scores of searches: the
//! network learns the error of the terms.

pub mod accumulator;

use crate::board::{Color, Position, Role, Square};
use std::sync::OnceLock;
use wide::{i16x16, i32x8};

/// Size of the hidden layer (the accumulator) of each side.
pub const HIDDEN: usize = 512;
/// Input features of each side: colours, roles, squares.
pub const INPUTS: usize = 2 * 6 * 64;
/// Output buckets, by number of pieces.
pub const BUCKETS: usize = 8;
/// Quantization: the integer that represents 1.0 in the first layer, and in the second.
pub const ONE: [i16; 2] = [255, 64];
/// Centipawns of an output of 1.0. At this score a win is e times as likely as a loss.
pub const CENTIPAWNS: i32 = 160;

/// A row of weights of the first layer, in vectors of sixteen.
type Row = [i16x16; HIDDEN / LANES];
const LANES: usize = 16;

/// The weights.
pub struct Network {
    inputs: Box<[Row; INPUTS]>,
    bias: Row,
    /// By bucket: for the sums of the side to move, then for the other's.
    output: Box<[[Row; 2]; BUCKETS]>,
    output_bias: [i32; BUCKETS],
}

static WEIGHTS: &[u8] = include_bytes!("weights.bin");

impl Network {
    /// The network built into this program.
    pub fn get() -> &'static Network {
        static NETWORK: OnceLock<Network> = OnceLock::new();
        NETWORK.get_or_init(|| Network::read(WEIGHTS).expect("weights.bin fits this program"))
    }

    /// Reads the weights that `lab network` writes, little-endian: those of the
    /// first layer by input, its biases, those of the second layer by bucket and side (16
    /// bits each), and its biases (32 bits). `None` if the length is wrong.
    pub fn read(bytes: &[u8]) -> Option<Network> {
        let rows = INPUTS + 1 + 2 * BUCKETS;
        let (weights, biases) = bytes.split_at_checked(2 * rows * HIDDEN)?;
        let (weights, _) = weights.as_chunks::<2>();
        let (biases, rest) = biases.as_chunks::<4>();
        let (registers, _) = weights.as_chunks::<LANES>();
        let row = [i16x16::ZERO; HIDDEN / LANES];
        let mut network = Network {
            inputs: boxed(row),
            bias: row,
            output: boxed([row; 2]),
            output_bias: [0; BUCKETS],
        };
        let inputs = network.inputs.as_flattened_mut().iter_mut();
        let output = network.output.as_flattened_mut().as_flattened_mut();
        let all = inputs.chain(&mut network.bias).chain(output);
        for (weights, register) in all.zip(registers) {
            *weights = i16x16::new(register.map(i16::from_le_bytes));
        }
        if biases.len() != BUCKETS || !rest.is_empty() {
            return None;
        }
        for (bias, &bytes) in network.output_bias.iter_mut().zip(biases) {
            *bias = i32::from_le_bytes(bytes);
        }
        Some(network)
    }

    /// The correction, in centipawns for the side to move, of a position with `pieces`
    /// pieces whose sums are `own` for the side to move and `other`.
    fn output(&self, own: &Row, other: &Row, pieces: usize) -> i32 {
        let bucket = bucket(pieces);
        let [by_own, by_other] = &self.output[bucket];
        let sum = squares(own, by_own) + squares(other, by_other);
        let [one, two] = ONE.map(i32::from);
        (sum / one + self.output_bias[bucket]) * CENTIPAWNS / (one * two)
    }
}

/// Allocates an array on the heap without building it on the stack.
fn boxed<T: Clone, const N: usize>(value: T) -> Box<[T; N]> {
    let boxed: Box<[T]> = vec![value; N].into();
    match boxed.try_into() {
        Ok(array) => array,
        Err(_) => unreachable!("the vector has this length"),
    }
}

/// Weighted sum of the squares of the first layer's sums, clamped to 0 to 1. The order of
/// the factors keeps the first product within 16 bits: 255 times at most 127.
fn squares(sums: &Row, weights: &Row) -> i32 {
    let (zero, one) = (i16x16::ZERO, i16x16::splat(ONE[0]));
    let total = sums
        .iter()
        .zip(weights)
        .fold(i32x8::ZERO, |total, (&sums, &weights)| {
            let limited = sums.max(zero).min(one);
            total + limited.dot(limited * weights)
        });
    total.reduce_add()
}

/// The output bucket of a position with this number of pieces.
pub fn bucket(pieces: usize) -> usize {
    (pieces.saturating_sub(2) / 4).min(BUCKETS - 1)
}

/// Whether `color` sees the board mirrored.
pub fn is_mirrored(position: &Position, color: Color) -> bool {
    position.king(color).file() < 4
}

/// The input of a piece as `side` sees it.
pub fn input(side: Color, mirrored: bool, color: Color, role: Role, square: Square) -> usize {
    let square = square.relative(side).index() ^ if mirrored { 7 } else { 0 };
    let colors = usize::from(color != side);
    (colors * 6 + role.index()) * 64 + square
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_have_one_size() {
        assert!(Network::read(WEIGHTS).is_some());
        assert!(Network::read(&WEIGHTS[..WEIGHTS.len() - 1]).is_none());
        assert!(Network::read(&[WEIGHTS, &[0]].concat()).is_none());
        assert!(Network::read(&[]).is_none());
    }

    #[test]
    fn products_of_the_second_layer_stay_within_16_and_their_sum_within_32_bits() {
        let network = Network::get();
        let one = i64::from(ONE[0]);
        for weights in network.output.iter() {
            let weights = weights
                .as_flattened()
                .iter()
                .flat_map(|lanes| lanes.to_array());
            assert!(weights.clone().all(|weight| weight.abs() <= 127));
            let most: i64 = weights.map(|weight| i64::from(weight.abs())).sum();
            assert!(most * one * one < i64::from(i32::MAX), "{most}");
        }
    }

    #[test]
    fn sums_of_the_first_layer_stay_within_16_bits() {
        let network = Network::get();
        // A piece is added before its origin is removed: one more than on a board.
        let weight = |row: &Row, lane: usize| i32::from(row[lane / LANES].to_array()[lane % LANES]);
        for lane in 0..HIDDEN {
            let mut weights: Vec<i32> =
                network.inputs.iter().map(|row| weight(row, lane)).collect();
            weights.sort_by_key(|weight| -weight.abs());
            let most: i32 = weights[..33].iter().map(|weight| weight.abs()).sum();
            assert!(
                most + weight(&network.bias, lane).abs() <= 32767,
                "{lane}: {most}"
            );
        }
    }

    #[test]
    fn both_sides_see_the_same_board() {
        let (white, black) = (Color::White, Color::Black);
        let square = Square::at(1, 2);
        let mirrored = square.relative(black);
        assert_eq!(
            input(white, true, white, Role::Rook, square),
            input(black, true, black, Role::Rook, mirrored)
        );
        assert_eq!(input(white, false, white, Role::Pawn, Square::at(0, 0)), 0);
        assert_eq!(
            input(black, true, white, Role::King, Square::at(0, 0)),
            INPUTS - 1
        );
    }

    #[test]
    fn every_number_of_pieces_has_a_layer() {
        assert_eq!([2, 5, 6, 29, 30, 32, 40].map(bucket), [0, 0, 1, 6, 7, 7, 7]);
    }
}
