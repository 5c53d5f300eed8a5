//! Statistics of the content of a book.

use std::collections::{BTreeMap, HashSet};

use serde::Serialize;
use shakmaty::{Board, Chess, Color, Position, Role, san::SanPlus};

use super::{
    opening::BookOpening,
    scan::{Fault, Scan},
};
use hone_uci::openings::Format;

/// Facts about a book.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BookFacts {
    pub format: Format,
    /// SHA-256 of the file on disk, compressed or not.
    pub sha256: String,
    /// Openings that can be played, including duplicates.
    pub count: usize,
    /// Openings whose position occurs earlier in the file, by any moves.
    pub duplicates: usize,
    /// Openings that cannot be played.
    pub illegal: usize,
    pub illegal_lines: Vec<Fault>,
    /// Openings by plies from the start of the game, if the file has them.
    pub plies: BTreeMap<usize, usize>,
    pub side_to_move: Sides,
    /// Openings by number of men on the board.
    pub men: BTreeMap<usize, usize>,
    /// Openings by White's material minus Black's, in pawns (1, 3, 3, 5, 9).
    pub balance: BTreeMap<i32, usize>,
    /// Openings by White's first move, if the file has the moves.
    pub families: BTreeMap<String, usize>,
}

/// Openings by the side to move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Sides {
    pub white: usize,
    pub black: usize,
}

impl BookFacts {
    /// Computes the statistics of a file.
    pub fn new(scan: &Scan) -> Self {
        let mut info = Self {
            format: scan.format,
            sha256: scan.sha256.clone(),
            count: scan.entries.len(),
            duplicates: 0,
            illegal: scan.faults.len(),
            illegal_lines: scan.faults.clone(),
            plies: BTreeMap::new(),
            side_to_move: Sides::default(),
            men: BTreeMap::new(),
            balance: BTreeMap::new(),
            families: BTreeMap::new(),
        };
        let mut seen: HashSet<&Chess> = HashSet::new();
        for entry in &scan.entries {
            info.duplicates += usize::from(!seen.insert(&entry.end));
            info.count_in(entry);
        }
        info
    }

    fn count_in(&mut self, entry: &BookOpening) {
        let board = entry.end.board();
        if entry.counted {
            *self.plies.entry(plies(&entry.end)).or_default() += 1;
        }
        match entry.end.turn() {
            Color::White => self.side_to_move.white += 1,
            Color::Black => self.side_to_move.black += 1,
        }
        *self.men.entry(board.occupied().count()).or_default() += 1;
        let balance = material(board, Color::White) - material(board, Color::Black);
        *self.balance.entry(balance).or_default() += 1;
        if let (None, Some(&first)) = (&entry.start, entry.moves.first()) {
            let family = SanPlus::from_move(Chess::default(), first).to_string();
            *self.families.entry(family).or_default() += 1;
        }
    }
}

/// Plies from the start of the game, by the move number.
fn plies(position: &Chess) -> usize {
    let moves = position.fullmoves().get() as usize - 1;
    moves * 2 + usize::from(position.turn() == Color::Black)
}

fn material(board: &Board, side: Color) -> i32 {
    let count = |role| (board.by_color(side) & board.by_role(role)).count() as i32;
    count(Role::Pawn)
        + 3 * (count(Role::Knight) + count(Role::Bishop))
        + 5 * count(Role::Rook)
        + 9 * count(Role::Queen)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::scan::scan;
    use hone_uci::openings::BookOptions;

    fn info(name: &str, text: &str) -> BookFacts {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        BookFacts::new(&scan(&path, BookOptions::default()).unwrap())
    }

    #[test]
    fn games_are_counted_by_all_that_they_tell() {
        let text =
            "1. e4 e5 2. Nf3 *\n\n1. Nf3 e5 2. e4 *\n\n1. e4 d5 2. exd5 *\n\n1. e4 d5 2. Ke3 *\n";
        let info = info("a.pgn", text);
        assert_eq!((info.count, info.illegal, info.duplicates), (3, 1, 1));
        assert_eq!(info.illegal_lines[0].line, 7);
        assert_eq!(info.plies, BTreeMap::from([(3, 3)]));
        assert_eq!(info.side_to_move, Sides { white: 0, black: 3 });
        assert_eq!(info.men, BTreeMap::from([(31, 1), (32, 2)]));
        assert_eq!(info.balance, BTreeMap::from([(0, 2), (1, 1)]));
        let families = [("Nf3".to_owned(), 1), ("e4".to_owned(), 2)];
        assert_eq!(info.families, BTreeMap::from(families));
    }

    #[test]
    fn positions_without_counters_have_no_plies() {
        let text = "4k3/8/8/8/8/8/4P3/4K3 w - -\n4k3/8/8/8/8/8/4P3/4K3 w - - 0 9\n";
        let info = info("a.epd", text);
        assert_eq!(info.duplicates, 1, "counters make no other position");
        assert_eq!(info.plies, BTreeMap::from([(16, 1)]));
        assert!(info.families.is_empty());
    }
}
