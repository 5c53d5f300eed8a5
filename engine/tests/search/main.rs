//! The search as a library: determinism, switches, mates and draws.

mod limits;

use stillwater::board::{Move, Position};
use stillwater::command::bench::{self, bench};
use stillwater::engine::Engine;
use stillwater::params::{Params, Settings, set};
use stillwater::search::limits::{Limits, StopSignal};
use stillwater::search::score::{DRAW, INFINITE, mate_in, mated_in};
use stillwater::search::stats::{Counter, Stats};
use stillwater::search::{Game, Outcome, Silent};

fn engine(options: &[(&str, &str)]) -> Engine {
    let (mut params, mut settings) = (Params::DEFAULT, Settings::DEFAULT);
    for (name, value) in options {
        set(&mut params, &mut settings, name, value).unwrap();
    }
    Engine::new(params, settings)
}

fn search(engine: &mut Engine, game: &Game, limits: Limits) -> Outcome {
    engine.search(game, &limits, &mut Silent, &StopSignal::default(), 1)
}

fn depth(depth: i32) -> Limits {
    Limits {
        depth: Some(depth),
        ..Limits::default()
    }
}

fn game(fen: &str) -> Game {
    Game::new(Position::from_fen(fen).unwrap())
}

/// The engine's fingerprint: it changes only with a functional change, not with the build or
/// the machine.
const BENCH: u64 = 1_816_757;

#[test]
fn bench_is_the_same_everywhere() {
    let (stats, _) = bench(&Params::DEFAULT, bench::DEPTH, (&StopSignal::default(), 1));
    assert_eq!(stats.nodes(), BENCH);
}

#[test]
fn another_evaluation_starts_without_the_values_of_the_one_before() {
    let position = game("r1bq1rk1/pp3ppp/2nbpn2/2pp4/2PP4/P3PN2/1P1NBPPP/R1BQ1RK1 w - - 1 10");
    let run = |engine: &mut Engine| search(engine, &position, depth(7)).stats.nodes();
    let fresh = run(&mut engine(&[("Network", "false")]));
    let mut used = engine(&[]);
    run(&mut used);
    used.set("Network", "false").unwrap();
    assert_eq!(run(&mut used), fresh);
}

#[test]
fn two_searchers_with_different_values_do_not_disturb_each_other() {
    let position = game("r1bq1rk1/pp3ppp/2nbpn2/2pp4/2PP4/P3PN2/1P1NBPPP/R1BQ1RK1 w - - 1 10");
    let run = |engine: &mut Engine| search(engine, &position, depth(7)).stats.nodes();
    let odd = [("LmrBase", "10"), ("QsDeltaMargin", "50")];
    let alone = [run(&mut engine(&[])), run(&mut engine(&odd))];
    assert_ne!(alone[0], alone[1]);
    let (mut first, mut second) = (engine(&[]), engine(&odd));
    let together = std::thread::scope(|scope| {
        let other = scope.spawn(|| run(&mut second));
        [run(&mut first), other.join().unwrap()]
    });
    assert_eq!(together, alone);
    first.new_game();
    assert_eq!(run(&mut first), alone[0]);
}

/// Names and values.
type Options = &'static [(&'static str, &'static str)];

