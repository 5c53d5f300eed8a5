//! Polyglot opening books, the `.bin` files.
//!
//! A Polyglot book is a table sorted by position: 16 bytes an entry, all
//! big-endian: the key of the position (Zobrist hash with the format's fixed
//! random numbers, which are shakmaty's too), a move, its weight, and a word
//! for learning that is not used here.
//! Format: <http://hgm.nubati.net/book_format.html>

#![cfg_attr(not(test), warn(clippy::expect_used, clippy::indexing_slicing))]
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects, clippy::cast_possible_truncation))]

use std::{cmp::Reverse, collections::HashSet, ops::Range};

use shakmaty::{
    Chess, EnPassantMode, Move, Position, Role, Square, uci::UciMove, zobrist::Zobrist64,
};
use thiserror::Error;

use super::opening::BookOpening;

/// Bytes of one entry.
const ENTRY: usize = 16;

/// Why a file is not a Polyglot book.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PolyglotError {
    #[error("not a Polyglot book: {0} bytes are not a multiple of 16")]
    Length(usize),
}

/// One move of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct BookMove {
    key: u64,
    packed: u16,
    weight: u16,
    /// Index in the file, from 1.
    number: usize,
}

/// The table of a Polyglot book.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Polyglot {
    moves: Vec<BookMove>,
}

/// The lines of a book, and its illegal moves.
#[derive(Debug, Default)]
pub struct Lines {
    pub entries: Vec<BookOpening>,
    /// Moves that are illegal in the position of their key: index of the entry in the file,
    /// from 1, and the move.
    pub illegal: Vec<(usize, String)>,
}

impl Polyglot {
    /// Reads a table. One that is not sorted is sorted.
    ///
    /// # Errors
    /// [`PolyglotError::Length`].
    pub fn parse(bytes: &[u8]) -> Result<Self, PolyglotError> {
        let (entries, rest) = bytes.as_chunks::<ENTRY>();
        if !rest.is_empty() {
            return Err(PolyglotError::Length(bytes.len()));
        }
        let mut moves: Vec<BookMove> = entries
            .iter()
            .enumerate()
            .map(|(index, entry)| {
                let [k0, k1, k2, k3, k4, k5, k6, k7, m0, m1, w0, w1, ..] = *entry;
                BookMove {
                    key: u64::from_be_bytes([k0, k1, k2, k3, k4, k5, k6, k7]),
                    packed: u16::from_be_bytes([m0, m1]),
                    weight: u16::from_be_bytes([w0, w1]),
                    number: index.saturating_add(1),
                }
            })
            .collect();
        // Heavier moves first, so that the best lines come first.
        moves.sort_by_key(|entry| (entry.key, Reverse(entry.weight), entry.number));
        Ok(Self { moves })
    }

    /// Follows the book's moves from the standard starting position: all lines that end after
    /// `plies` plies, or earlier where the book ends. A position that is reached twice is
    /// followed once, so each line ends in a different position and the work is bounded by
    /// the size of the table. Moves of weight 0, which Polyglot never plays, are left out.
    pub fn lines(&self, plies: usize) -> Lines {
        let mut lines = Lines::default();
        let mut seen = HashSet::from([Chess::default()]);
        // Stack of lines to follow.
        let mut open = vec![(Chess::default(), Vec::new())];
        while let Some((position, moves)) = open.pop() {
            let next = if moves.len() < plies {
                self.moves_in(&position, &mut lines.illegal)
            } else {
                Vec::new()
            };
            let mut ends = moves.len() == plies || next.is_empty();
            for m in next.into_iter().rev() {
                let mut end = position.clone();
                end.play_unchecked(m);
                if end.legal_moves().is_empty() {
                    ends = true;
                } else if seen.insert(end.clone()) {
                    let mut longer = moves.clone();
                    longer.push(m);
                    open.push((end, longer));
                }
            }
            if ends && !moves.is_empty() {
                lines.entries.push(BookOpening {
                    moves,
                    end: position,
                    ..BookOpening::default()
                });
            }
        }
        lines.illegal.sort_unstable();
        lines
    }

