//! `hone suite`, with engines that are shell scripts.
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::common::running::Running;
use crate::common::{self, Finished, finish, hone_in, script, signal, wait_until};
use serde_json::{Value, json};

/// A shell script that is a UCI engine: at depth 1 it prefers a king move; from depth 2 on,
/// depending on the position and on its option, the pawn move.
const ENGINE: &str = r#"#!/bin/sh
bold=false
while read -r line; do
  case "$line" in
    uci) echo "id name NAME"; echo "option name Bold type check default false"
         echo "option name UCI_Chess960 type check default false"; echo uciok ;;
    "setoption name Bold value true") bold=true ;;
    isready) echo readyok ;;
    position*) fen="$line" ;;
    go*) best=e1d1
         case "$fen" in *"/4P3/4K3 w"*) best=e2e4 ;; esac
         $bold && case "$fen" in *"/3P4/4K3 w"*) best=d2d4 ;; esac
         echo "info depth 1 score cp 0 nodes 10 pv e1f1"
         echo "info depth 2 score mate 3 nodes 20 pv $best"
         echo "info depth 3 score cp 5 nodes 30 pv $best"
         echo "bestmove $best" ;;
    quit) exit ;;
  esac
done
"#;

const SUITE: &str = "# three positions\n\
    4k3/8/8/8/8/8/4P3/4K3 w - - bm e4; id \"e\"; c0 \"e4=10, Kd1=3\";\n\
    4k3/8/8/8/8/8/3P4/4K3 w - - bm d4 d3; id \"d\"; c0 \"d4=8, Kd1=2\";\n\
    4k3/8/8/8/8/8/2P5/4K3 w - - am Kd1;\n";

fn write(folder: &Path, suite: &str) {
    fs::write(folder.join("s.epd"), suite).unwrap();
    for name in ["one", "two"] {
        script(folder, name, &ENGINE.replace("NAME", name));
    }
}

/// `hone suite` on that suite with the engine and options in `args`.
fn suite(folder: &Path, args: &[&str]) -> Command {
    let mut command = common::hone();
    command
        .current_dir(folder)
        .args(["suite", "s.epd", "--nodes", "100", "--engine"])
        .args(args);
    command
}

fn hone(folder: &Path, args: &[&str]) -> Finished {
    finish(suite(folder, args))
}

fn report(finished: &Finished) -> Value {
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    finished.json()
}

#[test]
fn quotes_in_an_engine_command_keep_words_together() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), SUITE);
    fs::create_dir(folder.path().join("my engines")).unwrap();
    let moved = folder.path().join("my engines/one");
    fs::rename(folder.path().join("one"), moved).unwrap();
    let report = report(&hone(
        folder.path(),
        &["'./my engines/one' --net 'a b'", "--json"],
    ));
    assert_eq!(report["total"], 3);
    let refused = hone(folder.path(), &["'./my engines/one", "--json"]);
    assert_eq!(refused.code, Some(2));
    let errors = refused.stderr;
    assert!(errors.contains("quotes do not match"), "{errors}");
}

#[test]
fn solved_positions_points_and_failures() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), SUITE);
    // More than the default of 600 s is allowed.
    let options = ["--json", "--concurrency", "3", "--stall-ms", "3600000"];
    let report = report(&hone(folder.path(), &[&["./one"], &options[..]].concat()));
    assert_eq!(
        (&report["solved"], &report["total"]),
        (&json!(1), &json!(3))
    );
    assert_eq!(
        (&report["score"], &report["max_score"]),
        (&json!(12), &json!(19))
    );
    assert_eq!(
        report["failures"],
        json!([
            {"id": "d", "line": 3, "best": "d4 d3", "played": "Kd1"},
            {"id": "s:4", "line": 4, "best": "not Kd1", "played": "Kd1"},
        ])
    );
    assert_eq!(report["positions"][0]["first"]["nodes"], 20);
    assert_eq!(report["positions"][0]["last"]["depth"], 2);
    // Kf1 at the first iteration avoided Kd1.
    assert_eq!(report["solved_first"], 2);
    assert_eq!(report["positions"][2]["first"]["nodes"], 10);
    assert_eq!(report["positions"][2]["last"], Value::Null);
    assert_eq!(report["limit"], json!({"nodes": 100}));

    let table = hone(folder.path(), &["./one"]);
    assert!(table.stderr.is_empty());
    let text = table.stdout;
    assert!(
        text.contains("one: 1 of 3 solved (33.3 %), score 12 of 19"),
        "{text}"
    );
    assert!(
        text.contains("2 not solved; --failures lists them"),
        "{text}"
    );
    assert!(
        text.contains("\nlimit of each position: 100 nodes\n"),
        "{text}"
    );
    let listed = hone(folder.path(), &["./one", "--failures"]).stdout;
    assert!(
        listed.contains("d                    played Kd1"),
        "{listed}"
    );
    let solved = SUITE.lines().nth(1).unwrap();
    fs::write(folder.path().join("s.epd"), solved).unwrap();
    let listed = hone(folder.path(), &["./one", "--failures"]).stdout;
    assert!(listed.contains("1 of 1 solved"), "{listed}");
    assert!(!listed.contains("ot solved"), "{listed}");
}

