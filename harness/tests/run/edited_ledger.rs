//! `hone verify` finds edited cells of `games.csv`, column by column, and games that have
//! moved in `games.pgn`; `hone resume` never removes such games.

use std::fs;
use std::path::Path;

use crate::common::calc::calc;
use crate::common::{Setup, engines, finish, hone, on_run, resume, scripted};

/// Columns of measurements and of values that engines report. The PGN has them rounded or not
/// at all, and no result depends on them.
const NOT_CHECKED: [&str; 24] = [
    "white_ms",
    "black_ms",
    "white_nodes",
    "black_nodes",
    "white_depth",
    "black_depth",
    "white_seldepth",
    "black_seldepth",
    "white_latency_us",
    "black_latency_us",
    "worker",
    "finished_ms",
    "white_starved_us",
    "black_starved_us",
    "white_illegal_pvs",
    "black_illegal_pvs",
    "white_replayed",
    "black_replayed",
    "white_measured_us",
    "black_measured_us",
    "white_cpu_us",
    "black_cpu_us",
    "white_idle_cpu_us",
    "black_idle_cpu_us",
];

const TERMINATIONS: [&str; 13] = [
    "checkmate",
    "stalemate",
    "insufficient_material",
    "repetition",
    "fifty_moves",
    "draw_adjudication",
    "resign_adjudication",
    "max_moves",
    "tablebase",
    "time_forfeit",
    "illegal_move",
    "disconnect",
    "stall",
];

/// Openings of different lengths.
const BOOK: &str = "1. e4 e5 2. Nf3 Nc6 *\n\n[Event \"?\"]\n\n1. d4 d5 2. c4 *\n\n\
    [Event \"?\"]\n\n1. c4 *\n\n[Event \"?\"]\n\n1. Nf3 d5 2. g3 c5 3. Bg2 *\n";

/// A finished match of three pairs: one engine makes an illegal move, then crashes.
fn played(pgn: &str) -> Setup {
    let two = format!("{} --seed 2 go:15=illegal go:34=exit:3", scripted());
    let players = engines(("one", &scripted(), ""), ("two", &two, ""));
    let setup = Setup::new("");
    let book = setup.dir.path().join("book.pgn");
    fs::write(&book, BOOK).expect("written");
    let config = format!(
        "{players}[match]\nlimit = \"nodes=1\"\npairs = 3\nmax_failures = 1.0\nconcurrency = 1\n\
         openings = {{ file = '{}' }}\n[adjudication]\nmax_moves = 12\n[pgn]\n{pgn}\n",
        book.display()
    );
    fs::write(&setup.config, config).expect("written");
    let finished = setup.play("match", "run", &[]);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    setup
}

/// A ledger as lines of cells, the header first.
fn cells(run: &Path) -> Vec<Vec<String>> {
    let csv = fs::read_to_string(run.join("games.csv")).expect("there");
    let lines = csv.lines();
    lines
        .map(|line| line.split(',').map(String::from).collect())
        .collect()
}

fn write(run: &Path, cells: &[Vec<String>]) {
    let csv: String = cells.iter().map(|line| line.join(",") + "\n").collect();
    fs::write(run.join("games.csv"), csv).expect("written");
}

/// Other values that a cell could contain.
fn others(column: &str, value: &str) -> Vec<String> {
    let all: &[&str] = match column {
        "white" | "black" => &["one", "two"],
        "result" => &["1-0", "1/2-1/2", "0-1"],
        "termination" => &TERMINATIONS,
        "digest" | "line" | "conditions" => {
            let digit = if value.starts_with('0') { "1" } else { "0" };
            return vec![format!("{digit}{}", &value[1..])];
        }
        _ => {
            let number: u64 = value.parse().expect("a number");
            let less = number.checked_sub(1);
            return less
                .into_iter()
                .chain([number + 1])
                .map(|n| n.to_string())
                .collect();
        }
    };
    let others = all.iter().filter(|other| **other != value);
    others.map(ToString::to_string).collect()
}

