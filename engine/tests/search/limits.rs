//! The end of a search, and its last report.

use crate::{depth, engine, game, search};
use std::collections::{BTreeMap, HashSet};
use std::time::{Duration, Instant};
use stillwater::board::Move;
use stillwater::params::Params;
use stillwater::search::limits::{Limits, StopSignal};
use stillwater::search::score::{is_mate, mated_in};
use stillwater::search::stats::Counter;
use stillwater::search::table::Bound;
use stillwater::search::{Game, Observer, Report};
use stillwater::uci::parse;

/// Depth, score and principal variation of a line, and the bound of the score.
type Line = (i32, i32, Vec<Move>, Bound);

/// The lines reported.
#[derive(Default)]
struct Lines(Vec<Line>);

impl Observer for Lines {
    fn report(&mut self, report: &Report) {
        let (depth, score, bound) = (report.depth, report.score, report.bound);
        self.0.push((depth, score, report.pv.to_vec(), bound));
    }
}

fn nodes(nodes: u64) -> Limits {
    Limits {
        nodes: Some(nodes),
        ..Limits::default()
    }
}

/// The lines of a search of `count` nodes and the score of its answer.
fn lines_within(fen: &str, count: u64) -> (Vec<Line>, i32) {
    let (mut lines, stop) = (Lines::default(), StopSignal::default());
    let outcome = engine(&[]).search(&game(fen), &nodes(count), &mut lines, &stop, 1);
    (lines.0, outcome.score)
}

/// Neither side is mated by force. The scores of White's first moves fall from
/// iteration to iteration, so that many windows fail low.
const FALLING: [&str; 2] = [
    "8/5b2/r2q4/3N4/6b1/1qr3K1/5N2/1k6 w - - 0 1",
    "1nKn4/5n2/3Q4/1n6/1r6/8/3q4/6k1 w - - 0 1",
];

#[test]
fn a_stopped_search_reports_no_mate_that_other_moves_may_avoid() {
    for fen in FALLING {
        for count in [500, 1500, 3000, 4500] {
            let (lines, score) = lines_within(fen, count);
            let (_, reported, ..) = lines.last().unwrap();
            assert_eq!(*reported, score);
            assert!(!is_mate(score), "{fen}, {count} nodes: {score}");
        }
    }
}

#[test]
fn a_stopped_search_reports_no_window_that_failed_low() {
    for count in (300..6000).step_by(300) {
        let (lines, _) = lines_within(FALLING[0], count);
        let [.., before, last] = &lines[..] else {
            panic!("{count} nodes: {lines:?}");
        };
        // The last iteration that was completed, or not below the window around it.
        let floor = before.1 - Params::DEFAULT.aspiration_window;
        assert!(last == before || last.1 > floor, "{count} nodes: {lines:?}");
    }
}

/// The score of a first move that is mated is a lower bound: other moves may be better.
#[test]
fn a_mate_is_a_bound_in_the_first_iteration() {
    // Rxb4, the first move, leaves d8 to a rook that mates there.
    let fen = "1r1n2k1/5ppp/8/8/1P6/8/7K/3R4 b - - 0 1";
    let (lines, score) = lines_within(fen, 3);
    let (depth, _, _, bound) = lines[0];
    assert_eq!(score, mated_in(2));
    assert_eq!((lines.len(), depth, bound), (1, 1, Bound::Lower));
}

#[test]
fn zero_moves_to_go_are_ignored() {
    let position = &game(FALLING[0]).position;
    let (limits, complaints) = parse::go("wtime 3000 btime 3000 movestogo 0", position);
    assert_eq!((limits.moves_to_go, complaints), (None, vec![]));
}

#[test]
fn searchmoves_stores_no_score_of_the_position() {
    let fen = "2rr3k/pp3pp1/1nnqbN1p/3pN3/2pP4/2P3Q1/PPB4P/R4RK1 w - - 0 1";
    let (mut engine, mut after) = (engine(&[]), game(fen));
    let find = |game: &Game, text: &str| parse::find_move(&game.position, text).unwrap();
    for text in ["g3g6", "f7g6"] {
        after.play(find(&after, text));
    }
    let limits = Limits {
        search_moves: vec![find(&after, "a2a3")],
        ..depth(12)
    };
    search(&mut engine, &after, limits);
    let outcome = search(&mut engine, &game(fen), depth(8));
    assert_eq!(outcome.best, find(&game(fen), "g3g6"));
    assert!(is_mate(outcome.score));
}