#[test]
fn two_engines_are_compared() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), SUITE);
    let args = [
        "./one",
        "--compare",
        "./two",
        "--compare-option",
        "Bold=true",
        "--json",
    ];
    let report = report(&hone(folder.path(), &args));
    let compare = &report["compare"];
    assert_eq!(
        (&report["engine"], &compare["engine"]),
        (&json!("one"), &json!("two"))
    );
    assert_eq!(
        (&report["solved"], &compare["solved"]),
        (&json!(1), &json!(2))
    );
    assert_eq!(
        (&compare["only_first"], &compare["only_second"]),
        (&json!([]), &json!(["d"]))
    );
    assert_eq!(
        compare["mcnemar"],
        json!({"first_only": 0, "second_only": 1, "p": 1.0})
    );
    let text = hone(folder.path(), &args[..5]).stdout;
    // The comparison comes first.
    assert!(
        text.starts_with("one solved 1 of 3, two solved 2\n"),
        "{text}"
    );
    assert!(text.contains("Only the second (two) solved: d"), "{text}");
}

/// Writes an engine `one` that answers position `d` by the shell command `answer`.
fn answering(folder: &Path, answer: &str) {
    write(folder, SUITE);
    let engine = ENGINE.replace("NAME", "one");
    let (before, after) = (
        "echo \"bestmove $best\"",
        format!(
            "case \"$fen\" in *\"/3P4/4K3 w\"*) {answer} ;; *) echo \"bestmove $best\" ;; esac"
        ),
    );
    assert!(engine.contains(before));
    fs::write(folder.join("one"), engine.replace(before, &after)).unwrap();
}

#[test]
fn answers_that_are_not_legal_moves_are_counted_and_marked() {
    let folder = tempfile::tempdir().unwrap();
    for (answer, played) in [("a1a1", "illegal: a1a1"), ("0000", "illegal: 0000")] {
        answering(folder.path(), &format!("echo bestmove {answer}"));
        let report = report(&hone(folder.path(), &["./one", "--json"]));
        assert_eq!(report["without_legal_move"], 1);
        assert_eq!(report["failures"][0]["played"], played);
        let listed = hone(folder.path(), &["./one", "--failures"]).stdout;
        for part in [
            "illegal or missing answers: 1\n",
            &format!("played {played}"),
        ] {
            assert!(listed.contains(part), "{part}: {listed}");
        }
    }
}

/// Standard output and standard error of a suite that ended by an engine's failure.
fn failed(finished: Finished) -> (String, String) {
    assert_eq!(finished.code, Some(4), "{}", finished.stderr);
    (finished.stdout, finished.stderr)
}

#[test]
fn results_before_a_crash_are_shown() {
    let folder = tempfile::tempdir().unwrap();
    answering(folder.path(), "exit 3");
    let args = ["./one", "--concurrency", "1", "--json"];
    let (shown, errors) = failed(hone(folder.path(), &args[..3]));
    let head =
        "one: incomplete, 1 of 3 positions answered, 1 of them solved (100.0 %), score 10 of 10";
    assert!(shown.starts_with(head), "{shown}");
    let error = "one: the engine closed its output or ended (position `d`, line 3)";
    assert!(errors.contains(error), "{errors}");

    let (shown, _) = failed(hone(folder.path(), &args));
    let report: Value = serde_json::from_str(&shown).unwrap();
    assert_eq!(
        [&report["solved"], &report["answered"], &report["total"]],
        [1, 1, 3]
    );
    assert_eq!(report["positions"][0]["id"], "e");
    assert_eq!(report["positions"][1], Value::Null);
    assert!(report["error"].as_str().unwrap().starts_with(error));
}

