//! UCI dialogues with the built engine.

mod commands;
mod session;

use session::Session;
use std::time::Duration;

fn number_after(line: &str, word: &str) -> u64 {
    let mut words = line.split(' ').skip_while(|&w| w != word).skip(1);
    words.next().expect(word).parse().expect("a number")
}

fn centipawns(line: &str) -> i32 {
    let score = line.split(" score cp ").nth(1).expect("a score");
    score.split(' ').next().unwrap().parse().expect("a number")
}

#[test]
fn introduces_itself_with_every_option() {
    let mut session = Session::new();
    let lines = session.ask("uci", "uciok");
    for option in [
        "Hash",
        "Threads",
        "Move Overhead",
        "Quiescence",
        "QsDeltaMargin",
    ] {
        let start = format!("option name {option} type ");
        assert!(
            lines.iter().any(|line| line.starts_with(&start)),
            "{option}"
        );
    }
    assert!(lines[0].starts_with("id name Stillwater"));
    assert!(session.quit().is_empty());
}

#[test]
fn answers_isready_and_stop_while_it_searches() {
    let mut session = Session::new();
    session.send("position startpos moves e2e4 e7e5");
    session.send("go infinite");
    session.until("info depth 3 ");
    session.ask("isready", "readyok");
    let last = session.ask("stop", "bestmove").pop().unwrap();
    assert!(last.split(' ').nth(1).unwrap().len() >= 4, "{last}");
    assert!(session.ask("isready", "readyok").len() == 1);
    assert!(session.quit().is_empty());
}

#[test]
fn every_go_is_answered_once_and_in_order() {
    let mut session = Session::new();
    session.send("position startpos");
    session.send("go infinite");
    session.send("go nodes 100");
    session.send("go depth 2");
    session.send("stop");
    for _ in 0..3 {
        session.until("bestmove");
    }
    // `stop` does not affect later searches.
    session.send("stop");
    let lines = session.ask("go depth 3", "bestmove");
    assert!(lines.iter().any(|line| line.starts_with("info depth 3 ")));
    assert!(session.quit().is_empty());
}

#[test]
fn nodes_are_never_exceeded() {
    let mut session = Session::new();
    session.send("position startpos moves d2d4 g8f6");
    for limit in [0, 1, 2, 5, 37, 1000, 1023, 1024, 1025, 5000, 20_000] {
        session.send("ucinewgame");
        let lines = session.ask(&format!("go nodes {limit}"), "bestmove");
        let searched = lines.iter().filter(|line| line.contains(" nodes "));
        for line in searched {
            assert!(number_after(line, "nodes") <= limit, "{limit}: {line}");
        }
        assert!(lines.last().unwrap() != "bestmove (none)");
    }
    session.quit();
}

#[test]
fn the_same_search_after_ucinewgame() {
    let mut session = Session::new();
    let mut strip = |moves: &str| -> Vec<String> {
        session.send("ucinewgame");
        session.send(&format!("position startpos moves {moves}"));
        let lines = session.ask("go nodes 30000", "bestmove");
        let keep = |line: &String| {
            let words: Vec<&str> = line.split(' ').collect();
            // Without time and speed.
            let timed = |i: usize| i > 0 && matches!(words[i - 1], "nps" | "time");
            let kept = (0..words.len()).filter(|&i| !timed(i)).map(|i| words[i]);
            kept.collect::<Vec<_>>().join(" ")
        };
        lines.iter().map(keep).collect()
    };
    let first = strip("e2e4 c7c5");
    let other = strip("d2d4 d7d5");
    assert_ne!(first, other);
    assert_eq!(strip("e2e4 c7c5"), first);
    assert_eq!(strip("d2d4 d7d5"), other);
}

#[test]
fn options_are_accepted_rounded_or_refused() {
    let mut session = Session::new();
    let mut set = |text: &str| {
        session
            .ask(&format!("setoption name {text}"), "info string")
            .pop()
            .unwrap()
    };
    assert_eq!(
        set("QsDeltaMargin value 150"),
        "info string QsDeltaMargin = 150"
    );
    assert_eq!(
        set("qsdeltamargin value 1.5e2"),
        "info string QsDeltaMargin = 150"
    );
    assert_eq!(
        set("QsDeltaMargin value 149.6"),
        "info string QsDeltaMargin = 150"
    );
    assert_eq!(
        set("Quiescence value FALSE"),
        "info string Quiescence = false"
    );
    assert_eq!(set("QsMoves value none"), "info string QsMoves = none");
    assert_eq!(set("Hash value 1"), "info string Hash = 1");
    for refused in [
        "QsDeltaMargin value 99999",
        "QsDeltaMargin value -1",
        "QsDeltaMargin value NaN",
        "QsDeltaMargin value inf",
        "QsDeltaMargin value",
        "Quiescence value maybe",
        "QsMoves value everything",
        "Hash value 0",
    ] {
        let answer = set(refused);
        assert!(answer.contains("allowed"), "{refused}: {answer}");
    }
    assert!(set("QsDeltaMargn value 1").contains("did you mean 'QsDeltaMargin'"));
    assert!(set("Blorp value 1").contains("unknown option 'Blorp'"));
}

