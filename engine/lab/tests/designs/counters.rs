//! The distinguishing features of each design occur in a search from the root.

use crate::engines::{PLAIN, SELECTIVE, engine, folder, names, search};
use std::ops::RangeInclusive;
use stillwater::board::Position;
use stillwater::command::bench::bench;
use stillwater::search::limits::StopSignal;
use stillwater::search::stats::Counter::{self, *};
use stillwater::search::stats::Stats;

/// A tactical middlegame, an opening, an endgame with promotions of both sides,
/// and one in which few moves are searched that many plies deeper.
const POSITIONS: [(&str, i32); 4] = [
    (
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        0,
    ),
    (
        "r1bqkb1r/pppp1ppp/2n2n2/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 0 1",
        0,
    ),
    ("n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1", 0),
    ("2r3k1/pppR1pp1/4p3/4P1P1/5P2/1P4K1/P1P5/8 w - - 0 1", 3),
];

/// A depth at which all features occur, for each main search.
const MAINS: [(&str, i32); 2] = [(PLAIN, 3), (SELECTIVE, 7)];

/// The statistics of searches of all positions.
fn stats(files: &[&str], depth: i32) -> Stats {
    let mut engine = engine(files, &[]);
    let mut sum = Stats::NEW;
    for (fen, more) in POSITIONS {
        let position = Position::from_fen(fen).expect("a legal position");
        sum += &search(&mut engine, &position, depth + more).stats;
    }
    sum
}

/// With both main searches, the events `some` occur and the events `none` do not.
fn happens(design: &str, some: &[Counter], none: &[Counter]) {
    for (main, depth) in MAINS {
        let stats = stats(&[main, design], depth);
        for &counter in some {
            assert!(stats.get(counter) > 0, "{design} on {main}: no {counter:?}");
        }
        for &counter in none {
            assert_eq!(stats.get(counter), 0, "{design} on {main}: {counter:?}");
        }
    }
}

#[test]
fn general_searches_all_moves_of_positions_that_are_not_quiet() {
    let none = [StandPatCutoffs, CheckExtensions];
    happens("general", &[QsQuietGates, QsAllMoves, QsPlyLimits], &none);
}

#[test]
fn go_stands_pat_and_searches_captures() {
    let none = [QsEvasionNodes, QsTableHits, QsPlyLimits, CheckExtensions];
    happens("go", &[StandPatCutoffs, QsBetaCutoffs], &none);
}

#[test]
fn java_has_a_limit_of_plies() {
    happens("java", &[QsPlyLimits], &[QsEvasionNodes, QsTableHits]);
}

#[test]
fn captures_are_not_extended_and_captures_extended_are() {
    let quiescence = [StandPatCutoffs, QsBetaCutoffs];
    let others = [QsEvasionNodes, QsDeltaPrunes, QsSeePrunes, CheckExtensions];
    happens(
        "captures",
        &quiescence,
        &[&others[..], &[HorizonExtensions]].concat(),
    );
    happens("captures-extended", &[HorizonExtensions], &others);
}

#[test]
fn without_quiescence_the_horizon_is_evaluated() {
    let quiescence = [StandPatCutoffs, QsBetaCutoffs, QsEvasionNodes];
    for design in ["no-quiescence", "last-move-opponent", "last-move-own"] {
        happens(
            design,
            &[QsNodes],
            &[&quiescence[..], &[QsTableHits]].concat(),
        );
    }
    happens("no-quiescence-table", &[QsTableCutoffs], &quiescence);
}

#[test]
fn stockfish_simplified_gives_up_whole_nodes_and_checks() {
    let some = [QsNodeDeltaPrunes, QsSeePrunes, QsChecks, QsEvasionNodes];
    happens(
        "stockfish-simplified",
        &some,
        &[QsDeltaPrunes, QsEvasionPrunes],
    );
}

#[test]
fn leela_searches_evasions_from_the_root() {
    happens(
        "leela",
        &[QsEvasionNodes],
        &[QsTableHits, QsDeltaPrunes, QsChecks],
    );
}

#[test]
fn ethereal_as_listed_prunes_captures_and_uses_the_table() {
    let some = [QsDeltaPrunes, QsSeePrunes, QsTableCutoffs];
    happens("ethereal", &some, &[QsEvasionNodes, QsNodeDeltaPrunes]);
}

