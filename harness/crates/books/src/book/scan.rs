//! Reads a whole book of any format and separates usable openings from faulty ones.

#![cfg_attr(not(test), warn(clippy::expect_used, clippy::indexing_slicing))]
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects, clippy::cast_possible_truncation))]

use std::path::Path;

use shakmaty::{Chess, Position, san::SanPlus};

use super::{
    opening::{BookOpening, from_white},
    polyglot::Polyglot,
};
use hone_uci::openings::epd::{LineError, PositionLine, is_blank, unquoted};
use hone_uci::openings::games::{BadGame, GameError, Games};
use hone_uci::openings::source::{self, BYTE_ORDER_MARK, Source, SourceError};
use hone_uci::openings::unreadable::first_fault;
use hone_uci::openings::{BookOptions, Format, Variant};

/// Default number of plies followed in a Polyglot book.
const POLYGLOT_PLIES: usize = 8;

/// An opening that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Fault {
    /// Line of the file, from 1 (of a Polyglot book: number of the entry).
    pub line: u64,
    pub error: String,
}

/// The content of a file.
#[derive(Debug)]
pub struct Scan {
    pub format: Format,
    /// The rules used for reading: Chess960 also if it was not requested and most positions
    /// have castling rights that exist only there.
    pub variant: Variant,
    /// SHA-256 of the file on disk, compressed or not.
    pub sha256: String,
    pub entries: Vec<BookOpening>,
    pub faults: Vec<Fault>,
}

/// Reads a file.
///
/// # Errors
/// [`SourceError`] if it cannot be read at all. Faulty openings are in [`Scan::faults`].
pub fn scan(path: &Path, options: BookOptions) -> Result<Scan, SourceError> {
    Ok(scan_source(source::read(path)?, options))
}

fn scan_source(source: Source, options: BookOptions) -> Scan {
    let format = options.format.unwrap_or(source.format);
    let mut scan = Scan {
        format,
        variant: options.variant,
        sha256: source.sha256,
        entries: Vec::new(),
        faults: Vec::new(),
    };
    let read: fn(&mut Scan, &[u8], Option<usize>) -> usize = match format {
        Format::Epd => |scan, text, _| scan.lines(text),
        Format::Pgn => Scan::games,
        Format::Polyglot => {
            scan.table(&source.bytes, options.plies.unwrap_or(POLYGLOT_PLIES));
            return scan;
        }
    };
    let of_chess960 = read(&mut scan, &source.bytes, options.plies);
    let all = scan.entries.len().saturating_add(scan.faults.len());
    if of_chess960 > all / 2 {
        scan.entries.clear();
        scan.faults.clear();
        scan.variant = Variant::Chess960;
        read(&mut scan, &source.bytes, options.plies);
    }
    scan
}

impl Scan {
    /// Returns how many positions are possible in Chess960 only.
    fn lines(&mut self, text: &[u8]) -> usize {
        let mut of_chess960 = 0_usize;
        let mut number = 0_u64;
        let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
        for (index, line) in text.split(|&byte| byte == b'\n').enumerate() {
            if is_blank(line) {
                continue;
            }
            number = number.saturating_add(1);
            match entry_of_line(line, self.variant) {
                Ok(entry) => self.entries.push(BookOpening {
                    number: Some(number),
                    ..entry
                }),
                Err(error) => {
                    if matches!(error, LineError::NeedsChess960(_)) {
                        of_chess960 = of_chess960.saturating_add(1);
                    }
                    self.faults.push(Fault {
                        line: (index as u64).saturating_add(1),
                        error: error.to_string(),
                    });
                }
            }
        }
        of_chess960
    }

    /// Returns how many games are possible in Chess960 only.
    fn games(&mut self, text: &[u8], plies: Option<usize>) -> usize {
        let first = first_fault(text, plies);
        if let Some((line, fault)) = &first {
            self.faults.push(Fault {
                line: *line,
                error: fault.to_string(),
            });
        }
        // The game with a fault at which the reader stops.
        let is_known = |bad: &BadGame| {
            matches!((&bad.error, &first), (GameError::Broken(fault), Some((line, first)))
                if fault == first && bad.line == *line)
        };
        let mut of_chess960 = 0_usize;
        for (number, game) in (1..).zip(Games::new(text, plies, self.variant)) {
            match game {
                Ok(game) => self.entries.push(BookOpening {
                    number: Some(number),
                    start: game.start.filter(|start| *start != Chess::default()),
                    moves: game.moves,
                    end: game.end,
                    variant: self.variant,
                    ..BookOpening::default()
                }),
                Err(bad) if is_known(&bad) => {}
                Err(bad) => {
                    if bad.needs_chess960() {
                        of_chess960 = of_chess960.saturating_add(1);
                    }
                    self.faults.push(Fault {
                        line: bad.line,
                        error: format!("game {}: {}", bad.game, bad.error),
                    });
                }
            }
        }
        of_chess960
    }

