//! `hone sprt` as a user runs it.

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use crate::common::json::{number, wdl_in_ledger};
use crate::common::running::Running;
use crate::common::{
    BOOK, Finished, Setup, digest, engines, on_run, player, report, resume, rows, stillwater,
    wait_until,
};
use serde_json::Value;

const PLAY: &str = r#"
[match]
limit = "nodes=150"
openings = { file = "books/quick.epd", order = "random" }
seed = 7
[adjudication]
resign = { count = 3, score = 500 }
draw = { move = 20, count = 6, score = 20 }
"#;

fn with_and_without_quiescence(sprt: &str) -> String {
    let path = stillwater().display().to_string();
    let players = engines(
        ("with", &path, ""),
        ("without", &path, "options = { Quiescence = false }"),
    );
    format!("{players}{PLAY}[sprt]\n{sprt}\n")
}

/// A test of engines that play random moves, with a loser in 40 % of their games.
fn random_test(sprt: &str) -> String {
    let players = player("with", "--seed 1 --lose 40") + &player("without", "--seed 2 --lose 40");
    format!(
        "{players}[match]\nlimit = \"nodes=1\"\n{BOOK}[adjudication]\nmax_moves = 20\n\
         resign = {{ count = 1, score = 500, twosided = false }}\n[sprt]\n{sprt}\n"
    )
}

/// Of Stillwater.
#[test]
fn the_stronger_engine_passes_and_the_weaker_fails() {
    let setup = Setup::new(&with_and_without_quiescence("elo1 = 20.0"));
    let start = Instant::now();
    let passed = setup.play("sprt", "passed", &["--json"]);
    let elapsed = start.elapsed();
    assert_eq!(passed.code, Some(0), "{}", passed.stderr);
    let json = passed.json();
    the_contract_is_kept(&json);
    the_counts_are_those_of_the_ledger(&json, &setup.run("passed"));
    let seconds = number(&json["seconds"]);
    assert!(0.0 < seconds && seconds < elapsed.as_secs_f64(), "{json}");
    assert_eq!(json["verdict"], "H1");
    assert_eq!(json["kind"], "sprt");
    assert_eq!(json["run"], "passed");
    assert_eq!(json["engines"][1]["options"]["Quiescence"], "false");
    assert!(
        json["engines"][0]["id"]
            .as_str()
            .unwrap()
            .contains("Stillwater")
    );
    let test = &json["sprt"];
    for (key, expected) in [
        ("elo0", 0.0),
        ("elo1", 20.0),
        ("alpha", 0.05),
        ("beta", 0.05),
    ] {
        assert_eq!(number(&test[key]), expected, "{key}");
    }
    assert_eq!(test["model"], "normalized");
    let bound = (0.95_f64 / 0.05).ln();
    assert!((number(&test["upper"]) - bound).abs() < 1e-9, "{test}");
    assert!((number(&test["lower"]) + bound).abs() < 1e-9, "{test}");
    assert!(number(&test["llr"]) >= bound, "{test}");
    assert!(number(&json["elo"]["estimate"]) > 50.0);
    assert!(number(&json["elo"]["low"]) > 0.0);
    let is_short = number(&json["pairs"]) < 60.0;
    assert_eq!(json["interval"] == "always_valid", is_short, "{json}");
    assert_eq!(json["sprt"]["elo"].is_null(), is_short, "{json}");
    let valid = &json["always_valid"];
    assert!(number(&valid["low"]) > 0.0, "{json}");
    assert_eq!(valid == &json["elo"], is_short, "{json}");
    assert_eq!(json["failures"]["crash"], serde_json::json!([0, 0]));
    let report = on_run("report", &setup.run("passed"));
    assert!(
        report.stdout.contains(
            "H1 accepted: with is stronger than without (false-positive rate at most 5 %, alpha = 0.05)."
        ),
        "{}",
        report.stdout
    );

    let swapped = [
        "--json",
        "--set",
        "engine.0.options.Quiescence=false",
        "--set",
        "engine.1.options.Quiescence=true",
    ];
    let failed = setup.play("sprt", "failed", &swapped);
    assert_eq!(failed.code, Some(1), "{}", failed.stderr);
    assert_eq!(failed.json()["verdict"], "H0");
    for file in [
        "run.toml",
        "games.csv",
        "games.pgn",
        "report.json",
        "report.md",
    ] {
        assert!(setup.run("passed").join(file).exists(), "{file}");
    }
    report_shows_the_same(&setup.run("passed"), &passed);
}