#[test]
fn ethereal_12_gives_up_whole_nodes() {
    let some = [QsNodeDeltaPrunes, QsSeePrunes, QsTableCutoffs];
    happens("ethereal-12", &some, &[QsEvasionNodes, QsDeltaPrunes]);
}

#[test]
fn seajay_grows_phase_by_phase() {
    let phases = [
        ("seajay-1", StandPatCutoffs),
        ("seajay-2", QsEvasionNodes),
        ("seajay-3", QsDeltaPrunes),
        ("seajay-4", QsTableCutoffs),
        ("seajay-5", QsKnightPromotions),
        ("seajay-limited", QsAttackerPrunes),
    ];
    for (index, (design, _)) in phases.into_iter().enumerate() {
        let (some, none) = phases.split_at(index + 1);
        let counter = |phase: &(&str, Counter)| phase.1;
        let some: Vec<Counter> = some.iter().map(counter).collect();
        let none: Vec<Counter> = none.iter().map(counter).collect();
        happens(design, &some, &none);
    }
    happens("seajay-limited", &[QsPlyLimits], &[]);
}

/// Eight captures that are worth a search are rare.
#[test]
fn seajay_limits_the_moves_of_a_node() {
    let open = "1q1r2k1/1rbn1n2/2p1p1p1/1P1P1P1P/p1p1p1p1/1P1P1P1P/1RBN1N2/1Q1R2K1 w - - 0 1";
    let position = Position::from_fen(open).expect("a legal position");
    for (main, depth) in MAINS {
        let mut engine = engine(&[main, "seajay-limited"], &[]);
        let stats = search(&mut engine, &position, depth - 1).stats;
        assert!(stats.get(QsMoveLimits) > 0, "{main}");
    }
}

/// The limit from the root is 32 plies. Below a plain search, only long
/// searches reach it: a limit of 6 shows that it is counted.
#[test]
fn seajay_counts_plies_from_the_root() {
    let position = Position::from_fen(POSITIONS[0].0).expect("a legal position");
    for design in ["seajay-1", "seajay-5", "seajay-limited"] {
        let listed = engine(&[PLAIN, design], &[]);
        assert_eq!(listed.params().qs_max_ply_from_root, 32);
        for (main, depth) in MAINS {
            let mut engine = engine(&[main, design], &["QsMaxPlyFromRoot=6"]);
            let stats = search(&mut engine, &position, depth).stats;
            assert!(stats.get(QsRootPlyLimits) > 0, "{design} on {main}");
        }
    }
}

#[test]
fn stockfish_8_has_all_its_regimes() {
    let some = [
        QsChecks,
        QsRecaptureNodes,
        QsFutilityPrunes,
        QsEvasionPrunes,
    ];
    happens("stockfish-8", &some, &[EvalCorrections]);
}

/// Document 003's remedy by its aim keeps the queen; by its letter, an odd number of
/// plies, it ends with the capture of a protected knight.
#[test]
fn last_move_opponent_ends_lines_with_the_opponents_move() {
    let queen = "4k3/2p5/3n4/8/8/8/3Q4/4K3 w - - 0 1";
    let position = Position::from_fen(queen).expect("a legal position");
    for (design, takes) in [("last-move-own", true), ("last-move-opponent", false)] {
        let mut engine = engine(&[PLAIN, design], &[]);
        let best = search(&mut engine, &position, 1).best.uci(false);
        assert_eq!(best == "d2d6", takes, "{design} plays {best}");
    }
}

/// The two kinds of variants of the order of moves, below `ordering/`, and the
/// depths at which they are searched.
const PLAIN_ORDER: (&str, &str, i32) = (PLAIN, "plain", 4);
const SELECTIVE_ORDER: (&str, &str, i32) = (SELECTIVE, "selective", 8);

/// Plain variants with a feature that their base lacks.
const ADDED: [(&str, Counter); 6] = [
    ("killers", KillerMoves),
    ("countermoves", CounterMoves),
    ("losing-last", BadCaptures),
    ("stockfish-8", KillerMoves),
    ("stockfish-8", CounterMoves),
    ("stockfish-8", BadCaptures),
];