    fn table(&mut self, bytes: &[u8], plies: usize) {
        match Polyglot::parse(bytes) {
            Ok(book) => {
                let lines = book.lines(plies);
                self.entries = lines.entries;
                self.faults
                    .extend(lines.illegal.into_iter().map(|(number, text)| Fault {
                        line: number as u64,
                        error: format!("move {text} is illegal in its position"),
                    }));
            }
            Err(error) => self.faults.push(Fault {
                line: 1,
                error: error.to_string(),
            }),
        }
    }
}

fn entry_of_line(line: &[u8], variant: Variant) -> Result<BookOpening, LineError> {
    let line = PositionLine::parse(line)?;
    let end = line.position(variant)?;
    let mut entry = BookOpening {
        start: Some(end.clone()),
        counted: line.is_counted(),
        variant,
        ..BookOpening::default()
    };
    for (opcode, operands) in line.operations() {
        let text = String::from_utf8_lossy(operands);
        match opcode {
            b"hmvc" | b"fmvn" => {}
            b"ce" if text.parse::<i32>().is_ok() => {
                entry.score = text.parse().ok().map(|score| from_white(score, end.turn()));
            }
            b"c0" if let Some(moves) = moves_to(&end, unquoted(operands)) => {
                entry.start = None;
                entry.moves = moves;
            }
            _ => {
                let opcode = String::from_utf8_lossy(opcode);
                let space = if text.is_empty() { "" } else { " " };
                entry
                    .operations
                    .push_str(&format!(" {opcode}{space}{text};"));
            }
        }
    }
    entry.end = end;
    Ok(entry)
}

/// The moves in a comment, if they lead from the standard starting position to this one.
fn moves_to(end: &Chess, comment: &[u8]) -> Option<Vec<shakmaty::Move>> {
    let mut position = Chess::default();
    let mut moves = Vec::new();
    for word in std::str::from_utf8(comment).ok()?.split_ascii_whitespace() {
        let san: SanPlus = word.parse().ok()?;
        let m = san.san.to_move(&position).ok()?;
        position.play_unchecked(m);
        moves.push(m);
    }
    (!moves.is_empty() && position == *end).then_some(moves)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(name: &str, text: &str) -> Scan {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        scan(&path, BookOptions::default()).unwrap()
    }

    #[test]
    fn lines_come_back_as_they_were_written() {
        for line in [
            "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - hmvc 0; fmvn 2; ce 31; c0 \"e4 e5\";",
            "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - hmvc 0; fmvn 1; ce -20; c0 \"e4\";",
            "4k3/8/8/8/8/8/4P3/4K3 w - - hmvc 3; fmvn 40; bm e4; id \"a;b\";",
        ] {
            let scan = read("a.epd", line);
            assert_eq!(scan.faults, []);
            assert_eq!(scan.entries[0].epd(), line);
        }
    }

    #[test]
    fn comments_that_are_no_moves_stay_comments() {
        let line = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - c0 \"d4\";";
        let entry = &read("a.epd", line).entries[0];
        assert!(entry.moves.is_empty());
        assert_eq!(entry.operations, " c0 \"d4\";");
        assert!(!entry.counted);
    }

    #[test]
    fn good_and_bad_are_kept_apart() {
        let text = "4k3/8/8/8/8/8/4P3/4K3 w - -\n\nx\n4k3/8/8/8/8/8/4P3/4K3 b - -\n8/8/8/8/8/8/8/8 w - -\n";
        let scan = read("a.epd", text);
        let numbers = |scan: &Scan| -> Vec<_> {
            let numbers = scan.entries.iter().map(|entry| entry.number);
            numbers.collect::<Option<_>>().unwrap()
        };
        assert_eq!(numbers(&scan), [1, 3]);
        let lines: Vec<u64> = scan.faults.iter().map(|fault| fault.line).collect();
        assert_eq!(lines, [3, 5]);

        let scan = read("a.pgn", "1. e4 e5 *\n\n1. e5 *\n\n1. d4 *\n");
        assert_eq!(numbers(&scan), [1, 3]);
        assert_eq!(scan.faults[0].line, 3);
        assert!(scan.faults[0].error.starts_with("game 2: move 1. e5"));
    }
}