#[test]
fn invalid_positions_are_refused_and_leave_the_position() {
    let mut session = Session::new();
    session.send("position startpos");
    for nonsense in [
        "position fen 8/8/8/8/8/8/8/8 w - - 0 1",
        "position fen kR6/8/8/8/8/8/8/K7 w - - 0 1",
        "position fen",
        "position",
        "position startpos moves e2e5",
        "xyzzy",
        "go depth x",
    ] {
        session.ask(nonsense, "info string");
        if nonsense.starts_with("go") {
            // Without a limit it searches until it is stopped.
            session.ask("stop", "bestmove");
        }
    }
    let lines = session.ask("go depth 1", "bestmove");
    let best = lines.last().unwrap().split(' ').nth(1).unwrap();
    assert!(["2", "1"].contains(&&best[1..2]), "a first move: {best}");
    session.quit();
}

#[test]
fn mated_and_stalemated_sides_have_no_move() {
    let mut session = Session::new();
    for (fen, score) in [
        ("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", "mate 0"),
        ("7k/8/6Q1/6K1/8/8/8/8 b - - 0 1", "cp 0"),
    ] {
        session.send(&format!("position fen {fen}"));
        let lines = session.ask("go depth 5", "bestmove");
        assert_eq!(
            lines,
            [
                format!("info depth 0 score {score}"),
                "bestmove (none)".to_owned()
            ]
        );
    }
    session.quit();
}

#[test]
fn the_end_of_the_input_ends_the_engine() {
    let mut session = Session::new();
    session.send("go infinite");
    let rest = session.end();
    let answers = rest.iter().filter(|line| line.starts_with("bestmove"));
    assert_eq!(answers.count(), 1);
}

/// In each of these positions, a later line once scored better than an earlier one.
#[test]
fn multipv_lines_are_sorted_by_score() {
    for (fen, depth) in [
        (
            "1r1q1rk1/3bppbp/p2p1np1/2pP4/P1n1P3/2N2N1P/1P1B1PP1/1RRQ2K1 w - - 2 19",
            12,
        ),
        (
            "3r1rk1/1p3pp1/p1p1bq1p/4p3/4P3/1BP2Q1P/PP3PP1/3R1RK1 w - - 0 20",
            12,
        ),
        (
            "4r1k1/1p3pp1/p1pr1n1p/3p4/3P1N2/1P2P2P/P4PP1/2R1R1K1 b - - 3 24",
            12,
        ),
    ] {
        let mut session = Session::new();
        session.send("setoption name MultiPV value 3");
        session.send(&format!("position fen {fen}"));
        let lines = session.ask(&format!("go depth {depth}"), "bestmove");
        let (infos, best) = lines.split_at(lines.len() - 1);
        let infos: Vec<_> = infos
            .iter()
            .filter(|line| line.contains(" score "))
            .collect();
        for iteration in infos.chunks(3) {
            let scores: Vec<_> = iteration.iter().map(|line| centipawns(line)).collect();
            assert!(scores.is_sorted_by(|a, b| a >= b), "{fen}: {iteration:?}");
        }
        let first = infos[infos.len() - 3].split(" pv ").nth(1).unwrap();
        let first = first.split(' ').next().unwrap();
        assert!(
            best[0].starts_with(&format!("bestmove {first}")),
            "{fen}: {best:?}"
        );
    }
}

#[test]
fn multipv_and_searchmoves() {
    let mut session = Session::new();
    session.send("setoption name MultiPV value 3");
    session.send("position startpos");
    let lines = session.ask("go depth 4", "bestmove");
    let of_depth = |depth: &str| -> Vec<String> {
        let start = format!("info depth {depth} ");
        let found = lines.iter().filter(|line| line.starts_with(&start));
        found.cloned().collect()
    };
    let last = of_depth("4");
    assert_eq!(last.len(), 3);
    for (i, line) in (1..).zip(&last) {
        assert_eq!(number_after(line, "multipv"), i);
    }
    let first_moves: std::collections::HashSet<_> = last
        .iter()
        .map(|line| line.split(" pv ").nth(1).unwrap()[..4].to_owned())
        .collect();
    assert_eq!(first_moves.len(), 3);

    session.send("setoption name MultiPV value 1");
    let lines = session.ask("go depth 3 searchmoves a2a3 h2h3", "bestmove");
    let best = lines.last().unwrap();
    assert!(
        ["bestmove a2a3", "bestmove h2h3"].contains(&best.as_str()),
        "{best}"
    );
    session.quit();
}