/// Selective variants without a feature of their base.
const REMOVED: [(&str, Counter); 3] = [
    ("no-killers", KillerMoves),
    ("no-countermoves", CounterMoves),
    ("no-prob-cut", ProbCutTries),
];

/// Plain variants that order moves differently from another one.
const PLAIN_ORDERS: [(&str, &str); 8] = [
    ("continuation", "base"),
    ("continuation-324", "continuation"),
    ("from-to", "base"),
    ("history", "base"),
    ("history-936", "history"),
    ("stockfish-8-sorted", "stockfish-8"),
    ("stockfish-8-unstaged", "stockfish-8"),
    ("victim-rank", "base"),
];

/// Selective variants that order moves differently from the base.
const SELECTIVE_ORDERS: [&str; 11] = [
    "continuation-324",
    "history-936",
    "no-capture-history",
    "no-continuation",
    "no-from-to",
    "no-history",
    "no-quiet-history",
    "prob-cut-plus-one",
    "sorted",
    "unstaged",
    "victim-attacker",
];

/// The statistics of a variant of the move order.
fn variant((main, folder, depth): (&str, &str, i32), name: &str) -> Stats {
    stats(&[main, &format!("ordering/{folder}/{name}")], depth)
}

#[test]
fn features_added_to_the_plain_search_have_an_effect() {
    let base = variant(PLAIN_ORDER, "base");
    for (name, counter) in ADDED {
        assert_eq!(base.get(counter), 0, "{counter:?}");
        let added = variant(PLAIN_ORDER, name);
        assert!(added.get(counter) > 0, "{name}: no {counter:?}");
    }
}

/// ProbCut needs five plies below a window that two moves have closed.
#[test]
fn prob_cut_happens_in_a_deep_plain_search() {
    let position = Position::from_fen(POSITIONS[3].0).expect("a legal position");
    let tries = ["prob-cut", "base"].map(|name| {
        let mut engine = engine(&[PLAIN, &format!("ordering/plain/{name}")], &[]);
        search(&mut engine, &position, 8).stats.get(ProbCutTries)
    });
    assert!(tries[0] > 0 && tries[1] == 0, "{tries:?}");
}

#[test]
fn features_removed_from_the_selective_search_have_no_effect() {
    let base = variant(SELECTIVE_ORDER, "base");
    for (name, counter) in REMOVED {
        assert!(base.get(counter) > 0, "no {counter:?}");
        let removed = variant(SELECTIVE_ORDER, name);
        assert_eq!(removed.get(counter), 0, "{name}: {counter:?}");
    }
}

/// Histories, orders and a point of exchange value have no counter: they change
/// how many nodes `bench` searches, some only at one of several depths.
#[test]
fn histories_and_orders_change_the_number_of_nodes() {
    for (name, other) in PLAIN_ORDERS {
        assert!(differ(PLAIN_ORDER, 4..=6, name, other), "{name} is {other}");
    }
    for name in SELECTIVE_ORDERS {
        let differs = differ(SELECTIVE_ORDER, 8..=13, name, "base");
        assert!(differs, "{name} is the base");
    }
}

fn differ(
    (main, folder, _): (&str, &str, i32),
    mut depths: RangeInclusive<i32>,
    name: &str,
    other: &str,
) -> bool {
    let engines =
        [name, other].map(|name| engine(&[main, &format!("ordering/{folder}/{name}")], &[]));
    depths.any(|depth| {
        let stop = StopSignal::default();
        let [one, two] = [0, 1].map(|at| bench(engines[at].params(), depth, (&stop, 1)).0.nodes());
        one != two
    })
}

#[test]
fn every_variant_of_the_order_is_tested() {
    let plain = PLAIN_ORDERS.map(|(name, _)| name);
    let plain = plain.into_iter().chain(ADDED.map(|(name, _)| name));
    let selective = SELECTIVE_ORDERS.into_iter();
    let selective = selective.chain(REMOVED.map(|(name, _)| name));
    let tested = [
        ("plain", plain.chain(["base", "prob-cut"]).collect()),
        ("selective", selective.chain(["base"]).collect::<Vec<_>>()),
    ];
    for (kind, tested) in tested {
        for name in names(&folder().join("ordering").join(kind)) {
            assert!(tested.contains(&name.as_str()), "{kind}/{name}");
        }
    }
}