/// Options, and events that occur by default but must not occur with them.
const SWITCHES: &[(Options, &[Counter])] = &[
    (&[("QsEvasions", "false")], &[Counter::QsEvasionNodes]),
    (&[("QsDeltaPruning", "false")], &[Counter::QsDeltaPrunes]),
    (&[("QsFutility", "false")], &[Counter::QsFutilityPrunes]),
    (&[("QsSee", "false")], &[Counter::QsSeePrunes]),
    (
        &[("QsEvasionPruning", "false")],
        &[Counter::QsEvasionPrunes],
    ),
    (&[("QsRecaptureDepth", "-64")], &[Counter::QsRecaptureNodes]),
    (
        &[("QsTt", "false")],
        &[Counter::QsTableHits, Counter::QsTableCutoffs],
    ),
    (&[("Aspiration", "false")], &[Counter::AspirationFails]),
    (
        &[("MateDistancePruning", "false")],
        &[Counter::MateDistanceCutoffs],
    ),
    (&[("TableCutoffs", "false")], &[Counter::TableCutoffs]),
    (
        &[("ReverseFutility", "false")],
        &[Counter::ReverseFutilityCutoffs],
    ),
    (
        &[("Razoring", "false")],
        &[Counter::RazoringTries, Counter::RazoringCutoffs],
    ),
    (
        &[("NullMove", "false")],
        &[Counter::NullMoveTries, Counter::NullMoveCutoffs],
    ),
    (
        &[("ProbCut", "false")],
        &[Counter::ProbCutTries, Counter::ProbCutCutoffs],
    ),
    (
        &[("InternalIterativeReduction", "false")],
        &[Counter::IterativeReductions],
    ),
    (&[("LateMovePruning", "false")], &[Counter::LateMovePrunes]),
    (&[("Futility", "false")], &[Counter::FutilityPrunes]),
    (&[("HistoryPruning", "false")], &[Counter::HistoryPrunes]),
    (&[("SeePruning", "false")], &[Counter::SeePrunes]),
    (
        &[("SingularExtensions", "false")],
        &[
            Counter::SingularTests,
            Counter::SingularExtensions,
            Counter::DoubleExtensions,
            Counter::NegativeExtensions,
            Counter::MultiCuts,
        ],
    ),
    (
        &[("DoubleExtensions", "false")],
        &[Counter::DoubleExtensions],
    ),
    (
        &[("NegativeExtensions", "false")],
        &[Counter::NegativeExtensions],
    ),
    (&[("MultiCut", "false")], &[Counter::MultiCuts]),
    (&[("CheckExtension", "off")], &[Counter::CheckExtensions]),
    (
        &[("ExtensionLimit", "0")],
        &[Counter::CheckExtensions, Counter::SingularExtensions],
    ),
    (
        &[("LateMoveReductions", "false")],
        &[Counter::Reductions, Counter::ReductionResearches],
    ),
    (&[("Killers", "false")], &[Counter::KillerMoves]),
    (&[("CounterMoves", "false")], &[Counter::CounterMoves]),
    (
        &[("CorrectionHistory", "false")],
        &[Counter::EvalCorrections],
    ),
    (
        &[("Quiescence", "false")],
        &[Counter::StandPatCutoffs, Counter::QsBetaCutoffs],
    ),
];

/// A position in which every part of the search is used.
const SHARP: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

fn stats_of(options: &[(&str, &str)], nodes: u64) -> Stats {
    let limits = Limits {
        nodes: Some(nodes),
        ..Limits::default()
    };
    let mate = "r5rk/5p1p/5R2/4B3/8/8/7P/7K w - - 0 1";
    let mut stats = search(&mut engine(options), &game(SHARP), limits.clone()).stats;
    stats += &search(&mut engine(options), &game(mate), limits).stats;
    stats
}

#[test]
fn events_do_not_occur_with_their_switch_off() {
    let default = stats_of(&[], 150_000);
    for (options, counters) in SWITCHES {
        let stats = stats_of(options, 30_000);
        for &counter in *counters {
            assert!(
                default.get(counter) > 0,
                "{counter:?} never happens by default"
            );
            assert_eq!(stats.get(counter), 0, "{counter:?} with {options:?}");
        }
    }
}