#[test]
fn chess960_castling_and_chances() {
    let mut session = Session::new();
    session.send("setoption name UCI_Chess960 value true");
    session.send("setoption name UCI_ShowWDL value true");
    session.send("position fen 4k3/8/8/8/8/8/8/1RK4R w HB - 0 1 moves c1h1");
    let shown = session.ask("display", "FEN: ").pop().unwrap();
    session.until("checks: ");
    assert!(
        shown.starts_with("FEN: 4k3/8/8/8/8/8/8/1R3RK1 b - - 1 1"),
        "{shown}"
    );
    let lines = session.ask("go depth 4", "bestmove");
    let line = lines.iter().find(|line| line.contains(" wdl ")).unwrap();
    let mut words = line.split(' ').skip_while(|&word| word != "wdl").skip(1);
    let sum: u32 = (0..3)
        .map(|_| words.next().unwrap().parse::<u32>().unwrap())
        .sum();
    assert_eq!(sum, 1000);
    session.send("position fen 4k3/8/8/8/8/8/8/1RK4R w HB - 0 1");
    let lines = session.ask("go depth 2 searchmoves c1h1", "bestmove");
    assert_eq!(lines.last().unwrap(), "bestmove c1h1");
    session.quit();
}

#[test]
fn other_commands_during_a_session() {
    let mut session = Session::new();
    session.send("position startpos moves e2e4");
    assert_eq!(session.ask("perft 3", "13160 nodes").len(), 21);
    session.ask("qperft 2", "share of quiescence: ");
    let lines = session.ask("eval", "-");
    assert!(lines.iter().any(|line| line.starts_with("Material")));
    let lines = session.ask("qsearch", "cutoffs by the first move");
    assert!(lines[0].starts_with("score cp "));
    session.send("setoption name Statistics value true");
    let lines = session.ask("go depth 6", "bestmove");
    let told = |text: &str| lines.iter().any(|line| line.contains(text));
    assert!(told("info string nodes of quiescence: ") && told("share of quiescence"));
    session.quit();
}

/// Commands in any order, complete or not, valid or not: each `go` has exactly one answer, and
/// the engine keeps running.
#[test]
fn any_input_gets_its_answers() {
    use rand::{RngExt, SeedableRng};
    const SAYINGS: [&str; 36] = [
        "uci",
        "isready",
        "ucinewgame",
        "stop",
        "stop",
        "stop",
        "go",
        "go infinite",
        "go nodes 500",
        "go depth 3",
        "go movetime 5",
        "go wtime 50 btime 50 winc 1 binc 1",
        "go wtime -20 btime 10 movestogo 0",
        "go mate 1",
        "go nodes 0",
        "go depth -4",
        "go searchmoves e2e4 zzzz depth 2",
        "go nodes 99999999999999999999",
        "position startpos",
        "position startpos moves e2e4 e7e5 g1f3",
        "position startpos moves e2e4 e2e4",
        "position fen 8/8/8/8/8/8/8/8 w - - 0 1",
        "position fen 7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
        "position fen",
        "position moves",
        "position fen r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 99 60 moves e1g1",
        "setoption name Hash value 1",
        "setoption name Threads value 2",
        "setoption name Threads value 1",
        "setoption name MultiPV value 2",
        "setoption name QsDeltaMargin value 1e1",
        "setoption",
        "setoption name",
        "ponderhit",
        "\u{0}\u{7f}bestmove \u{e9}",
        "go infinite searchmoves a1a1",
    ];
    let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(5);
    for _ in 0..6 {
        let mut session = Session::new();
        let mut asked = 0;
        for _ in 0..60 {
            let saying = SAYINGS[rng.random_range(0..SAYINGS.len())];
            let cut = match rng.random_range(0..6) {
                0 => saying
                    .char_indices()
                    .map(|(i, _)| i)
                    .nth(rng.random_range(0..4))
                    .unwrap_or(0),
                _ => saying.len(),
            };
            let saying = &saying[..cut];
            asked += usize::from(saying.split(' ').next() == Some("go"));
            session.send(saying);
            if rng.random_range(0..8) == 0 {
                std::thread::sleep(Duration::from_millis(rng.random_range(0..10)));
            }
        }
        session.send("stop");
        session.send("xyzzy");
        let mut lines = session.until("info string unknown command 'xyzzy'");
        lines.extend(session.quit());
        let answers = lines
            .iter()
            .filter(|line| line.starts_with("bestmove"))
            .count();
        assert_eq!(answers, asked);
    }
}