    /// The book's moves in a position, heaviest first.
    fn moves_in(&self, position: &Chess, illegal: &mut Vec<(usize, String)>) -> Vec<Move> {
        let Zobrist64(key) = position.zobrist_hash(EnPassantMode::PseudoLegal);
        let mut moves = Vec::new();
        for entry in self.moves.get(self.with_key(key)).unwrap_or_default() {
            if entry.weight == 0 {
                continue;
            }
            let uci = unpack(entry.packed);
            match uci.to_move(position) {
                Ok(m) if !moves.contains(&m) => moves.push(m),
                Ok(_) => {}
                Err(_) => illegal.push((entry.number, uci.to_string())),
            }
        }
        moves
    }

    fn with_key(&self, key: u64) -> Range<usize> {
        let start = self.moves.partition_point(|entry| entry.key < key);
        let end = self.moves.partition_point(|entry| entry.key <= key);
        start..end
    }
}

/// Three bits each: to file, to rank, from file, from rank, promotion (1 is a knight, 4 a
/// queen). Castling is encoded as king takes rook, which shakmaty accepts.
fn unpack(packed: u16) -> UciMove {
    let square = |bits: u16| Square::new(u32::from(bits & 63));
    UciMove::Normal {
        from: square(packed >> 6),
        to: square(packed),
        promotion: match packed >> 12 & 7 {
            1 => Some(Role::Knight),
            2 => Some(Role::Bishop),
            3 => Some(Role::Rook),
            4 => Some(Role::Queen),
            _ => None,
        },
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn entry(key: u64, from: &str, to: &str, promotion: u16, weight: u16) -> Vec<u8> {
        let square = |text: &str| u16::from(text.parse::<Square>().unwrap());
        let packed = promotion << 12 | square(from) << 6 | square(to);
        let mut bytes = key.to_be_bytes().to_vec();
        bytes.extend(packed.to_be_bytes());
        bytes.extend(weight.to_be_bytes());
        bytes.extend([0; 4]);
        bytes
    }

    // Keys printed in the description of the format.
    const START: u64 = 0x463b_9618_1691_fc9c;
    const E4: u64 = 0x823c_9b50_fd11_4196;
    const E4_D5: u64 = 0x0756_b944_61c5_0fb0;
    const E4_D5_E5_F5: u64 = 0x22a4_8b5a_8e47_ff78;
    const E4_D5_E5_F5_KE2_KF7: u64 = 0x00fd_d303_c946_bdd9;

    fn san(lines: &Lines) -> Vec<String> {
        lines.entries.iter().map(BookOpening::san).collect()
    }

    #[test]
    fn lines_follow_the_published_keys() {
        let book = [
            entry(START, "e2", "e4", 0, 9),
            entry(START, "d2", "d4", 0, 10),
            entry(START, "a2", "a4", 0, 0),
            entry(E4, "d7", "d5", 0, 1),
            entry(E4_D5, "e4", "e5", 0, 1),
            entry(E4_D5_E5_F5, "e5", "f6", 0, 1),
            entry(E4_D5_E5_F5_KE2_KF7, "e5", "f6", 0, 1),
        ]
        .concat();
        let book = Polyglot::parse(&book).unwrap();
        assert_eq!(book.moves.len(), 7);
        assert_eq!(san(&book.lines(8)), ["d4", "e4 d5 e5"]);
        assert_eq!(san(&book.lines(1)), ["d4", "e4"]);
        assert!(book.lines(8).illegal.is_empty());
        // En passant is part of the key where it can be captured.
        let mut position = Chess::default();
        for (uci, key) in [
            ("e2e4", E4),
            ("d7d5", E4_D5),
            ("e4e5", 0x662f_afb9_65db_29d4),
            ("f7f5", E4_D5_E5_F5),
            ("e1e2", 0x652a_607c_a3f2_42c1),
            ("e8f7", E4_D5_E5_F5_KE2_KF7),
        ] {
            let uci: UciMove = uci.parse().unwrap();
            position.play_unchecked(uci.to_move(&position).unwrap());
            let hash: Zobrist64 = position.zobrist_hash(EnPassantMode::PseudoLegal);
            assert_eq!(hash.0, key, "after {uci}");
        }
    }

    #[test]
    fn castling_is_the_king_taking_its_rook() {
        let mut position = Chess::default();
        let mut book = Vec::new();
        for (from, to) in [
            ("e2", "e4"),
            ("e7", "e5"),
            ("g1", "f3"),
            ("g8", "f6"),
            ("f1", "c4"),
            ("f8", "c5"),
            ("e1", "h1"),
            ("e8", "h8"),
        ] {
            let Zobrist64(key) = position.zobrist_hash(EnPassantMode::PseudoLegal);
            book.extend(entry(key, from, to, 0, 1));
            let uci: UciMove = format!("{from}{to}").parse().unwrap();
            position.play_unchecked(uci.to_move(&position).unwrap());
        }
        let lines = Polyglot::parse(&book).unwrap().lines(20);
        assert_eq!(san(&lines), ["e4 e5 Nf3 Nf6 Bc4 Bc5 O-O O-O"]);
    }

    #[test]
    fn transpositions_are_followed_once_and_illegal_moves_named() {
        let mut book = Vec::new();
        let key_after = |moves: &[&str]| {
            let mut position = Chess::default();
            for text in moves {
                let uci: UciMove = text.parse().unwrap();
                position.play_unchecked(uci.to_move(&position).unwrap());
            }
            let Zobrist64(key) = position.zobrist_hash(EnPassantMode::PseudoLegal);
            key
        };
        book.extend(entry(START, "d2", "d4", 0, 2));
        book.extend(entry(START, "c2", "c4", 0, 1));
        book.extend(entry(key_after(&["d2d4"]), "e7", "e6", 0, 1));
        book.extend(entry(key_after(&["c2c4"]), "e7", "e6", 0, 1));
        book.extend(entry(key_after(&["d2d4", "e7e6"]), "c2", "c4", 0, 1));
        book.extend(entry(key_after(&["c2c4", "e7e6"]), "d2", "d4", 0, 1));
        book.extend(entry(key_after(&["c2c4", "e7e6"]), "d2", "e4", 4, 1));
        let lines = Polyglot::parse(&book).unwrap().lines(10);
        assert_eq!(san(&lines), ["d4 e6 c4"]);
        assert_eq!(lines.illegal, [(7, "d2e4q".to_owned())]);
    }

    #[test]
    fn a_torn_file_is_refused() {
        assert_eq!(Polyglot::parse(&[0; 17]), Err(PolyglotError::Length(17)));
        assert!(Polyglot::parse(&[]).unwrap().moves.is_empty());
    }

    proptest! {
        #[test]
        fn no_table_breaks_the_reader(
            moves in prop::collection::vec((any::<bool>(), any::<u64>(), any::<u16>(), any::<u16>()), 0..50),
            // One table in ten does not end with a whole entry, or has one more.
            tail in prop_oneof![
                9 => Just(Vec::new()),
                1 => prop::collection::vec(any::<u8>(), 1..17),
            ],
        ) {
            let mut bytes = Vec::new();
            for (start, key, packed, weight) in moves {
                bytes.extend(if start { START } else { key }.to_be_bytes());
                bytes.extend(packed.to_be_bytes());
                bytes.extend(weight.to_be_bytes());
                bytes.extend([0; 4]);
            }
            bytes.extend(tail);
            let parsed = Polyglot::parse(&bytes);
            prop_assert_eq!(parsed.is_ok(), bytes.len() % ENTRY == 0);
            if let Ok(book) = parsed {
                for entry in book.lines(6).entries {
                    prop_assert!(!entry.end.legal_moves().is_empty());
                }
            }
        }
    }
}