#[test]
fn features_off_by_default_can_be_switched_on() {
    for (options, counter) in [
        (
            &[("QsMoves", "captures+promotions+checks")][..],
            Counter::QsChecks,
        ),
        (&[("QsMaxPly", "2")], Counter::QsPlyLimits),
        (&[("QsMaxPlyFromRoot", "6")], Counter::QsRootPlyLimits),
        (&[("QsQuietGate", "no-gain")], Counter::QsQuietGates),
        (&[("QsNodeDelta", "margin")], Counter::QsNodeDeltaPrunes),
        (
            &[("QsNodeDelta", "best-capture")],
            Counter::QsNodeDeltaPrunes,
        ),
        (
            &[("QsAttackerPruning", "true"), ("QsSee", "false")],
            Counter::QsAttackerPrunes,
        ),
        (
            &[("QsMoves", "all"), ("QsMaxPly", "1")],
            Counter::QsAllMoves,
        ),
        (
            &[("CheckExtension", "off"), ("HorizonChecks", "true")],
            Counter::HorizonExtensions,
        ),
        (&[("HorizonCaptures", "500")], Counter::HorizonExtensions),
        (&[("QsMoveLimit", "1")], Counter::QsMoveLimits),
    ] {
        assert_eq!(stats_of(&[], 20_000).get(counter), 0);
        assert!(stats_of(options, 20_000).get(counter) > 0, "{counter:?}");
    }
    assert!(stats_of(&[("QsMaxPly", "2")], 20_000).qs_depth <= 2);
    let none = stats_of(&[("QsMoves", "none"), ("QsEvasions", "false")], 20_000);
    assert_eq!(none.qs_depth, 0);
}

#[test]
fn histories_and_other_switches_change_the_search() {
    let quiet = "r1bq1rk1/pp3ppp/2nbpn2/2pp4/2PP4/P3PN2/1P1NBPPP/R1BQ1RK1 w - - 1 10";
    let promoting = "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1";
    let racing = "8/2k3P1/1p6/p4n2/4N2P/7p/1P4pK/8 w - - 0 1";
    let nodes = |options: &[(&str, &str)]| {
        let mut engine = engine(options);
        let games = [SHARP, quiet, promoting, racing].map(game);
        games.map(|game| search(&mut engine, &game, depth(8)).stats.nodes())
    };
    let default = nodes(&[]);
    for option in [
        ("PieceToHistory", "false"),
        ("FromToHistory", "false"),
        ("ContinuationHistory", "false"),
        ("ContinuationWeight1", "0"),
        ("ContinuationWeight2", "0"),
        ("ContinuationWeight4", "0"),
        ("CaptureHistory", "false"),
        ("HistoryDecay", "100"),
        ("CounterHistoryDecay", "100"),
        ("FromToDecay", "100"),
        ("CaptureHistoryDecay", "32"),
        ("CaptureRankPenalty", "0"),
        ("QuietSortDepth", "0"),
        ("HistoryBonusSquare", "4"),
        ("EvalHistory", "0"),
        ("Improving", "false"),
        ("LastMove", "own"),
        ("LastMove", "opponent"),
        ("PrincipalVariationSearch", "false"),
        ("StagedPicker", "false"),
        ("EvasionContinuation", "false"),
        ("ProbCutSeeMargin", "100"),
        ("CaptureOrder", "mvv-lva"),
        ("CaptureOrder", "gain"),
        ("CaptureOrder", "generated"),
        ("QsOrder", "mvv-lva"),
        ("QsCorrection", "false"),
        ("QsTtEval", "false"),
        ("QsTtExact", "true"),
        ("QsTtStore", "false"),
        ("QsPrunedScore", "false"),
        ("QsSeeToAlpha", "true"),
        ("QsSeePromotions", "false"),
        ("QsStandPatInCheck", "true"),
        ("QsFailHard", "100"),
        ("QsFailHardLow", "100"),
        ("QsMoves", "captures"),
        ("SeeQueen", "600"),
        ("Network", "false"),
    ] {
        assert_ne!(nodes(&[option]), default, "{option:?}");
    }
}