/// The exit code of `hone verify` with edited cells: row, column and value of each.
fn code_with(run: &Path, whole: &[Vec<String>], edits: &[(usize, &str, &str)]) -> Option<i32> {
    let mut edited = whole.to_vec();
    for (row, column, value) in edits {
        let at = whole[0].iter().position(|name| name == column);
        edited[*row][at.expect("a column")] = (*value).to_string();
    }
    write(run, &edited);
    on_run("verify", run).code
}

fn cell<'a>(whole: &'a [Vec<String>], row: usize, column: &str) -> &'a str {
    let at = whole[0].iter().position(|name| name == column);
    &whole[row][at.expect("a column")]
}

#[test]
fn an_edit_of_every_checked_column_is_found() {
    let setup = played("");
    let run = setup.run("run");
    let whole = cells(&run);
    assert_eq!(on_run("verify", &run).code, Some(0));
    let rows = 1..whole.len();
    let ends: Vec<&str> = rows.map(|row| cell(&whole, row, "termination")).collect();
    for end in ["max_moves", "illegal_move", "disconnect"] {
        assert!(ends.contains(&end), "{end} in {ends:?}");
    }
    for row in 1..whole.len() {
        for (column, value) in whole[0].iter().zip(&whole[row]) {
            if row > 2 && column != "termination" && column != "plies" {
                continue;
            }
            for other in others(column, value) {
                let code = code_with(&run, &whole, &[(row, column, &other)]);
                let is_checked = !NOT_CHECKED.contains(&column.as_str());
                assert_eq!(
                    code,
                    Some(i32::from(is_checked)),
                    "row {row}, {column}: {value} -> {other}"
                );
            }
        }
    }
    write(&run, &whole);
    assert_eq!(on_run("verify", &run).code, Some(0));
}

#[test]
fn files_of_a_run_that_cannot_be_read_are_faults() {
    let setup = played("");
    let run = setup.run("run");
    let json = || {
        let mut verify = hone();
        verify.args(["verify", "--json"]).arg(&run);
        finish(verify).json()
    };
    let digest = on_run("verify", &run).digest();
    let sound = serde_json::json!({
        "run": "run", "games": 6, "pairs": 3, "verdict": "none", "digest": digest, "faults": []
    });
    assert_eq!(json(), sound);
    let is_fault = |part: &str| {
        let verified = on_run("verify", &run);
        assert_eq!(verified.code, Some(1), "{}", verified.stderr);
        assert_eq!(verified.stderr, "");
        let fault = verified.stdout.lines().next().expect("a fault");
        assert!(fault.starts_with("cannot verify the run: "), "{fault}");
        assert!(fault.contains(part), "{part}: {fault}");
        assert!(verified.stdout.ends_with("\n0 games checked, 1 fault\n"));
        let unread =
            serde_json::json!({ "run": "run", "games": 0, "digest": null, "faults": [fault] });
        assert_eq!(json(), unread);
    };
    let whole = cells(&run);
    let mut edited = whole.clone();
    edited.swap(1, 4);
    write(&run, &edited);
    is_fault("games.csv, line 3: the two games of a pair must follow each other");
    edited = whole.clone();
    edited.remove(1);
    write(&run, &edited);
    is_fault("games.csv, line 3: the two games of a pair must follow each other");
    let at = whole[0].iter().position(|name| name == "termination");
    edited = whole.clone();
    edited[1][at.expect("a column")] = "boredom".to_string();
    write(&run, &edited);
    is_fault("games.csv, line 2: not a row of games");
    write(&run, &whole);
    fs::rename(run.join("games.pgn"), run.join("kept")).expect("renamed");
    is_fault("cannot read ");
    fs::rename(run.join("kept"), run.join("games.pgn")).expect("renamed");
    fs::rename(run.join("games.csv"), run.join("kept")).expect("renamed");
    is_fault("games.csv: ");
    fs::rename(run.join("run.toml"), run.join("moved")).expect("renamed");
    let verified = on_run("verify", &run);
    assert_eq!(verified.code, Some(2), "{}", verified.stdout);
    assert!(
        verified.stderr.contains("is not a run"),
        "{}",
        verified.stderr
    );
}

