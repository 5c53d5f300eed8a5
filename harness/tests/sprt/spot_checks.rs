//! Pairs that are played again in new processes: an engine that keeps state over games is named.

use std::fs;
use std::path::Path;

use crate::common::{Finished, Setup, engines, on_run, resume, scripted};
use serde_json::{Value, json};

/// A test in which each engine loses half of its games by its own scores, so that one that
/// learns not to wins. `dev` is the first engine's flags.
fn setup(dev: &str, limit: &str) -> Setup {
    let command = |flags: &str| format!("{} --lose 50 {flags}", scripted());
    let (dev, base) = (command(dev), command("--seed 2"));
    let players = engines(("dev", &dev, ""), ("base", &base, ""));
    Setup::new(&format!(
        "{players}[match]\nconcurrency = 2\nlimit = \"{limit}\"\non_finding = \"undecided\"\n\
         max_failures = 1.0\n\
         [adjudication]\nmax_moves = 20\nresign = {{ count = 2, score = 600, twosided = false }}\n\
         [sprt]\nelo0 = 0.0\nelo1 = 200.0\nmax_pairs = 400\n"
    ))
}

fn play(setup: &Setup) -> Finished {
    setup.play("sprt", "run", &["--json"])
}

/// The findings of pairs that were played again.
fn found(json: &Value) -> Vec<(&str, &str)> {
    let findings = json["findings"].as_array().expect("a list").iter();
    let texts = findings.map(|finding| {
        let text = |key: &str| finding[key].as_str().expect("text");
        (text("test"), text("rank"))
    });
    let kinds = ["state_over_games", "unrepeatable"];
    texts.filter(|(test, _)| kinds.contains(test)).collect()
}

fn table(run: &Path) -> String {
    fs::read_to_string(run.join("findings.csv")).unwrap_or_default()
}

#[test]
fn a_verdict_that_an_engine_has_learnt_is_withheld() {
    let setup = setup("--learn", "nodes=5");
    let finished = play(&setup);
    assert_eq!(finished.code, Some(3), "{}", finished.stderr);
    let json = finished.json();
    assert_eq!(
        (&json["verdict"], &json["withheld"]),
        (&json!("none"), &json!("H1"))
    );
    assert_eq!(found(&json), [("state_over_games", "doubtful")], "{json}");
    let run = setup.run("run");
    let words = "engine `dev` keeps state over games: in two plays with new processes, ply ";
    for text in [finished.stderr, on_run("report", &run).stdout, table(&run)] {
        assert!(text.contains(words), "{text}");
    }
    // The games of the check are in no other file.
    let verified = on_run("verify", &run);
    assert_eq!(verified.code, Some(0), "{}", verified.stderr);
    assert_eq!(resume(&run, &[]).code, Some(3));
    assert_eq!(table(&run).lines().count(), 2, "a header and one finding");
}

#[test]
fn engines_that_repeat_their_games_have_no_finding() {
    let setup = setup("", "nodes=5");
    let finished = play(&setup);
    assert_eq!(found(&finished.json()), []);
    assert_eq!(table(&setup.run("run")), "");
}

#[test]
fn an_engine_that_never_repeats_its_games_is_noted() {
    let setup = setup("--vary --lose 0", "nodes=5");
    let finished = play(&setup);
    let json = finished.json();
    assert_eq!(found(&json), [("unrepeatable", "note")], "{json}");
    let words = "engine `dev` does not repeat its games: in new processes, ply ";
    assert!(finished.stderr.contains(words), "{}", finished.stderr);
}

/// With a clock, games depend on times.
#[test]
fn games_with_a_clock_are_not_played_again() {
    let setup = setup("--learn", "9+1");
    let finished = play(&setup);
    assert_eq!(found(&finished.json()), []);
    assert_eq!(table(&setup.run("run")), "");
}