/// With `LastMove`, a search to depth 1 includes the answer to its own move.
#[test]
fn last_move_selects_the_side_of_the_last_move() {
    let hanging = game("4k3/2p5/3n4/8/8/8/3Q4/4K3 w - - 0 1");
    let plain = [("Quiescence", "false"), ("CheckExtension", "off")];
    let best = |last| {
        let options = [&plain[..], &[("LastMove", last)]].concat();
        search(&mut engine(&options), &hanging, depth(1))
            .best
            .uci(false)
    };
    assert_eq!(best("own"), "d2d6");
    assert_eq!(best("any"), "d2d6");
    assert_ne!(best("opponent"), "d2d6");
}

#[test]
fn mates_are_found_and_counted() {
    for (fen, plies) in [
        ("6k1/5ppp/8/8/8/8/8/K3R3 w - - 0 1", 1),
        ("7k/8/5K2/6R1/8/8/8/8 w - - 0 1", 3),
        ("r5rk/5p1p/5R2/4B3/8/8/7P/7K w - - 0 1", 5),
    ] {
        let outcome = search(&mut engine(&[]), &game(fen), depth(10));
        assert_eq!(outcome.score, mate_in(plies), "{fen}");
    }
    let mated = search(
        &mut engine(&[]),
        &game("7k/5K2/8/6R1/8/8/8/8 b - - 0 1"),
        depth(6),
    );
    assert_eq!(mated.score, mated_in(2));
    let limits = Limits {
        mate: Some(2),
        ..Limits::default()
    };
    let outcome = search(
        &mut engine(&[]),
        &game("7k/8/5K2/6R1/8/8/8/8 w - - 0 1"),
        limits,
    );
    assert_eq!(outcome.score, mate_in(3), "go mate ends by itself");
}

#[test]
fn draws_are_detected() {
    for (fen, why) in [
        ("7k/8/8/8/8/8/5n2/K7 w - - 0 1", "insufficient material"),
        // No queen move mates without the king.
        ("7k/5Q2/8/8/8/8/8/K7 w - - 99 80", "fifty moves"),
        ("5k2/5P2/5K2/8/8/8/8/8 b - - 0 1", "stalemate"),
    ] {
        let outcome = search(&mut engine(&[]), &game(fen), depth(4));
        assert_eq!(outcome.score, DRAW, "{why}");
    }
    // Mate on the hundredth ply still counts.
    let outcome = search(
        &mut engine(&[]),
        &game("k7/8/1K6/8/8/8/8/7R w - - 99 80"),
        depth(3),
    );
    assert_eq!(outcome.score, mate_in(1));
}

#[test]
fn a_third_repetition_is_a_draw_at_the_root_too() {
    // White is lost but may repeat for the third time.
    let mut game = game("6k1/5ppp/8/8/8/8/q7/5Q1K w - - 0 1");
    for mv in ["f1e1", "a2b2", "e1f1", "b2a2", "f1e1", "a2b2", "e1f1"] {
        let mv = stillwater::uci::parse::find_move(&game.position, mv).unwrap();
        game.play(mv);
    }
    let repeat = stillwater::uci::parse::find_move(&game.position, "b2a2").unwrap();
    let limits = Limits {
        search_moves: vec![repeat],
        ..depth(6)
    };
    assert_eq!(search(&mut engine(&[]), &game, limits).score, DRAW);
}

#[test]
fn quiescence_sees_promotions_and_stalemate() {
    let quiet = |fen: &str| {
        let stop = StopSignal::default();
        let mut engine = engine(&[]);
        let outcome = engine.quiescence(&game(fen), (-INFINITE, INFINITE), (&stop, 1));
        outcome.score
    };
    let race = quiet("8/2P5/3K4/8/8/8/2p5/3k4 w - - 0 1");
    assert!(race.abs() < 150, "both promote: {race}");
    assert_eq!(quiet("7k/5K2/6P1/8/8/8/8/8 b - - 0 1"), DRAW);
    assert_eq!(quiet("R5k1/5ppp/8/8/8/8/8/K7 b - - 0 1"), mated_in(0));
}

