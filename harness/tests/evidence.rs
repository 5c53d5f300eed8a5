//! Runs whose games are repeated or mean nothing: each says so, in its findings
//! and in its verdict.
#![cfg(unix)]

mod common;

use std::fs;

use common::{Finished, Setup, engines, finish, hone, on_run, scripted};
use serde_json::{Value, json};

const POSITIONS: [&str; 4] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -",
    "rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR b KQkq -",
    "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -",
    "rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq -",
];

/// Two engines that play random moves, the same in every game from the same
/// opening, under `play` of [match]; `{BOOK}` in it stands for a book of these
/// lines.
fn setup(play: &str, book: &[String], more: &str) -> Setup {
    let second = format!("{} --seed 2", scripted());
    let players = engines(("dev", &scripted(), ""), ("base", &second, ""));
    let setup = Setup::new("");
    let path = setup.dir.path().join("book.epd");
    fs::write(&path, book.join("\n")).unwrap();
    let play = play.replace("{BOOK}", path.to_str().unwrap());
    let config = format!(
        "{players}[match]\nconcurrency = 2\n{play}\n[adjudication]\nmax_moves = 12\n{more}"
    );
    fs::write(&setup.config, config).unwrap();
    setup
}

fn book(lines: usize) -> Vec<String> {
    POSITIONS[..lines].iter().map(ToString::to_string).collect()
}

fn kinds(json: &Value) -> Vec<&str> {
    let findings = json["findings"].as_array().expect("a list");
    let kinds = findings.iter().map(|f| f["test"].as_str().expect("a name"));
    kinds.collect()
}

/// The finding is in the JSON, the text, the Markdown and on the page.
fn says(setup: &Setup, finished: &Finished, kind: &str, words: &str) -> Value {
    let json = finished.json();
    assert!(kinds(&json).contains(&kind), "{kind}: {json}");
    let text = on_run("report", &setup.run("run")).stdout;
    let suspicious = format!("Suspicious ({words}");
    assert!(text.contains(&suspicious), "{text}");
    for file in ["report.md", "report.html"] {
        let text = fs::read_to_string(setup.run("run").join(file)).unwrap();
        assert!(text.contains(&suspicious), "{file}");
    }
    json
}

/// It ended undecided because its games repeat.
fn ends_undecided(setup: &Setup, finished: &Finished) -> Value {
    assert_eq!(finished.code, Some(3), "{}", finished.stderr);
    let json = says(setup, finished, "repeated_games", "repeated games");
    assert_eq!(json["verdict"], "none");
    assert_eq!(json["reason"], "repeated_games");
    let text = on_run("report", &setup.run("run")).stdout;
    assert!(text.contains("Undecided: the run ended because its games only repeat"));
    assert!(text.contains("help: use a larger book"));
    json
}

#[test]
fn a_test_from_one_start_position_ends_undecided() {
    let setup = setup("limit = \"depth=1\"\nopenings = \"none\"", &[], "");
    let finished = setup.play("sprt", "run", &["--json"]);
    let json = ends_undecided(&setup, &finished);
    assert_eq!(json["pairs"], 1);
    assert_eq!(json["repeated_pairs"], 20);
    assert_eq!(json["distinct_games"], 2);
    assert!(
        finished.stderr.contains("warning: up to 20000 pairs")
            && finished
                .stderr
                .contains("every game begins at the start position"),
        "{}",
        finished.stderr
    );
}

#[test]
fn two_engines_that_do_not_differ_are_named_before_the_first_game() {
    let setup = setup("limit = \"nodes=1\"\npairs = 1", &[], "");
    let warning = "warning: `dev` and `base` are the same program with the same options";
    let different = setup.play("match", "different", &[]);
    assert!(!different.stderr.contains(warning), "{}", different.stderr);
    let text = fs::read_to_string(&setup.config).unwrap();
    fs::write(&setup.config, text.replace(" --seed 2", "")).unwrap();
    let same = setup.play("match", "same", &[]);
    for part in [
        warning,
        "stop the run, because its games show no difference",
    ] {
        assert!(same.stderr.contains(part), "{part}: {}", same.stderr);
    }
    for unlike in ["engine.0.options.Hash=2", "match.limit=movetime=1"] {
        let finished = setup.play("match", unlike, &["--set", unlike]);
        assert!(!finished.stderr.contains(warning), "{}", finished.stderr);
    }
}