/// A window of one centipawn fails again and again: in the second and third line too.
#[test]
fn later_multipv_lines_have_aspiration_windows_too() {
    let game = game("r1bq1rk1/pp3ppp/2nbpn2/2pp4/2PP4/P3PN2/1P1NBPPP/R1BQ1RK1 w - - 1 10");
    let fails = |lines: &str| {
        let mut engine = engine(&[("AspirationWindow", "1"), ("MultiPV", lines)]);
        let stats = search(&mut engine, &game, depth(9)).stats;
        stats.get(Counter::AspirationFails)
    };
    assert!(fails("3") > 2 * fails("1"), "{} {}", fails("3"), fails("1"));
}

/// The last report of each line, by number: its depth and its first move.
#[derive(Default)]
struct LastReports(BTreeMap<usize, (i32, Move)>);

impl Observer for LastReports {
    fn report(&mut self, report: &Report) {
        self.0.insert(report.multipv, (report.depth, report.pv[0]));
    }
}

/// Wherever the search is stopped, its last lines begin with different moves, and the lines
/// of the previous iteration have its depth.
#[test]
fn the_lines_of_a_stopped_multipv_search_differ() {
    let quiet = "r1bq1rk1/pp3ppp/2nbpn2/2pp4/2PP4/P3PN2/1P1NBPPP/R1BQ1RK1 w - - 1 10";
    let endgame = "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1";
    let mut unfinished = 0;
    for fen in [crate::SHARP, quiet, endgame] {
        for count in (2000..6000).step_by(250) {
            let (mut reports, stop) = (LastReports::default(), StopSignal::default());
            let mut engine = engine(&[("MultiPV", "4")]);
            let outcome = engine.search(&game(fen), &nodes(count), &mut reports, &stop, 1);
            let lines: Vec<_> = reports.0.into_values().collect();
            let moves: HashSet<_> = lines.iter().map(|(_, mv)| mv.uci(true)).collect();
            assert_eq!(
                (lines.len(), moves.len()),
                (4, 4),
                "{fen}, {count}: {lines:?}"
            );
            assert_eq!(lines[0].1, outcome.best, "{fen}, {count}");
            assert!(
                lines.is_sorted_by(|a, b| a.0 >= b.0),
                "{fen}, {count}: {lines:?}"
            );
            assert!(lines[3].0 + 1 >= lines[0].0, "{fen}, {count}: {lines:?}");
            unfinished += usize::from(lines[3].0 < lines[0].0);
        }
    }
    assert!(unfinished > 5, "{unfinished}");
}

#[test]
fn the_clock_starts_at_the_given_time() {
    let limits = |ago| Limits {
        start: Instant::now().checked_sub(Duration::from_secs(ago)),
        movetime: Some(1000),
        nodes: Some(20_000),
        ..Limits::default()
    };
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let count = |ago| {
        search(&mut engine(&[]), &game(start), limits(ago))
            .stats
            .nodes()
    };
    assert!(count(2) < 2000);
}

/// Without stand pat, nodes have no evaluation that pruning could use.
#[test]
fn quiescence_of_all_moves_prunes_nothing_by_evaluation() {
    let options = [
        ("QsMoves", "all"),
        ("QsMaxPly", "2"),
        ("QsNodeDelta", "margin"),
        ("QsNodeDeltaMargin", "0"),
        ("QsSee", "false"),
    ];
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    for fen in [start, crate::SHARP] {
        let limits = Limits {
            nodes: Some(500_000),
            ..depth(1)
        };
        let stats = search(&mut engine(&options), &game(fen), limits).stats;
        assert!(stats.nodes() < 500_000, "{fen}: it ends by itself");
        for counter in [
            Counter::QsNodeDeltaPrunes,
            Counter::QsDeltaPrunes,
            Counter::QsFutilityPrunes,
        ] {
            assert_eq!(stats.get(counter), 0, "{fen}: {counter:?}");
        }
    }
}

#[test]
fn a_limit_of_moves_makes_no_mate() {
    let fen = "2R5/3p4/P2RNp2/1K6/4P1r1/6q1/1pq1p3/1k1q2n1 b - - 0 1";
    let options = [("QsMoveLimit", "1"), ("CheckExtension", "off")];
    let score = search(&mut engine(&options), &game(fen), depth(1)).score;
    assert!(!is_mate(score), "{score}");
}
