//! The test positions of the source documents, `books/sources.epd`, and the page
//! that judges them, `docs/sources.md`.

use std::collections::BTreeSet;
use std::path::Path;

use shakmaty::fen::Fen;
use shakmaty::san::San;
use shakmaty::{CastlingMode, Chess, Position as _};
use stillwater::board::Position;

fn read(file: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    std::fs::read_to_string(root.join(file)).unwrap()
}

/// A line of EPD: the FEN without counters, and the operations.
struct Row {
    fen: String,
    operations: Vec<(String, String)>,
}

impl Row {
    fn operation(&self, code: &str) -> Option<&str> {
        let mut operations = self.operations.iter();
        let (_, operand) = operations.find(|(name, _)| name == code)?;
        Some(operand.trim_matches('"'))
    }

    fn id(&self) -> &str {
        self.operation("id").expect("every row has an id")
    }

    fn position(&self) -> Chess {
        let fen: Fen = self.fen.parse().unwrap();
        fen.into_position(CastlingMode::Standard)
            .unwrap_or_else(|error| panic!("{}: {error}", self.id()))
    }
}

/// No operand of this file contains a semicolon and a space that do not end it.
fn rows() -> Vec<Row> {
    let rows = read("books/sources.epd");
    let row = |line: &str| {
        let fields: Vec<&str> = line.splitn(5, ' ').collect();
        let operations = fields[4].trim_end_matches(';').split("; ");
        let operation = |text: &str| {
            let (code, operand) = text.split_once(' ').unwrap();
            (code.to_owned(), operand.to_owned())
        };
        Row {
            fen: format!("{} 0 1", fields[..4].join(" ")),
            operations: operations.map(operation).collect(),
        }
    };
    rows.lines().map(row).collect()
}

#[test]
fn every_position_is_legal() {
    for row in rows() {
        let position = row.position();
        assert!(!position.is_game_over(), "{}", row.id());
        assert!(Position::from_fen(&row.fen).is_ok(), "{}", row.id());
        assert!(row.operation("c0").is_some(), "{} has no comment", row.id());
    }
}

#[test]
fn every_move_is_legal() {
    for row in rows() {
        let moves = ["bm", "am"].map(|code| row.operation(code).unwrap_or(""));
        for san in moves.iter().flat_map(|moves| moves.split_whitespace()) {
            let mv: San = san.parse().unwrap();
            let legal = mv.to_move(&row.position()).is_ok();
            assert!(legal, "{}: {san}", row.id());
        }
    }
}

#[test]
fn the_page_names_every_position() {
    let page = read("docs/sources.md");
    let mut ids = BTreeSet::new();
    for row in rows() {
        assert!(
            ids.insert(row.id().to_owned()),
            "{} is there twice",
            row.id()
        );
        assert!(page.contains(&format!("`{}`", row.id())), "{}", row.id());
    }
}

/// What the page says of the positions that cannot be in the file.
#[test]
fn two_positions_of_the_documents_are_illegal() {
    let page = read("docs/sources.md");
    for fen in [
        "3q4/8/3n1n2/2b1b3/2B1B3/3N1N2/8/3Q4 w - - 0 1",
        "3q4/3nnn2/3bbb2/3rrr2/8/8/PPPPPPPP/3QK3 w - - 0 1",
    ] {
        let parsed: Fen = fen.parse().unwrap();
        let position: Result<Chess, _> = parsed.into_position(CastlingMode::Standard);
        assert!(position.is_err() && Position::from_fen(fen).is_err());
        assert!(page.contains(fen), "{fen}");
    }
}

/// Counts that the page gives.
#[test]
fn counts_of_moves_and_captures() {
    for (id, moves, captures) in [
        ("002-3.3", 1, 1),
        ("002-4.2-5", 32, 2),
        ("002-B.2-1", 33, 2),
        ("for-002-3.3", 127, 74),
        ("queens", 156, 39),
        ("moves", 218, 9),
    ] {
        let rows = rows();
        let row = rows.iter().find(|row| row.id() == id).unwrap();
        let legal = row.position().legal_moves();
        assert_eq!(legal.len(), moves, "{id}");
        let taken = legal.iter().filter(|mv| mv.is_capture()).count();
        assert_eq!(taken, captures, "{id}");
    }
}