/// Few tests need so many openings: a warning at every start would not be read.
#[test]
fn a_test_with_the_built_in_book_starts_without_a_warning() {
    let setup = setup(
        "limit = \"nodes=1\"",
        &[],
        "[sprt]\nelo0 = -900.0\nelo1 = -800.0\nmodel = \"logistic\"\n",
    );
    let test = setup.play("sprt", "test", &["--max-time", "1s"]);
    assert!(!test.stderr.contains("are planned"), "{}", test.stderr);
    let many = ["--max-time", "1s", "--set", "match.pairs=20000"];
    let played = setup.play("match", "match", &many);
    assert!(
        played.stderr.contains("warning: up to 20000 pairs"),
        "{}",
        played.stderr
    );
}

#[test]
fn a_match_with_a_book_of_three_positions_ends_after_three_pairs() {
    let setup = setup(
        "limit = \"nodes=1\"\nopenings = \"{BOOK}\"\npairs = 60",
        &book(3),
        "",
    );
    let finished = setup.play("match", "run", &["--json"]);
    let json = ends_undecided(&setup, &finished);
    assert_eq!((&json["pairs"], &json["games"]), (&json!(3), &json!(6)));
    assert!(finished.stderr.contains("the book has 3 distinct openings"));
}

#[test]
fn a_test_that_needs_more_openings_than_there_are_ends_undecided() {
    let lines: Vec<String> = fs::read_to_string(common::workspace().join("books/quick.epd"))
        .unwrap()
        .lines()
        .take(30)
        .map(str::to_string)
        .collect();
    let setup = setup("limit = \"nodes=1\"\nopenings = \"{BOOK}\"", &lines, "");
    let finished = setup.play("sprt", "run", &["--set", "sprt.elo1=1", "--json"]);
    let json = ends_undecided(&setup, &finished);
    assert_eq!(json["pairs"], 30);
    assert_eq!(json["repeated_pairs"], 20);
}

#[test]
fn one_position_under_many_counters_is_one_opening() {
    let lines: Vec<String> = (0..60)
        .map(|number| format!("{} {} {}", POSITIONS[1], number % 9, number + 1))
        .collect();
    let setup = setup(
        "limit = \"nodes=1\"\nopenings = \"{BOOK}\"\npairs = 60",
        &lines,
        "",
    );
    let finished = setup.play("match", "run", &["--json"]);
    let json = ends_undecided(&setup, &finished);
    assert_eq!(json["pairs"], 1);
    assert!(finished.stderr.contains("the book has 1 distinct opening"));
}

#[test]
fn a_gauntlet_without_openings_ends_after_a_pair_of_each_pairing() {
    let setup = setup(
        "limit = \"nodes=1\"\nopenings = \"none\"\ntournament = \"gauntlet\"\npairs = 60",
        &[],
        &engines(
            ("third", &format!("{} --seed 3", scripted()), ""),
            ("fourth", &format!("{} --seed 4", scripted()), ""),
        ),
    );
    let finished = setup.play("match", "run", &["--json"]);
    let json = ends_undecided(&setup, &finished);
    assert_eq!(json["pairs"], 3);
    assert_eq!(json["pairings"].as_array().map(Vec::len), Some(3));
}

#[test]
fn failures_in_repeats_are_counted_and_left_out() {
    let play = "limit = \"nodes=1\"\nopenings = \"none\"\npairs = 30\nmax_failures = 1.0";
    let setup = setup(play, &[], "");
    let config = fs::read_to_string(&setup.config).unwrap();
    let failing = config.replace("--seed 2", "--seed 2 go:2=exit:1");
    fs::write(&setup.config, failing).unwrap();
    let finished = setup.play("match", "run", &["--json"]);
    let json = ends_undecided(&setup, &finished);
    assert_eq!(json["failures"]["crash"], json!([0, 42]));
    let page = fs::read_to_string(setup.run("run").join("report.html")).unwrap();
    // Pairs that were in play at the end may have failed too.
    for part in [
        "failures is kept: 2 in games that count, \
         40 in pairs that repeat earlier games and are left out",
        "failures/1-2</a> · <a href=\"#game-1-2\">Show",
        "failures/2-1</a> · The pair repeats earlier games",
    ] {
        assert!(page.contains(part), "{part}");
    }
}

