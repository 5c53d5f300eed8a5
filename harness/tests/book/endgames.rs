//! The suite `books/endgames.epd` against endgame tables: its best moves are exactly those
//! that keep the result.

use crate::common;
use std::path::PathBuf;

use shakmaty::fen::Epd;
use shakmaty::san::San;
use shakmaty::{CastlingMode, Chess, Move, Position};
use shakmaty_syzygy::{AmbiguousWdl, Tablebase};

/// A position and its best moves.
fn parse(line: &str) -> (Chess, Vec<Move>) {
    let (board, operations) = line.split_once(" bm ").expect("a best move");
    let (moves, _) = operations.split_once(';').expect("an end of the moves");
    let epd: Epd = board.parse().expect("a position");
    let position: Chess = epd
        .into_position(CastlingMode::Standard)
        .expect("a legal position");
    let moves = moves.split(' ').map(|san| {
        let san: San = san.trim_end_matches('+').parse().expect("a move");
        san.to_move(&position).expect("a legal move")
    });
    let moves = moves.collect();
    (position, moves)
}

#[test]
fn the_moves_of_the_endgame_suite_are_those_that_keep_the_result() {
    let Some(folder) = std::env::var_os("HONE_TEST_SYZYGY").map(PathBuf::from) else {
        common::skip::skipped("HONE_TEST_SYZYGY is not set");
        return;
    };
    let mut tables = Tablebase::new();
    tables.add_directory(&folder).expect("readable");
    let result = |position: &Chess| -> AmbiguousWdl {
        tables.probe_wdl(position).expect("the table is there")
    };
    let suite = common::workspace().join("books/endgames.epd");
    let suite = std::fs::read_to_string(suite).expect("readable");
    assert!(suite.lines().count() >= 30);
    for line in suite.lines() {
        let (position, wanted) = parse(line);
        for mv in position.legal_moves() {
            let after = position.clone().play(mv).expect("legal");
            let keeps = -result(&after) >= result(&position);
            assert_eq!(wanted.contains(&mv), keeps, "{line}: {mv}");
        }
    }
}
