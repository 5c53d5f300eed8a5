//! A training position, in 28 bytes.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use stillwater::board::{Bitboard, Color, Position, Role, Square};
use stillwater::eval::network::{INPUTS, bucket, input};

pub(crate) const BYTES: usize = 28;

/// Scores above this many centipawns are treated as mates and left out.
const MOST: i32 = 3000;

/// Marks an unknown result.
const UNKNOWN: u8 = 3;

#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Sample {
    occupied: u64,
    /// Colour and role of the pieces from a1 on, 4 bits each.
    pieces: [u8; 16],
    /// Score of the search for the side to move, in centipawns.
    score: i16,
    /// Half points of the side to move, or `UNKNOWN`.
    result: u8,
    black_to_move: bool,
}

/// A sample, and its evaluation by the terms for the side to move, in centipawns.
#[derive(Clone, Copy)]
pub(crate) struct Example {
    pub(crate) sample: Sample,
    pub(crate) terms: i32,
}

/// The inputs of the network for a sample.
pub(crate) struct Inputs {
    /// For the side to move, then for the other.
    pub(crate) active: [[u16; 32]; 2],
    pub(crate) count: usize,
    pub(crate) bucket: usize,
}

impl Sample {
    /// A position with its `score` in centipawns and, if known, the `result` of the game in
    /// points, both for the side to move. `None` for scores near mate and for more than 32
    /// pieces.
    pub(crate) fn new(position: &Position, score: i32, result: Option<f32>) -> Option<Sample> {
        if score.abs() > MOST {
            return None;
        }
        let occupied = position.occupied();
        if occupied.count() > 32 {
            return None;
        }
        let mut pieces = [0; 16];
        for (number, square) in occupied.enumerate() {
            let (color, role) = position.piece_at(square)?;
            let code = (color.index() * 8 + role.index()) as u8;
            pieces[number / 2] |= code << (number % 2 * 4);
        }
        Some(Sample {
            occupied: occupied.0,
            pieces,
            score: score as i16,
            result: result.map_or(UNKNOWN, |points| (2.0 * points) as u8),
            black_to_move: position.turn == Color::Black,
        })
    }

    pub(crate) fn to_bytes(self) -> [u8; BYTES] {
        let mut bytes = [0; BYTES];
        bytes[..8].copy_from_slice(&self.occupied.to_le_bytes());
        bytes[8..24].copy_from_slice(&self.pieces);
        bytes[24..26].copy_from_slice(&self.score.to_le_bytes());
        bytes[26] = self.result;
        bytes[27] = u8::from(self.black_to_move);
        bytes
    }

    /// The inverse of `to_bytes`; `None` for an invalid position.
    pub(crate) fn from_bytes(bytes: &[u8; BYTES]) -> Option<Sample> {
        let (occupied, rest) = bytes.split_first_chunk().expect("28 bytes");
        let (pieces, rest) = rest.split_first_chunk().expect("20 bytes");
        let (score, rest) = rest.split_first_chunk().expect("4 bytes");
        let sample = Sample {
            occupied: u64::from_le_bytes(*occupied),
            pieces: *pieces,
            score: i16::from_le_bytes(*score),
            result: rest[0],
            black_to_move: rest[1] != 0,
        };
        let known = |code: &u8| code & 7 < 6 && code >> 4 & 7 < 6;
        let possible = sample.occupied.count_ones() <= 32 && pieces.iter().all(known);
        (possible && sample.result <= UNKNOWN).then_some(sample)
    }

    /// A 64-bit digest of the position.
    pub(crate) fn position_digest(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        (self.occupied, self.pieces, self.black_to_move).hash(&mut hasher);
        hasher.finish()
    }

    /// The target: the expected points of the side to move. The result, if known, has the
    /// weight `result`, the score the rest; at a score of `unit` centipawns a win is e times
    /// as likely as a loss.
    pub(crate) fn target(&self, result: f32, unit: f32) -> f32 {
        let expected = 1.0 / (1.0 + (-f32::from(self.score) / unit).exp());
        match self.result {
            UNKNOWN => expected,
            points => result * f32::from(points) / 2.0 + (1.0 - result) * expected,
        }
    }