#[test]
fn a_match_that_stops_on_its_interval_ends_undecided_by_repeats() {
    let setup = setup(
        "limit = \"nodes=1\"\nopenings = \"none\"\nstop = \"zero_outside\"",
        &[],
        "",
    );
    let finished = setup.play("match", "run", &["--json"]);
    ends_undecided(&setup, &finished);
}

#[test]
fn an_engine_that_ignores_its_nodes_is_named() {
    let setup = setup("limit = \"nodes=5000\"\npairs = 12", &[], "");
    let finished = setup.play("match", "run", &["--json"]);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let json = says(
        &setup,
        &finished,
        "ignored_limit",
        "a limit that is not kept",
    );
    assert_eq!(kinds(&json).len(), 2, "{json}");
    assert_eq!(json["openings"], "built-in book default.epd.gz");
    let warning = "warning: engine `dev` does not keep to its limit in a first search: 1 nodes";
    assert!(finished.stderr.contains(warning), "{}", finished.stderr);
    let text = on_run("report", &setup.run("run")).stdout;
    assert!(text.contains("Read this result with care: a limit that is not kept"));
}

#[test]
fn an_engine_that_ignores_its_depth_is_named() {
    let setup = setup("limit = \"depth=8\"\npairs = 12", &[], "");
    let finished = setup.play("match", "run", &["--json"]);
    let json = says(
        &setup,
        &finished,
        "ignored_limit",
        "a limit that is not kept",
    );
    assert_eq!(json["repeated_pairs"], 0);
    assert_eq!(json["distinct_games"], 24);
}

#[test]
fn repeated_games_under_a_clock_are_counted_and_reported() {
    for (openings, lines) in [("none", 0), ("{BOOK}", 2)] {
        let setup = setup(
            &format!("limit = \"9+1\"\nopenings = \"{openings}\"\npairs = 25"),
            &book(lines),
            "",
        );
        let finished = setup.play("match", "run", &["--json"]);
        assert_eq!(finished.code, Some(0), "{}", finished.stderr);
        says(&setup, &finished, "repeated_games", "repeated games");
        let json = says(&setup, &finished, "few_openings", "few openings");
        assert_eq!(json["pairs"], 25);
        assert_eq!(json["repeated_pairs"], 25 - lines.max(1));
    }
}

#[test]
fn an_engine_against_itself_is_reported_as_playing_alike() {
    let setup = setup("limit = \"nodes=1\"\npairs = 20", &[], "");
    let same = fs::read_to_string(&setup.config)
        .unwrap()
        .replace("--seed 2", "--seed 1");
    fs::write(&setup.config, same).unwrap();
    let finished = setup.play("match", "run", &["--json"]);
    says(
        &setup,
        &finished,
        "alike_engines",
        "engines that play alike",
    );
}

#[test]
fn a_tuning_counts_its_repeats_and_reports_them() {
    let setup = setup(
        "limit = \"nodes=1\"\nopenings = \"none\"",
        &[],
        "[tune]\npairs = 24\n[tune.params.Hash]\nmin = 1\nmax = 64\n",
    );
    let config = fs::read_to_string(&setup.config).unwrap();
    let second = config.rfind("[[engine]]").unwrap();
    let after = config.find("[match]").unwrap();
    let one = config[..second].to_string() + &config[after..];
    fs::write(&setup.config, one).unwrap();
    let finished = setup.play("tune", "run", &["--json"]);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let json = finished.json();
    assert_eq!(json["pairs"], 24);
    assert_eq!(json["repeated_pairs"], 23);
    assert!(kinds(&json).contains(&"repeated_games"), "{json}");
}