#[test]
fn a_crash_of_the_second_engine_leaves_the_table_of_the_first() {
    let folder = tempfile::tempdir().unwrap();
    answering(folder.path(), "exit 3");
    let args = [
        "./two",
        "--compare",
        "./one",
        "--concurrency",
        "1",
        "--json",
    ];
    let (shown, _) = failed(hone(folder.path(), &args[..5]));
    for part in [
        "Incomplete: compared on the 1 of 3 positions that both engines answered\n",
        "\ntwo: 1 of 3 solved (33.3 %), score 12 of 19\n",
        "\none: incomplete, 1 of 3 positions answered, 1 of them solved",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let (shown, _) = failed(hone(folder.path(), &args));
    let report: Value = serde_json::from_str(&shown).unwrap();
    assert_eq!(
        (&report["solved"], &report["answered"]),
        (&json!(1), &json!(3))
    );
    assert_eq!(report["error"], Value::Null);
    let compare = &report["compare"];
    assert_eq!(
        (&compare["answered"], &compare["total"]),
        (&json!(1), &json!(3))
    );
    assert!(compare["error"].is_string());
    assert_eq!(compare["only_first"], json!([]));
}

#[test]
fn an_engine_that_never_answers_is_announced_and_stalls() {
    let folder = tempfile::tempdir().unwrap();
    answering(folder.path(), "read -r forever");
    let only = "4k3/8/8/8/8/8/3P4/4K3 w - - bm d4; id \"d\";\n";
    fs::write(folder.path().join("s.epd"), only).unwrap();
    let args = ["./one", "--stall-ms", "1500", "--json"];
    let (shown, errors) = failed(hone(folder.path(), &args));
    for part in [
        "waiting for one to answer position `d` (line 1), 0.5 s\n",
        "engine `one` stalls: no answer for 1.5 s (position `d`, line 1)\nhelp: if it needs longer, raise `--stall-ms`",
    ] {
        assert!(errors.contains(part), "{part}: {errors}");
    }
    let report: Value = serde_json::from_str(&shown).unwrap();
    let error = "engine `one` stalls: no answer for 1.5 s (position `d`, line 1)";
    assert_eq!(report["error"], error);
    assert_eq!(
        (&report["answered"], &report["total"]),
        (&json!(0), &json!(1))
    );
}

#[test]
fn an_interrupt_shows_the_answers_so_far() {
    let folder = tempfile::tempdir().unwrap();
    answering(folder.path(), "> reached; read -r forever");
    for (args, part) in [
        (&[][..], "one: incomplete, 1 of 3 positions answered"),
        (&["--json"], "\"answered\":1,"),
        (&["--compare", "./two"], "one: incomplete, 1 of 3"),
    ] {
        let args = [&["./one", "--concurrency", "1"], args].concat();
        let mut command = suite(folder.path(), &args);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = Running::start(&mut command);
        let reached = folder.path().join("reached");
        wait_until("the second position", || reached.exists());
        fs::remove_file(&reached).unwrap();
        signal(&child, libc::SIGINT);
        let ended = child.finish();
        assert_eq!(ended.code, Some(130), "{}", ended.stderr);
        assert_eq!(ended.stderr, "interrupted\n");
        let shown = ended.stdout;
        assert!(shown.contains(part), "{args:?}: {shown}");
    }
}

#[test]
fn a_stall_needs_a_limit_without_time() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), SUITE);
    for limit in [&[][..], &["--movetime", "5"]] {
        let args = ["suite", "s.epd", "--engine", "./one", "--stall-ms", "300"];
        let refused = hone_in(folder.path(), &[&args, limit].concat());
        let errors = refused.stderr;
        assert_eq!(refused.code, Some(2), "{errors}");
        let error = "error: cannot use `--stall-ms` with a time for each position";
        assert!(errors.starts_with(error), "{errors}");
        assert!(errors.contains("help: give `--nodes N`"), "{errors}");
    }
}