/// The keys of the JSON that scripts depend on.
fn the_contract_is_kept(json: &Value) {
    for (part, keys) in [
        (
            json,
            "run kind verdict engines pairs games wdl pentanomial elo nelo los draw_ratio \
             pair_ratio sprt failures seconds",
        ),
        (&json["engines"][0], "name id options"),
        (&json["engines"][1], "name id options"),
        (&json["elo"], "estimate low high"),
    ] {
        for key in keys.split(' ') {
            assert!(part.get(key).is_some(), "{key}: {part}");
        }
    }
    for (part, keys) in [
        (
            &json["sprt"],
            "alpha beta elo elo0 elo1 llr lower model upper",
        ),
        (&json["failures"], "crash illegal_move stall time_forfeit"),
    ] {
        let table = part.as_object().expect("a table");
        let mut own: Vec<&str> = table.keys().map(String::as_str).collect();
        own.sort_unstable();
        assert_eq!(own.join(" "), keys);
    }
}

/// Two engines: the first is `with`.
fn the_counts_are_those_of_the_ledger(json: &Value, run: &Path) {
    let pairs = number(&json["pairs"]);
    assert_eq!(number(&json["games"]), 2.0 * pairs);
    let [won, drawn, lost] = wdl_in_ledger(run, "with", pairs as u64);
    assert!(won > lost, "wins and losses could be swapped unnoticed");
    assert_eq!(json["wdl"], serde_json::json!([won, drawn, lost]));
    let [ll, ld, dd, wd, ww] = [0, 1, 2, 3, 4].map(|at: usize| number(&json["pentanomial"][at]));
    assert_eq!(ll + ld + dd + wd + ww, pairs);
    let points = won as f64 + drawn as f64 / 2.0;
    assert_eq!(ld / 2.0 + dd + 1.5 * wd + 2.0 * ww, points);
    assert_eq!(number(&json["draw_ratio"]), dd / pairs);
    if ll + ld == 0.0 {
        assert!(json["pair_ratio"].is_null(), "{json}");
    } else {
        assert_eq!(number(&json["pair_ratio"]), (wd + ww) / (ll + ld));
    }
}

fn report_shows_the_same(run: &Path, played: &Finished) {
    let report = report(run, &["--json"]);
    assert_eq!(report.code, Some(0), "{}", report.stderr);
    assert_eq!(report.json(), played.json());
    digest(run);
}

#[test]
fn a_budget_without_a_decision_is_inconclusive() {
    let setup = Setup::new(&random_test("elo1 = 0.5\nmax_pairs = 3"));
    let finished = setup.play("sprt", "run", &["--json"]);
    assert_eq!(finished.code, Some(3), "{}", finished.stderr);
    assert_eq!(finished.json()["verdict"], "none");
    assert_eq!(finished.json()["pairs"], 3);
}

/// Games and verdict are the same at every concurrency, and after kills.
#[test]
fn concurrency_and_kills_change_nothing() {
    let setup = Setup::new(&random_test("elo0 = 0.0\nelo1 = 2.5\nmax_pairs = 40"));
    let mut outcomes = Vec::new();
    for concurrency in ["1", "2", "4"] {
        let set = format!("match.concurrency={concurrency}");
        let finished = setup.play("sprt", concurrency, &["--set", &set]);
        outcomes.push((finished.code, digest(&setup.run(concurrency))));
    }
    for (name, kill_at) in [("killed-early", 3), ("killed-late", 31)] {
        let code = play_with_kill(&setup, name, kill_at);
        outcomes.push((code, digest(&setup.run(name))));
    }
    assert_eq!(outcomes[0].1.len(), 64, "a SHA-256 in hexadecimal");
    for outcome in &outcomes {
        assert_eq!(outcome, &outcomes[0]);
    }
}