/// Cut off in the middle of the repeats, a run continues to the same end.
#[test]
fn a_kill_among_repeats_changes_no_result() {
    let play = "limit = \"nodes=1\"\nopenings = \"{BOOK}\"";
    let setup = setup(play, &book(4), "");
    let whole = setup.play("sprt", "run", &["--json"]);
    let digest = on_run("verify", &setup.run("run")).last_line();
    ends_undecided(&setup, &whole);
    let rows = setup.run("run").join("games.csv");
    let text = fs::read_to_string(&rows).unwrap();
    let cut: Vec<&str> = text.lines().take(1 + 2 * 11).collect();
    fs::write(&rows, cut.join("\n") + "\n").unwrap();
    let mut resume = hone();
    resume.arg("resume").arg(setup.run("run"));
    // The PGN still has the games that the ledger lost.
    resume.args(["--json", "--replay-missing"]);
    let again = finish(resume);
    assert_eq!(again.code, Some(3), "{}", again.stderr);
    for key in [
        "pairs",
        "repeated_pairs",
        "pentanomial",
        "findings",
        "reason",
    ] {
        assert_eq!(again.json()[key], whole.json()[key], "{key}");
    }
    assert_eq!(on_run("verify", &setup.run("run")).last_line(), digest);
}

/// The start position of old runs stays what they are played from.
#[test]
fn a_run_from_before_the_built_in_book_continues_as_it_began() {
    let setup = setup(
        "limit = \"nodes=1\"\nopenings = \"none\"\npairs = 30",
        &[],
        "",
    );
    let mut command = setup.command("match", "run", &["--json"]);
    command.args(["--max-time", "1s"]);
    finish(command);
    let path = setup.run("run").join("run.toml");
    let old: String = fs::read_to_string(&path)
        .unwrap()
        .lines()
        .filter(|line| !line.starts_with("file = \"none\"") && !line.starts_with("repeats ="))
        .map(|line| format!("{line}\n"))
        .collect();
    assert!(!old.contains("none"), "{old}");
    fs::write(&path, old).unwrap();
    // Its ledger did not have the last columns either.
    let rows = setup.run("run").join("games.csv");
    let text = fs::read_to_string(&rows).unwrap();
    let cut = text.lines().map(|line| {
        let kept = line.rsplitn(5, ',').last().unwrap_or_default();
        format!("{kept}\n")
    });
    fs::write(&rows, cut.collect::<String>()).unwrap();
    let mut resume = hone();
    resume.arg("resume").arg(setup.run("run")).arg("--json");
    let json = finish(resume).json();
    assert_eq!(json["openings"], "start position");
    assert_eq!(json["pairs"], 30);
    assert_eq!(json["repeated_pairs"], 29);
    assert!(kinds(&json).contains(&"repeated_games"), "{json}");
}

#[test]
fn an_engine_that_fails_its_first_search_is_refused_before_the_first_game() {
    for (script, stall_ms, words) in [
        ("go=silent", 1000, "did not answer `go nodes 5` within 1 s"),
        (
            "go=exit:3",
            60_000,
            "ended (exit status 3) after `go nodes 5`",
        ),
        (
            "go=illegal",
            60_000,
            "answered `go nodes 5` with the illegal move `a1a1`",
        ),
    ] {
        let play = format!("limit = \"nodes=5\"\nstall_ms = {stall_ms}");
        let setup = setup(&play, &[], "");
        let bad = fs::read_to_string(&setup.config)
            .unwrap()
            .replace("--seed 2", script);
        fs::write(&setup.config, bad).unwrap();
        let finished = setup.play("sprt", "run", &[]);
        assert_eq!(finished.code, Some(2), "{script}: {}", finished.stderr);
        let error = format!("error: cannot start: engine `base` {words}");
        assert!(finished.stderr.contains(&error), "{}", finished.stderr);
        assert!(!setup.run("run").exists());
    }
}

/// What was left out of a run is left out of statistics of its folder too.
#[test]
fn ratings_leave_repeats_out() {
    let setup = setup(
        "limit = \"nodes=1\"\nopenings = \"{BOOK}\"\npairs = 60",
        &book(3),
        "",
    );
    setup.play("match", "run", &["--json"]);
    let mut rate = hone();
    rate.args(["calc", "rate"])
        .arg(setup.run("run"))
        .arg("--json");
    let json = finish(rate).json();
    assert_eq!(json["ratings"][0]["games"], 6, "{json}");
}