#[test]
fn quiescence_stays_small_with_many_captures() {
    for fen in [
        "r1n1n1b1/1P1P1P1P/1N1N1N2/2RnQrRq/2pKp3/3BNQbQ/k7/4Bq2 w - - 0 1",
        "1QqQqQq1/r6Q/Q6q/q6Q/B2q4/q6Q/k6K/1qQ1QqRb w - - 0 1",
        "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1",
    ] {
        let outcome = search(&mut engine(&[]), &game(fen), depth(6));
        let nodes = outcome.stats.nodes();
        assert!(nodes < 1_500_000, "{fen}: {nodes}");
        let stop = StopSignal::default();
        let outcome = engine(&[]).quiescence(&game(fen), (-INFINITE, INFINITE), (&stop, 1));
        assert!(outcome.stats.nodes() < 50_000, "{fen}");
    }
}

#[test]
fn threads_together_keep_the_node_limit() {
    let mut engine = engine(&[("Threads", "3")]);
    for nodes in [1, 2, 1000, 20_001] {
        let limits = Limits {
            nodes: Some(nodes),
            ..Limits::default()
        };
        let outcome = search(&mut engine, &game(SHARP), limits);
        assert!(outcome.stats.nodes() <= nodes);
        assert_ne!(outcome.best, Move::NONE);
    }
}

#[test]
fn evaluation_is_the_same_from_both_sides_and_as_the_sum_of_its_terms() {
    use stillwater::eval::{Evaluator, explain};
    let mut evaluator = Evaluator::default();
    for fen in [
        SHARP,
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
        "4k3/8/2b5/8/8/4B3/PPP5/4K3 w - - 0 1",
        // The same pawns, which are remembered, and another king's square.
        "4k3/8/2b5/8/8/4B3/PPP5/1K6 w - - 0 1",
        "8/5k2/8/8/3N4/8/5K2/8 w - - 0 1",
    ] {
        let position = Position::from_fen(fen).unwrap();
        let mirrored = Position::from_fen(&mirror(fen)).unwrap();
        for network in [false, true] {
            let mut value = |position| evaluator.evaluate(position, 0, network);
            let first = value(&position);
            assert_eq!(first, value(&position), "remembered, {fen}");
            assert_eq!(first, value(&mirrored), "{fen}");
            // `explain` adds the terms up one by one.
            let sum = explain(&position, network);
            let sum = sum.lines().last().unwrap();
            assert!(sum.starts_with(&format!("{first} centipawns ")), "{sum}");
        }
    }
}

#[test]
fn the_network_does_not_win_drawn_endgames() {
    let mut evaluator = stillwater::eval::Evaluator::default();
    for fen in [
        "8/8/4k3/8/8/8/8/1N1NK3 w - - 0 1",
        "8/8/4k3/8/8/8/8/1N1NK3 b - - 0 1",
        "7k/8/8/8/8/8/6BP/4K2B w - - 0 1",
    ] {
        let position = Position::from_fen(fen).unwrap();
        // `true`: with the network.
        assert_eq!(evaluator.evaluate(&position, 0, true), 0, "{fen}");
    }
}

/// The position with the colours exchanged.
fn mirror(fen: &str) -> String {
    let swap = |letter: char| {
        if letter.is_ascii_uppercase() {
            letter.to_ascii_lowercase()
        } else {
            letter.to_ascii_uppercase()
        }
    };
    let fields: Vec<&str> = fen.split(' ').collect();
    let ranks: Vec<String> = fields[0]
        .rsplit('/')
        .map(|rank| rank.chars().map(swap).collect())
        .collect();
    let turn = if fields[1] == "w" { "b" } else { "w" };
    let castling: String = fields[2].chars().map(swap).collect();
    format!("{} {turn} {castling} - 0 1", ranks.join("/"))
}
