//! `hone check`: the compliance report.
#![cfg(unix)]

mod common;

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