    /// The position without castling rights, which the evaluation ignores.
    pub(crate) fn position(&self) -> Position {
        let mut letters = ['1'; 64];
        for (color, role, square) in self.pieces() {
            letters[square.index()] = color.letter(role.letter());
        }
        let ranks: Vec<String> = letters.chunks(8).rev().map(String::from_iter).collect();
        let turn = if self.black_to_move { "b" } else { "w" };
        Position::from_fen(&format!("{} {turn} - - 0 1", ranks.join("/"))).expect("a position")
    }

    fn pieces(&self) -> impl Iterator<Item = (Color, Role, Square)> {
        Bitboard(self.occupied).enumerate().map(|(number, square)| {
            let code = self.pieces[number / 2] >> (number % 2 * 4);
            let color = Color::BOTH[usize::from(code >> 3 & 1)];
            (color, Role::ALL[usize::from(code & 7)], square)
        })
    }

    pub(crate) fn inputs(&self) -> Inputs {
        let turn = Color::BOTH[usize::from(self.black_to_move)];
        let mirrored = |side: Color| {
            let king =
                |&(color, role, _): &(Color, Role, Square)| color == side && role == Role::King;
            self.pieces()
                .find(king)
                .is_some_and(|(_, _, square)| square.file() < 4)
        };
        let mut active = [[0; 32]; 2];
        let mut count = 0;
        for (side, active) in [turn, !turn].into_iter().zip(&mut active) {
            let mirrored = mirrored(side);
            count = 0;
            for ((color, role, square), active) in self.pieces().zip(active) {
                let index = input(side, mirrored, color, role, square);
                debug_assert!(index < INPUTS);
                *active = index as u16;
                count += 1;
            }
        }
        Inputs {
            active,
            count,
            bucket: bucket(count),
        }
    }
}

/// Removes repeated positions, whatever their scores: one could be both in the training and
/// in the held-out part.
pub(crate) fn keep_first_of_each_position(samples: &mut Vec<Sample>) {
    let mut seen = HashSet::new();
    samples.retain(|sample| seen.insert(sample.position_digest()));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(fen: &str, score: i32, result: Option<f32>) -> Option<Sample> {
        Sample::new(&Position::from_fen(fen).unwrap(), score, result)
    }

    #[test]
    fn a_sample_is_read_as_it_was_written() {
        let fen = "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 b - - 0 10";
        let sample = sample(fen, -123, Some(0.5)).unwrap();
        assert_eq!(Sample::from_bytes(&sample.to_bytes()), Some(sample));
        assert_eq!(Sample::from_bytes(&[b'['; BYTES]), None);
        let ranks = |fen: &str| fen.split(' ').next().map(String::from);
        let position = sample.position();
        assert_eq!(ranks(&position.fen(false)), ranks(fen));
        assert_eq!(position.turn, Color::Black);
    }

    #[test]
    fn only_the_first_of_each_position_is_kept() {
        let [white, black, other] = [
            "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1",
            "4k3/8/8/8/8/8/4P3/4K3 b - - 0 1",
            "4k3/8/8/8/8/8/3P4/4K3 w - - 0 1",
        ]
        .map(|fen| move |score, result| sample(fen, score, result).unwrap());
        let first = [white(10, None), black(10, None), other(10, None)];
        let mut samples = first.to_vec();
        samples.insert(2, white(20, Some(1.0)));
        samples.push(black(10, None));
        keep_first_of_each_position(&mut samples);
        assert_eq!(samples, first);
    }

    #[test]
    fn the_target_mixes_score_and_result() {
        let fen = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1";
        let target = |score, result| sample(fen, score, result).unwrap().target(0.25, 160.0);
        assert_eq!(target(0, None), 0.5);
        assert_eq!(target(0, Some(1.0)), 0.625);
        assert_eq!(target(0, Some(0.0)), 0.375);
        let ahead = 1.0 / (1.0 + f32::exp(-1.0));
        assert!((target(160, None) - ahead).abs() < 1e-6);
        assert!(sample(fen, 29_000, None).is_none(), "as good as mate");
    }

    #[test]
    fn both_sides_see_a_mirrored_position_alike() {
        let [white, black] = [
            "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1",
            "4k3/4p3/8/8/8/8/8/4K3 b - - 0 1",
        ]
        .map(|fen| sample(fen, 0, None).unwrap().inputs());
        for (white, black) in white.active.iter().zip(&black.active) {
            let [white, black] = [white, black].map(|active| {
                let mut active = active[..3].to_vec();
                active.sort_unstable();
                active
            });
            assert_eq!(white, black);
        }
        assert_eq!((white.count, white.bucket), (3, 0));
    }
}
