//! `hone resume --pairs`: more pairs for a run than it was planned with.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::{
    self, Setup, digest, engines, finish, hone, on_run, player, random_players, resume, rows,
    script, scripted,
};

/// Short games of two or three engines; `sections` is more configuration.
fn instant(engine_count: usize, sections: &str) -> Setup {
    let mut players = random_players();
    if engine_count == 3 {
        players += &player("three", "--seed 3");
    }
    Setup::new(&format!(
        "{players}[adjudication]\nmax_moves = 20\n[match]\nlimit = \"nodes=1\"\nconcurrency = 2\n\
         openings = {{ file = \"books/quick.epd\" }}\n{sections}\n"
    ))
}

fn played(setup: &Setup, command: &str, name: &str, code: i32) -> PathBuf {
    let finished = setup.play(command, name, &[]);
    assert_eq!(finished.code, Some(code), "{}", finished.stderr);
    setup.run(name)
}

fn pairs(run: &Path) -> usize {
    rows(run) / 2
}

fn json(run: &Path, args: &[&str]) -> serde_json::Value {
    resume(run, &[args, &["--json"]].concat()).json()
}

#[test]
fn an_extended_match_is_the_match_that_was_planned_longer() {
    for count in [2, 3] {
        let short = instant(count, "pairs = 4");
        let run = played(&short, "match", "run", 0);
        let extended = json(&run, &["--pairs", "9"]);
        assert_eq!(extended["finished"], true);
        let pairings = count * (count - 1) / 2;
        assert_eq!(pairs(&run), 9 * pairings, "{count} engines");
        let long = instant(count, "pairs = 9");
        let planned = played(&long, "match", "run", 0);
        assert_eq!(digest(&run), digest(&planned), "{count} engines");
        // Another process, which has only the folder, finds it finished.
        let again = resume(&run, &[]);
        assert_eq!(again.code, Some(0), "{}", again.stderr);
        let ended = format!("`{}` has ended; nothing to play\n", run.display());
        assert!(again.stderr.contains(&ended), "{}", again.stderr);
        assert!(!again.stderr.contains("playing"), "{}", again.stderr);
        assert_eq!(pairs(&run), 9 * pairings);
    }
}

#[test]
fn an_undecided_test_continues_to_its_verdict() {
    let test = |pairs: u64| {
        instant(
            2,
            &format!("[sprt]\nelo0 = -150.0\nelo1 = -50.0\nmax_pairs = {pairs}"),
        )
    };
    let short = test(3);
    let run = played(&short, "sprt", "run", 3);
    let still = resume(&run, &["--pairs", "4"]);
    assert_eq!(still.code, Some(3), "{}", still.stderr);
    let help = format!(
        "Play more pairs with `hone resume {} --pairs N`",
        run.display()
    );
    assert!(still.stderr.contains(&help), "{}", still.stderr);
    assert_eq!(pairs(&run), 4);
    let decided = resume(&run, &["--pairs", "500"]);
    assert_eq!(decided.code, Some(0), "{}", decided.stderr);
    assert!(!decided.stderr.contains(&help), "{}", decided.stderr);
    let long = test(500);
    let planned = played(&long, "sprt", "run", 0);
    assert_eq!(digest(&run), digest(&planned));
    // Now it has a verdict that more pairs cannot change.
    let before = fs::read_to_string(run.join("run.toml")).expect("there");
    let refused = resume(&run, &["--pairs", "501"]);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    let few = resume(&run, &["--pairs", "5"]);
    let part =
        "`--pairs`: 5 is too small: this run already has 500 planned pairs; give 500 or more";
    assert!(few.stderr.contains(part), "{}", few.stderr);
    let part = "`--pairs`: the run has ended after ";
    assert!(refused.stderr.contains(part), "{}", refused.stderr);
    let after = fs::read_to_string(run.join("run.toml")).expect("there");
    assert_eq!(before, after);
    // The same number again changes nothing, so that a job can be repeated.
    assert_eq!(resume(&run, &["--pairs", "500"]).code, Some(0));
}

