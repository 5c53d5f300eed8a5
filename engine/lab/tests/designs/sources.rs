//! The test positions of the source documents, `sources.epd`, and the page that judges them,
//! `sources.md`.

use std::collections::BTreeSet;
use std::path::Path;

use crate::engines::{PLAIN, engine};
use shakmaty::fen::Fen;
use shakmaty::san::San;
use shakmaty::{CastlingMode, Chess, Position as _};
use stillwater::board::Position;
use stillwater::engine::Engine;
use stillwater::search::limits::{Limits, StopSignal};
use stillwater::search::score::INFINITE;
use stillwater::search::{Game, Outcome, Silent};

/// Quiet checks at the horizon.
const CHECKS: [&str; 2] = ["QsMoves=captures+promotions+checks", "QsChecksDepth=0"];
/// Largest number of nodes that these tests search for a line of the page's explosions.
const CHEAP: u64 = 50_000;

/// A file of the laboratory.
fn read(file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    std::fs::read_to_string(path).unwrap()
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

    /// Its quiescence search by itself, with the plain main search and a design.
    fn quiescence(&self, design: &str, set: &[&str]) -> Outcome {
        let game = Game::new(Position::from_fen(&self.fen).unwrap());
        engine(&[PLAIN, design], set).quiescence(
            &game,
            (-INFINITE, INFINITE),
            (&StopSignal::default(), 1),
        )
    }

    fn search(&self, engine: &mut Engine, depth: i32) -> Outcome {
        let game = Game::new(Position::from_fen(&self.fen).unwrap());
        let limits = Limits {
            depth: Some(depth),
            ..Limits::default()
        };
        engine.search(&game, &limits, &mut Silent, &StopSignal::default(), 1)
    }

    /// Whether `mv`, in UCI notation, is the move that `san` names.
    fn is_move(&self, mv: &str, san: &str) -> bool {
        let san: San = san.trim_start_matches('.').parse().unwrap();
        let named = san.to_move(&self.position()).unwrap();
        named.to_uci(CastlingMode::Standard).to_string() == mv
    }

    fn position(&self) -> Chess {
        let fen: Fen = self.fen.parse().unwrap();
        fen.into_position(CastlingMode::Standard)
            .unwrap_or_else(|error| panic!("{}: {error}", self.id()))
    }
}