/// An edit of one file can make every game faulty.
#[test]
fn faults_of_all_games_with_one_cause_are_one_line() {
    let setup = played("");
    let run = setup.run("run");
    let path = run.join("games.pgn");
    let pgn = fs::read_to_string(&path).expect("there");
    fs::write(&path, pgn.replace('\n', "\r\n")).expect("written");
    let line = "pair 1, game 2: it does not begin where the ledger has it \
                (and 4 more faults like it: pair 2, game 1; pair 2, game 2; …)";
    let verified = on_run("verify", &run);
    assert_eq!(verified.code, Some(1), "{}", verified.stderr);
    let lines: Vec<&str> = verified.stdout.lines().collect();
    let found: Vec<&&str> = lines.iter().filter(|line| line.contains("begin")).collect();
    assert_eq!(found, [&line], "{}", verified.stdout);
    assert!(lines.len() <= 5, "{}", verified.stdout);
    let mut verify = hone();
    verify.args(["verify", "--json"]).arg(&run);
    let faults = finish(verify).json()["faults"].clone();
    let faults = faults.as_array().expect("a list");
    assert!(faults.contains(&line.into()), "{faults:?}");
    assert_eq!(faults.len(), lines.len() - 2, "{faults:?}");
}

#[test]
fn openings_and_plies_are_found_in_every_notation_and_without_the_book() {
    for pgn in ["minimal = true", "notation = \"uci\"", "notation = \"lan\""] {
        let setup = played(pgn);
        let run = setup.run("run");
        let whole = cells(&run);
        let book = setup.dir.path().join("book.pgn");
        for text in [Some(BOOK.to_string()), Some(format!("{BOOK}\n")), None] {
            match &text {
                Some(text) => fs::write(&book, text).expect("written"),
                None => fs::remove_file(&book).expect("removed"),
            }
            let code = |edits: &[(usize, &str, &str)]| code_with(&run, &whole, edits);
            assert_eq!(code(&[]), Some(0), "{pgn}, {text:?}");
            for row in 1..whole.len() {
                for other in others("plies", cell(&whole, row, "plies")) {
                    let edits = [(row, "plies", other.as_str())];
                    assert_eq!(code(&edits), Some(1), "{pgn}, {text:?}: {edits:?}");
                }
            }
            // Both rows of a pair have the number.
            for other in ["1", "2", "3", "4", "5"] {
                let expected = i32::from(other != cell(&whole, 1, "opening"));
                let edits = [(1, "opening", other), (2, "opening", other)];
                assert_eq!(code(&edits), Some(expected), "{pgn}, {text:?}: {edits:?}");
            }
            // Plies and moves agree, but not with the pair's other game.
            let [plies, white, black] = ["plies", "white_moves", "black_moves"]
                .map(|column| cell(&whole, 1, column).parse::<u32>().expect("a number") - 1)
                .map(|fewer| fewer.to_string());
            for (column, fewer) in [("white_moves", white), ("black_moves", black)] {
                let edits = [(1, "plies", plies.as_str()), (1, column, fewer.as_str())];
                assert_eq!(code(&edits), Some(1), "{pgn}, {text:?}: {edits:?}");
            }
        }
    }
}

/// Castling moves of Chess960 have their own form, also from the standard position.
#[test]
fn castling_of_chess960_from_the_standard_position_is_verified() {
    for notation in ["san", "uci"] {
        let players = engines(("one", &scripted(), ""), ("two", &scripted(), ""));
        let setup = Setup::new("");
        let book = setup.dir.path().join("book.pgn");
        fs::write(&book, "1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. O-O *\n").expect("written");
        let config = format!(
            "{players}[match]\npairs = 1\nlimit = \"nodes=5\"\nvariant = \"chess960\"\n\
             openings = {{ file = '{}' }}\n[adjudication]\nmax_moves = 20\n\
             [pgn]\nnotation = \"{notation}\"\n",
            book.display()
        );
        fs::write(&setup.config, config).expect("written");
        let played = setup.play("match", "run", &[]);
        assert_eq!(played.code, Some(0), "{}", played.stderr);
        let verified = on_run("verify", &setup.run("run"));
        assert_eq!(verified.code, Some(0), "{}", verified.stderr);
        // As other programs expect of Chess960.
        let games = fs::read_to_string(setup.run("run").join("games.pgn")).expect("games");
        let tags = "[SetUp \"1\"]\n[FEN \"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\"]\n\
                    [Variant \"Chess960\"]\n";
        assert_eq!(games.matches(tags).count(), 2, "{games}");
    }
}

