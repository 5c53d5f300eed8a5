//! A short run of the kill campaign (`examples/campaign`), and ledgers that are cut at each
//! byte.
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::common::{self, Setup, random_players, scripted, stillwater};
use hone_run::ledger::Pairs;

/// Runs the campaign with these arguments; returns what it printed.
fn campaign(arguments: &[&str]) -> String {
    // The campaign uses the other programs in its folder, which must be built.
    let programs = [scripted(), stillwater().display().to_string()];
    let folder = tempfile::tempdir().expect("a temporary folder");
    let output = Command::new(common::example("campaign"))
        .args(arguments)
        .arg("--folder")
        .arg(folder.path())
        .output()
        .expect("the campaign starts");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{programs:?}\n{text}{errors}");
    text
}

#[test]
#[ignore = "disturbs and resumes real runs, ten seconds to over a minute: .ci/run runs it after the other tests"]
fn every_disturbance_of_a_match_loses_nothing() {
    let text = campaign(&["--kind", "match", "--seed", "19"]);
    assert!(text.contains("match hone-kill 19: "), "{text}");
}

#[test]
#[ignore = "disturbs and resumes real runs, ten seconds to over a minute: .ci/run runs it after the other tests"]
fn kills_of_every_kind_of_run_lose_nothing() {
    let disturbances = ["hone-kill", "torn"].map(|name| ["--disturbance", name]);
    let arguments = [&["--seed", "20"], disturbances.as_flattened()].concat();
    let text = campaign(&arguments);
    for trial in [" hone-kill 20: ", " torn 20: "] {
        let trials = text.matches(trial).count();
        assert_eq!(trials, 6, "one of each kind of run: {text}");
    }
}

/// A finished match of three pairs.
fn finished() -> Setup {
    let players = random_players();
    let setup = Setup::new(&format!(
        "{players}[match]\nlimit = \"nodes=1\"\npairs = 3\nconcurrency = 1\n\
         openings = {{ file = \"books/quick.epd\" }}\n[adjudication]\nmax_moves = 10\n"
    ));
    let played = setup.play("match", "run", &[]);
    assert_eq!(played.code, Some(0), "{}", played.stderr);
    setup
}

fn pairs(run: &Path) -> usize {
    let names = ["one", "two"].map(String::from);
    let pairs = Pairs::open(run, &names).expect("readable");
    let entries = pairs.by_arrival().expect("readable");
    let entries: Result<Vec<_>, _> = entries.collect();
    entries.expect("whole pairs can be read").len()
}

#[test]
fn a_ledger_cut_at_any_byte_keeps_every_pair_before_it() {
    let setup = finished();
    let csv = setup.run("run").join("games.csv");
    let whole = fs::read(&csv).expect("the ledger");
    let ends: Vec<usize> = memchr::memchr_iter(b'\n', &whole)
        .map(|at| at + 1)
        .collect();
    assert_eq!(ends.len(), 7, "a header and six rows");
    for length in ends[0]..=whole.len() {
        fs::write(&csv, &whole[..length]).expect("written");
        let rows = ends.iter().filter(|end| **end <= length).count() - 1;
        assert_eq!(pairs(&setup.run("run")), rows / 2, "cut at {length}");
    }
}