/// No operand of this file contains a semicolon and a space that do not end it.
fn rows() -> Vec<Row> {
    let rows = read("sources.epd");
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
    let page = read("sources.md");
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
    let page = read("sources.md");
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

fn row(id: &str) -> Row {
    let row = rows().into_iter().find(|row| row.id() == id);
    row.unwrap_or_else(|| panic!("no position {id}"))
}

/// The line of the page's tables that begins with `cell`.
fn line(cell: &str) -> String {
    let page = read("sources.md");
    let begins = |line: &&str| line.starts_with(&format!("| {cell} |"));
    let line = page.lines().find(begins);
    line.unwrap_or_else(|| panic!("no line of {cell}"))
        .to_owned()
}

/// The cells of a line of a table, from the second on.
fn cells(line: &str) -> Vec<&str> {
    line.split('|').skip(2).map(str::trim).collect()
}

#[test]
fn the_page_has_the_nodes_and_scores_of_quiescence() {
    for (id, design, set, text) in [
        (
            "002-3.3",
            "captures",
            &[][..],
            "takes NODES nodes to PLIES plies, Kxh2 included",
        ),
        (
            "002-4.1-2",
            "captures",
            &[],
            "stops at once (NODES node, SCORE)",
        ),
        (
            "002-4.1-2",
            "seajay-5",
            &[],
            "both sides (NODES nodes, SCORE)",
        ),
        ("002-4.1-3", "captures", &[], "evaluates it (NODES node)"),
        ("002-4.2-5", "captures", &[], "captures takes NODES nodes"),
        ("002-B.2-1", "captures", &[], "captures takes NODES nodes"),
        (
            "for-002-4.1-4",
            "captures",
            &[],
            "captures NODES nodes, PLIES plies",
        ),
        (
            "for-002-4.2-6",
            "captures",
            &[],
            "captures takes NODES nodes",
        ),
        (
            "for-002-B.1-4",
            "seajay-5",
            &CHECKS,
            "quiet checks: +SCORE instead",
        ),
        ("for-002-B.1-4", "seajay-5", &[], "instead of SCORE."),
        (
            "for-002-B.2-2",
            "seajay-2",
            &[],
            "phase 2 takes NODES nodes",
        ),
        ("for-002-B.2-2", "seajay-3", &[], "(phase 3) NODES |"),
    ] {
        let outcome = row(id).quiescence(design, set);
        let text = text
            .replace("NODES", &outcome.stats.nodes().to_string())
            .replace("PLIES", &outcome.stats.qs_depth.to_string())
            .replace("SCORE", &outcome.score.to_string());
        let line = line(&format!("`{id}`"));
        assert!(line.contains(&text), "{id}, {design}: {text}\n{line}");
    }
}

#[test]
fn the_page_has_the_moves_of_the_engine() {
    for (id, san, depths) in [
        ("002-4.1-1", "Nb5", &[1][..]),
        ("002-4.1-1", "Bxa6", &[12]),
        ("002-B.1-2", "...Kf7", &[1, 2, 3, 4, 5, 6]),
        ("002-B.1-3", "c8=Q", &[1, 2, 3, 4, 5, 6]),
        ("002-B.1-4", "...f5", &[12]),
        ("for-002-4.1-1", "Nxc7+", &[1, 2, 3, 4, 5, 6]),
        ("for-002-4.1-3", "Qg5+", &[1, 2, 3, 4, 5, 6]),
        ("for-002-4.1-4", "...Nxd4", &[12]),
        ("for-002-4.2-5", "dxc5", &[1, 2, 3, 4, 5, 6]),
        ("for-002-4.2-6", "Bc6+", &[12]),
        ("for-002-B.1-2", "...Rxa2", &[1]),
        ("for-002-B.1-3", "c8=Q+", &[1, 2, 3, 4, 5, 6]),
        ("for-002-B.1-4", "Nc7+", &[1, 2, 3, 4, 5, 6]),
        ("for-002-B.2-1", "Nd5", &[1, 2, 3, 4, 5, 6]),
        ("for-002-B.2-2", "fxe5", &[1, 2, 3, 4, 5, 6]),
    ] {
        let row = row(id);
        for &depth in depths {
            let mv = row.search(&mut engine(&[], &[]), depth).best.uci(false);
            assert!(row.is_move(&mv, san), "{id}, depth {depth}: {mv}");
        }
        assert!(line(&format!("`{id}`")).contains(san), "{id}: {san}");
    }
    let fork = row("for-002-4.1-1").search(&mut engine(&[], &[]), 1);
    let text = format!("from depth 1 on (+{})", fork.score);
    assert!(line("`for-002-4.1-1`").contains(&text), "{text}");
}

/// The row `003-horizon`: whose move comes last decides about the queen.
#[test]
fn the_queen_takes_if_ones_own_move_is_the_last() {
    let row = row("003-horizon");
    for (network, last, takes) in [
        (false, "any", true),
        (false, "own", true),
        (false, "opponent", false),
        (true, "any", false),
    ] {
        let set = [format!("Network={network}"), format!("LastMove={last}")];
        let mut engine = engine(&[PLAIN, "no-quiescence"], &[&set[0], &set[1]]);
        let mv = row.search(&mut engine, 1).best.uci(false);
        assert_eq!(row.is_move(&mv, "Qxd6"), takes, "{last}: {mv}");
    }
}

/// The lines that are cheap to search.
#[test]
fn the_page_has_the_explosions_of_the_designs() {
    let mut compared = 0;
    let page = read("sources.md");
    let table = page.split("## Explosions").nth(1).unwrap();
    let table = table.split("\n\n").nth(2).unwrap();
    for line in table.lines().filter(|line| line.starts_with("| `")) {
        let design = line.split('`').nth(1).unwrap();
        for (id, cells) in ["for-002-3.3", "queens"].iter().zip(cells(line).chunks(2)) {
            let nodes: u64 = cells[0].replace(',', "").parse().unwrap();
            let plies: usize = cells[1].parse().unwrap();
            if nodes > CHEAP {
                continue;
            }
            let stats = row(id).quiescence(design, &[]).stats;
            let found = (stats.nodes(), stats.qs_depth);
            assert_eq!(found, (nodes, plies), "{design}, {id}");
            compared += 1;
        }
    }
    assert_eq!(compared, 25);
}

/// The cheap rows of the page's node counts, with their thousands of nodes.
#[test]
fn the_page_has_the_node_counts_of_the_selective_search() {
    for design in ["seajay-5", "default", "no-quiescence-table"] {
        let begins = format!("| selective | `{design}` |");
        let page = read("sources.md");
        let line = page.lines().find(|line| line.starts_with(&begins)).unwrap();
        for (cell, (id, depth)) in [(1, ("002-6.3-1", 8)), (2, ("002-4.1-1", 6))] {
            let stats = row(id).search(&mut engine(&[design], &[]), depth).stats;
            let text = format!("{:.1} (", stats.nodes() as f64 / 1000.0);
            assert!(
                cells(line)[cell].starts_with(&text),
                "{design}, {id}: {text}"
            );
        }
    }
}