/// The shards of a pool must have the same number of pairs.
#[test]
fn a_shard_without_any_of_the_new_pairs_is_extended_too() {
    let setup = instant(2, "pairs = 4");
    let finished = setup.play("match", "run", &["--shard", "3/3"]);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let run = setup.run("run");
    for (planned, own) in [("5", 1), ("6", 2)] {
        let extended = resume(&run, &["--pairs", planned]);
        assert_eq!(extended.code, Some(0), "{planned}: {}", extended.stderr);
        assert_eq!(pairs(&run), own, "{planned}");
        let manifest = fs::read_to_string(run.join("run.toml")).expect("there");
        let line = format!("\npairs = {planned}\n");
        assert!(manifest.contains(&line), "{manifest}");
    }
}

/// An interval is valid only if neither its shape nor the length of the match depends on
/// the results.
#[test]
fn an_extended_match_has_the_always_valid_interval_of_the_plan() {
    let short = instant(2, "pairs = 10");
    let run = played(&short, "match", "run", 0);
    let first = json(&run, &[])["always_valid"].clone();
    let extended = json(&run, &["--pairs", "40"])["always_valid"].clone();
    let long = instant(2, "pairs = 40");
    let planned = played(&long, "match", "run", 0);
    let other = json(&planned, &[])["always_valid"].clone();
    assert!(first.is_object() && extended.is_object() && other.is_object());
    assert_ne!(extended, other);
    assert_eq!(json(&run, &[])["extended"], true);
    assert!(json(&planned, &[]).get("extended").is_none());
    let text = on_run("report", &run).stdout;
    let part = "LOS: not valid with more pairs than planned";
    assert!(text.contains(part), "{text}");
    // The configuration on the page has the pairs that were played.
    let page = fs::read_to_string(run.join("report.html")).expect("a page");
    assert!(page.contains("\npairs = 40\n"));
}

#[test]
fn the_last_stage_of_a_test_gets_the_pairs() {
    let setup = instant(
        2,
        "[[stage]]\nsprt = { elo0 = -150.0, elo1 = -50.0 }\n\
         [[stage]]\nlimit = \"nodes=2\"\nsprt = { elo0 = -150.0, elo1 = -50.0, max_pairs = 3 }",
    );
    let run = played(&setup, "sprt", "run", 3);
    let first = pairs(&run);
    assert_eq!(pairs(&run.join("stage-2")), 3);
    let decided = resume(&run, &["--pairs", "500"]);
    assert_eq!(decided.code, Some(0), "{}", decided.stderr);
    assert_eq!(pairs(&run), first);
    assert!(pairs(&run.join("stage-2")) > 3);
    digest(&run);
}

#[test]
fn a_later_stage_begins_after_the_openings_that_were_added() {
    let setup = instant(
        2,
        "[[stage]]\nsprt = { elo0 = -150.0, elo1 = -50.0, max_pairs = 3 }\n\
         openings = { file = \"books/quick.epd\", order = \"sequential\", start = 5 }\n\
         [[stage]]\nlimit = \"nodes=2\"\nsprt = { elo0 = -150.0, elo1 = -50.0 }",
    );
    let run = played(&setup, "sprt", "run", 3);
    let decided = resume(&run, &["--pairs", "200"]);
    assert_eq!(decided.code, Some(0), "{}", decided.stderr);
    let second = fs::read_to_string(run.join("stage-2/run.toml")).expect("there");
    let second: toml::Table = toml::from_str(&second).expect("TOML");
    let openings = &second["config"]["match"]["openings"];
    assert_eq!(openings["start"].as_integer(), Some(205), "{openings}");
}

#[test]
fn fewer_pairs_than_planned_are_refused() {
    let setup = instant(2, "pairs = 4");
    let run = played(&setup, "match", "run", 0);
    let summary = setup.run("summary.md");
    let file = summary.display().to_string();
    let refused = resume(&run, &["--pairs", "3", "--summary", &file]);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    let part = "`--pairs`: 3 is too small: this run already has 4 planned pairs; give 4 or more";
    assert!(refused.stderr.contains(part), "{}", refused.stderr);
    let text = fs::read_to_string(&summary).expect("a summary");
    assert!(text.contains("3 is too small"), "{text}");
    let extended = resume(&run, &["--pairs", "5", "--summary", &file]);
    assert_eq!(extended.code, Some(0), "{}", extended.stderr);
    let text = fs::read_to_string(&summary).expect("a summary");
    let nelo = "| normalized Elo | not valid with more pairs than planned |";
    assert!(text.contains(nelo), "{text}");
    assert_eq!(pairs(&run), 5);
}