/// Of a pair with two results, the first counts. A row that a kill cut off does not count.
#[test]
fn ratings_count_what_the_report_counts() {
    let setup = played("");
    let run = setup.run("run");
    let path = run.join("games.csv");
    let csv = fs::read_to_string(&path).expect("there");
    let rated = || {
        let finished = calc(&format!("rate --csv {}", run.display()));
        assert_eq!(finished.code, Some(0), "{}", finished.stderr);
        finished.stdout
    };
    let whole = rated();
    let first: Vec<&str> = csv.lines().skip(1).take(2).collect();
    let opposite = |line: &str| {
        if line.contains(",1-0,") {
            line.replace(",1-0,", ",0-1,")
        } else {
            line.replace(",0-1,", ",1-0,").replace(",1/2-1/2,", ",1-0,")
        }
    };
    let again: String = first.iter().map(|line| opposite(line) + "\n").collect();
    fs::write(&path, format!("{csv}{again}4,1,on")).expect("written");
    assert_eq!(rated(), whole);
}

/// Otherwise an unwanted pair could be played again.
#[test]
fn a_ledger_without_a_pair_in_the_middle_is_neither_resumed_nor_pooled() {
    let setup = played("");
    let run = setup.run("run");
    let whole = cells(&run);
    let mut edited = whole.clone();
    edited.drain(3..5);
    write(&run, &edited);
    let before = fs::read(run.join("games.pgn")).expect("there");
    let mut pool = hone();
    pool.arg("pool").arg(&run);
    pool.arg("--out").arg(setup.run("pool"));
    for refused in [on_run("resume", &run), finish(pool)] {
        assert_eq!(refused.code, Some(2), "{}", refused.stderr);
        let pair = cell(&whole, 5, "pair");
        let missing = format!("games.csv has been edited: rows before pair {pair} are missing");
        for part in [&missing, "help: restore it", "--replay-missing"] {
            assert!(refused.stderr.contains(part), "{part}: {}", refused.stderr);
        }
    }
    assert!(!setup.run("pool").exists());
    assert_eq!(fs::read(run.join("games.pgn")).expect("there"), before);
    assert_eq!(cells(&run), edited);
    assert_eq!(resume(&run, &["--replay-missing"]).code, Some(0));
    assert_eq!(on_run("verify", &run).code, Some(0));
}

#[test]
fn games_whose_offsets_have_changed_are_never_removed() {
    let setup = played("");
    let run = setup.run("run");
    let path = run.join("games.pgn");
    let pgn = fs::read_to_string(&path).expect("there");
    let whole = cells(&run);
    let last = cell(&whole, whole.len() - 2, "pgn_offset");
    let last: usize = last.parse().expect("a number");
    let longer = |text: &str| text.replacen("[Site \"", "[Site \"here, ", 1);
    for edited in [
        pgn.replace('\n', "\r\n"),
        longer(&pgn),
        format!("{}{}", &pgn[..last], longer(&pgn[last..])),
        format!("{pgn}\n"),
        // Of the same length: the last byte is a line end too.
        format!("\n{}", &pgn[..pgn.len() - 1]),
    ] {
        fs::write(&path, &edited).expect("written");
        let refused = on_run("resume", &run);
        assert_eq!(refused.code, Some(2), "{}", refused.stderr);
        for part in ["games.pgn has been edited", "help: restore it", "CRLF"] {
            assert!(refused.stderr.contains(part), "{part}: {}", refused.stderr);
        }
        assert_eq!(fs::read_to_string(&path).expect("there"), edited);
        assert_eq!(cells(&run), whole);
        assert_eq!(on_run("verify", &run).code, Some(1));
    }
    fs::write(&path, &pgn).expect("written");
    assert_eq!(on_run("resume", &run).code, Some(0));
    assert_eq!(on_run("verify", &run).code, Some(0));
}