#[test]
fn a_mate_that_is_lost_again_is_not_solved() {
    let folder = tempfile::tempdir().unwrap();
    write(
        folder.path(),
        "4k3/8/8/8/8/8/4P3/4K3 w - - dm 3; id \"m\";\n",
    );
    let report = report(&hone(folder.path(), &["./one", "--json"]));
    assert_eq!(
        (&report["solved"], &report["solved_first"]),
        (&json!(0), &json!(1))
    );
    assert_eq!(report["failures"][0]["best"], "mate in 3");
}

#[test]
fn an_impossible_castling_right_is_dropped_with_a_warning() {
    let folder = tempfile::tempdir().unwrap();
    write(
        folder.path(),
        "4k3/8/8/8/8/8/4P3/4K3 w Kq - bm e4; id \"x\";\n",
    );
    let output = hone(folder.path(), &["./one", "--json"]);
    let warning = "s.epd:1: x: castling right Kq is impossible, dropped";
    assert_eq!(report(&output)["warnings"], json!([warning]));
    assert!(output.stderr.contains(warning));
}

#[test]
fn invalid_positions_and_engines_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    for (suite, args, part) in [
        ("", &["./one"][..], "contains no positions"),
        (SUITE, &["/bin/true"], "uciok"),
        (
            SUITE,
            &["/bin/sh -c 'exec >&-; read -r uci; read -r forever'"],
            "closed its standard output while still running, before it sent `uciok`",
        ),
        (SUITE, &["./one", "--stall-ms", "0"], "--stall-ms"),
        (
            SUITE,
            &["./one", "--option", "Bald=true"],
            "did you mean `Bold`",
        ),
        (SUITE, &["./one", "--depth", "3"], "cannot be used with"),
        (
            SUITE,
            &["./one", "--concurrency", "1025"],
            "1025 is out of range: 1 to 1024 engines at a time are allowed",
        ),
        (
            "\n4k3/8/8/8/8/8/8/8 w - - bm Kd1;\n",
            &["./one"],
            "illegal position: missing king\n  --> s.epd:2",
        ),
        (
            "4k3/8/8/8/8/8/4P3/4K3 w - - bm Qh5;\n",
            &["./one"],
            "bm Qh5: no legal move of this position\n  --> s.epd:1",
        ),
        (
            "4k3/8/8/8/8/8/4P3/4K3 w - - id \"x\";\n",
            &["./one"],
            "\n  --> s.epd:1",
        ),
    ] {
        write(folder.path(), suite);
        let output = hone(folder.path(), args);
        let errors = output.stderr;
        assert_eq!(output.code, Some(2), "{args:?}: {errors}");
        assert!(errors.contains(part), "{args:?}: {errors}");
        assert!(output.stdout.is_empty());
    }
}

#[test]
fn a_suite_of_chess960_is_recognised_and_warnings_are_few() {
    let folder = tempfile::tempdir().unwrap();
    // King and rooks can castle from these squares only in Chess960.
    let line = "rk2r3/8/8/8/8/8/8/RK2R3 w AEae - bm Rd1; id \"x\";\n";
    write(folder.path(), &line.repeat(4));
    let output = hone(folder.path(), &["./one"]);
    let errors = output.stderr;
    assert_eq!(output.code, Some(0), "{errors}");
    assert_eq!(errors, "s.epd is read as a Chess960 suite\n");
    // The solution is legal only in Chess960.
    let line = "2r3kr/pppppppp/8/8/8/8/PPPPPPPP/2R3KR w HChc - bm O-O; id \"x\";\n";
    write(folder.path(), line);
    let output = hone(folder.path(), &["./one"]);
    let errors = output.stderr;
    assert!(
        errors.starts_with("s.epd is read as a Chess960 suite\n"),
        "{errors}"
    );
    let line = "4k3/8/8/8/8/8/4P3/4K3 w Kq - bm e4; id \"x\";\n";
    write(folder.path(), &line.repeat(9));
    let output = hone(folder.path(), &["./one", "--json"]);
    let errors = &output.stderr;
    assert_eq!(errors.lines().count(), 4, "{errors}");
    assert!(errors.contains("and 6 more positions"), "{errors}");
    assert_eq!(report(&output)["warnings"].as_array().unwrap().len(), 9);
}
