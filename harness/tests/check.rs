//! `hone check`: the compliance report.
#![cfg(unix)]

mod common;

use std::{fs, os::unix::fs::PermissionsExt};

use common::{Finished, finish, hone, scripted, stillwater};

fn check(engine: &str, args: &[&str]) -> Finished {
    let mut command = hone();
    command.args(["check", engine]).args(args);
    finish(command)
}

#[test]
fn stillwater_keeps_to_the_protocol() {
    let finished = check(&stillwater().display().to_string(), &["--json"]);
    let json = finished.json();
    assert_eq!(finished.code, Some(0), "{json}");
    assert_eq!(json["failed"], 0);
    assert!(json["passed"].as_u64() >= Some(20), "{json}");
}

#[test]
fn each_fault_is_found_by_its_check() {
    for (script, name) in [
        ("isready=silent", "answers isready with readyok"),
        ("ucinewgame=hang", "is ready again after ucinewgame"),
        ("go=illegal", "go depth: a legal move"),
        ("go=none", "go nodes: a legal move"),
        ("go=late:900", "go movetime: in time"),
        // Without a script it answers at once, after one node.
        ("", "go nodes: a legal move"),
        ("", "go depth: a legal move"),
        ("", "go movetime: in time"),
        ("quit=hang", "ends on quit"),
    ] {
        let engine = format!("{} {script}", scripted());
        let finished = check(&engine, &["--patience", "1500"]);
        assert_eq!(finished.code, Some(1), "{script}");
        let line = format!("FAILED {name}");
        assert!(
            finished.stdout.contains(&line),
            "{script}: {}",
            finished.stdout
        );
    }
}

#[test]
fn an_engine_that_does_not_start_fails_the_first_check_only() {
    let finished = check("/bin/true", &["--json", "--patience", "500"]);
    assert_eq!(finished.code, Some(1));
    assert_eq!(finished.json()["checks"].as_array().map(Vec::len), Some(1));
}

#[test]
fn a_program_that_cannot_be_started_is_not_a_fault_of_the_protocol() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = folder.path().join("text");
    fs::write(&text, "not a program").expect("written");
    for program in ["no-such-program", &text.display().to_string()] {
        let finished = check(program, &["--json"]);
        assert_eq!(finished.code, Some(2), "{}", finished.stderr);
        let start = format!("error: cannot start `{program}`: ");
        assert!(finished.stderr.starts_with(&start), "{}", finished.stderr);
        assert_eq!(finished.stdout, "");
    }
}

/// It plays its first argument where only castling to the right mates, its
/// second where only castling to the left does, and reports the score of its third.
const CASTLING: &str = r#"#!/bin/sh
while read -r line; do
  case "$line" in
    uci) echo "id name c"; echo "id author t"
         echo "option name UCI_Chess960 type check default false"; echo uciok ;;
    isready) echo readyok ;;
    position*) position="$line" ;;
    go*) case "$position" in
           *"fen 4R1R1"*) best=$1 ;;
           *"fen 2R1R3"*) best=$2 ;;
           *"moves f1h1"*) best=f8e8 ;;
           *) best=a2a3 ;;
         esac
         echo "info depth 1 score $3 1 nodes 10 pv $best"
         echo "bestmove $best" ;;
    quit) exit ;;
  esac
done
"#;

#[test]
fn castling_of_chess960_in_the_wrong_form_is_found() {
    let folder = tempfile::tempdir().expect("a folder");
    let engine = folder.path().join("engine");
    fs::write(&engine, CASTLING).expect("written");
    fs::set_permissions(&engine, fs::Permissions::from_mode(0o755)).expect("set");
    for (args, wrong) in [
        ("g1h1 b1a1 mate", None),
        // It misses the mates; `b1c1` is then a king move.
        ("g1g2 b1b2 cp", None),
        ("g1h1 b1c1 cp", None),
        ("g1g1 b1a1 mate", Some("`g1h1`")),
        ("g1g1 b1a1 cp", Some("`g1h1`")),
        ("g1h1 b1c1 mate", Some("`b1a1`")),
    ] {
        let engine = format!("{} {args}", engine.display());
        let json = check(&engine, &["--json", "--patience", "1000"]).json();
        let checks = json["checks"].as_array().expect("checks");
        let castling = checks
            .iter()
            .find(|check| check["name"] == "castles in Chess960")
            .expect("there");
        assert_eq!(castling["passed"], wrong.is_none(), "{args}: {castling}");
        if let Some(right) = wrong {
            let detail = castling["detail"].as_str().expect("text");
            assert!(detail.contains(right), "{args}: {detail}");
        }
    }
}