/// Kills the run once its ledger has this number of rows, then resumes it.
fn play_with_kill(setup: &Setup, name: &str, rows_before: usize) -> Option<i32> {
    let run = setup.run(name);
    let mut command = setup.command("sprt", name, &["--set", "match.concurrency=2"]);
    let mut playing = Running::start(command.stderr(Stdio::null()));
    wait_until("a few games", || {
        rows(&run) >= rows_before || playing.has_ended()
    });
    // Not always between two pairs: the next rows may be half written.
    thread::sleep(Duration::from_millis(3));
    playing.kill();
    let resumed = on_run("resume", &run);
    assert_eq!(resumed.code, Some(3), "{}", resumed.stderr);
    resumed.code
}

#[test]
fn incomplete_pairs_after_a_kill_are_removed() {
    let setup = Setup::new(&random_test("elo1 = 0.5\nmax_pairs = 4"));
    let whole = setup.play("sprt", "run", &[]);
    assert_eq!(whole.code, Some(3), "{}", whole.stderr);
    let run = setup.run("run");
    let expected = digest(&run);
    let csv = fs::read(run.join("games.csv")).unwrap();
    let pgn = fs::read(run.join("games.pgn")).unwrap();
    let line_ends: Vec<usize> = csv
        .iter()
        .enumerate()
        .filter_map(|(at, byte)| (*byte == b'\n').then_some(at))
        .collect();
    // Within the rows of the last pair. Cuts above it need `--replay-missing`.
    let replay = &["--replay-missing"][..];
    for (cut, options) in [
        (line_ends[6] + 20, &[][..]),
        (line_ends[7] + 1, &[]),
        (line_ends[5] + 1, replay),
        (10, replay),
        (0, replay),
    ] {
        fs::write(run.join("games.csv"), &csv[..cut]).unwrap();
        fs::write(run.join("games.pgn"), &pgn[..pgn.len() - 100]).unwrap();
        let resumed = resume(&run, options);
        assert_eq!(resumed.code, Some(3), "cut at {cut}: {}", resumed.stderr);
        assert_eq!(digest(&run), expected, "cut at {cut}");
    }
}

#[test]
fn verify_names_edited_games() {
    let setup = Setup::new(&random_test("elo1 = 0.5\nmax_pairs = 2"));
    setup.play("sprt", "run", &[]);
    let run = setup.run("run");
    let path = run.join("games.pgn");
    let pgn = fs::read_to_string(&path).unwrap();
    let result = pgn.find("[Result \"").unwrap() + 9;
    let mut changed = pgn.clone();
    let other = if pgn[result..].starts_with("1-0") {
        "0-1"
    } else {
        "1-0"
    };
    changed.replace_range(result..result + 3, other);
    for (text, what) in [
        (changed, "result differs"),
        (format!("{pgn}\n"), " bytes, the games of the ledger make "),
        (
            pgn.replacen("[White \"with\"]", "[White \"wtih\"]", 1),
            "White differs",
        ),
    ] {
        fs::write(&path, text).unwrap();
        let verified = on_run("verify", &run);
        assert_eq!(verified.code, Some(1), "{}", verified.stdout);
        assert!(
            verified.stdout.contains(what),
            "{what}: {}",
            verified.stdout
        );
    }
}

#[test]
fn a_run_in_use_or_with_another_engine_is_refused() {
    let slow = random_test("elo1 = 0.5\nmax_pairs = 3000").replace("--seed 1", "move=late:20");
    let setup = Setup::new(&slow);
    let run = setup.run("run");
    let playing = Running::start(setup.command("sprt", "run", &[]).stderr(Stdio::null()));
    wait_until("the first pair", || rows(&run) >= 2);
    let second = on_run("resume", &run);
    assert_eq!(second.code, Some(2));
    assert!(
        second.stderr.contains("in use by another `hone` process"),
        "{}",
        second.stderr
    );
    let taken = setup.play("sprt", "run", &[]);
    assert_eq!(taken.code, Some(2));
    assert!(
        taken.stderr.contains("contains a run already"),
        "{}",
        taken.stderr
    );
    playing.kill();

    let manifest = run.join("run.toml");
    let text = fs::read_to_string(&manifest).unwrap();
    let at = text.find("sha256 = \"").unwrap() + 10;
    let mut changed = text.clone();
    changed.replace_range(at..at + 8, "00000000");
    fs::write(&manifest, changed).unwrap();
    let other = on_run("resume", &run);
    assert_eq!(other.code, Some(2));
    assert!(other.stderr.contains("has changed"), "{}", other.stderr);
}