#[test]
fn a_book_that_becomes_too_small_is_named() {
    let setup = instant(2, "pairs = 4");
    let run = played(&setup, "match", "run", 0);
    let extended = resume(&run, &["--pairs", "601", "--max-time", "1s"]);
    let part = "up to 601 pairs of two engines are planned, but the book has 600 distinct openings";
    assert!(extended.stderr.contains(part), "{}", extended.stderr);
}

#[test]
fn a_tuning_has_the_pairs_of_its_schedule_and_its_test_may_get_more() {
    let setup = common::tuning("pairs = 4", "");
    let run = played(&setup, "tune", "run", 0);
    let refused = resume(&run, &["--pairs", "8"]);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    let part = "--pairs is for matches and tests";
    assert!(refused.stderr.contains(part), "{}", refused.stderr);
    let args = ["--verify", "--set", "tune.verify.sprt.max_pairs=1"];
    let tested = setup.play("tune", "tested", &args);
    assert_eq!(tested.code, Some(3), "{}", tested.stderr);
    let run = setup.run("tested");
    assert_eq!(pairs(&run.join("verify")), 1);
    let still = resume(&run, &["--pairs", "2"]);
    assert_eq!(still.code, Some(3), "{}", still.stderr);
    assert_eq!(pairs(&run.join("verify")), 2);
    assert_eq!(pairs(&run), 4);
}

/// Otherwise a finished run would become unfinished and could not be resumed.
#[test]
fn a_refused_resume_changes_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = format!("#!/bin/sh\nexec '{}'\n", scripted());
    let engine = script(folder.path(), "engine", &text);
    let players = engines(
        ("one", &engine.display().to_string(), ""),
        ("two", &scripted(), ""),
    );
    let setup = Setup::new(&format!(
        "{players}[adjudication]\nmax_moves = 20\n[match]\nlimit = \"nodes=1\"\npairs = 2\n\
         openings = {{ file = \"books/quick.epd\" }}\n"
    ));
    let run = played(&setup, "match", "run", 0);
    let before = fs::read_to_string(run.join("run.toml")).expect("there");
    script(folder.path(), "engine", &(text + "# rebuilt\n"));
    let refused = resume(&run, &["--pairs", "6", "--concurrency", "1"]);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    assert!(refused.stderr.contains("has changed"), "{}", refused.stderr);
    let after = fs::read_to_string(run.join("run.toml")).expect("there");
    assert_eq!(before, after);
}

#[test]
fn shards_that_got_the_same_pairs_are_pooled_into_a_new_folder() {
    let setup = instant(2, "pairs = 4");
    let shards = ["1/2", "2/2"].map(|shard| {
        let name = format!("shard-{}", &shard[..1]);
        let finished = setup.play("match", &name, &["--shard", shard]);
        assert_eq!(finished.code, Some(0), "{}", finished.stderr);
        setup.run(&name)
    });
    let pool = |name: &str| {
        let mut command = hone();
        command.arg("pool").args(&shards);
        command.arg("--out").arg(setup.run(name));
        finish(command)
    };
    assert_eq!(pool("pool").code, Some(0));
    for shard in &shards {
        assert_eq!(resume(shard, &["--pairs", "9"]).code, Some(0));
    }
    let refused = pool("pool");
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    let part =
        "help: give each run the same `hone resume --pairs`, and pool them into a new folder";
    assert!(refused.stderr.contains(part), "{}", refused.stderr);
    let pooled = pool("longer");
    assert_eq!(pooled.code, Some(0), "{}", pooled.stderr);
    let long = instant(2, "pairs = 9");
    let planned = played(&long, "match", "run", 0);
    assert_eq!(digest(&setup.run("longer")), digest(&planned));
}
