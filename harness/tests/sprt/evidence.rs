//! Runs with repeated games, ignored limits or equal engines: the findings and the verdict
//! report it.
use std::fs;
use std::path::PathBuf;

use crate::common::{
    self, Finished, Setup, digest, engines, finish, hone, on_run, resume, scripted,
};
use serde_json::{Value, json};

const POSITIONS: [&str; 4] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -",
    "rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR b KQkq -",
    "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -",
    "rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq -",
];

/// Two engines that play random moves, the same in every game from the same opening.
/// `settings` belong to `[match]`; `{BOOK}` in them is replaced by the path of a book of these
/// lines.
fn setup(settings: &str, book: &[String], more: &str) -> Setup {
    let second = format!("{} --seed 2", scripted());
    let players = engines(("dev", &scripted(), ""), ("base", &second, ""));
    let setup = Setup::new("");
    let path = setup.dir.path().join("book.epd");
    fs::write(&path, book.join("\n")).unwrap();
    let settings = settings.replace("{BOOK}", path.to_str().unwrap());
    let config = format!(
        "{players}[match]\nconcurrency = 2\n{settings}\n[adjudication]\nmax_moves = 12\n{more}"
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
fn reports(setup: &Setup, finished: &Finished, kind: &str, words: &str) -> Value {
    let json = finished.json();
    assert!(kinds(&json).contains(&kind), "{kind}: {json}");
    let text = on_run("report", &setup.run("run")).stdout;
    let sentence = format!(" ({words}");
    assert!(text.contains(&sentence), "{text}");
    for file in ["report.md", "report.html"] {
        let text = fs::read_to_string(setup.run("run").join(file)).unwrap();
        assert!(text.contains(&sentence), "{file}");
    }
    json
}

/// The run ended undecided because its games repeat.
fn ends_undecided(setup: &Setup, finished: &Finished) -> Value {
    assert_eq!(finished.code, Some(3), "{}", finished.stderr);
    let json = reports(setup, finished, "repeated_games", "repeated games");
    assert_eq!(json["verdict"], "none");
    assert_eq!(json["reason"], "repeated_games");
    let text = on_run("report", &setup.run("run")).stdout;
    assert!(text.contains("Undecided: the run ended because every new pair repeats"));
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
    assert_eq!(different.code, Some(0), "{}", different.stderr);
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
        assert_eq!(finished.code, Some(0), "{}", finished.stderr);
        assert!(!finished.stderr.contains(warning), "{}", finished.stderr);
    }
}

/// Few tests need all its openings: a warning at every start would be ignored.
#[test]
fn a_test_with_the_built_in_book_starts_without_a_warning() {
    let setup = setup(
        "limit = \"nodes=1\"",
        &[],
        "[sprt]\nelo0 = -900.0\nelo1 = -800.0\nmodel = \"logistic\"\n",
    );
    let test = setup.play("sprt", "test", &["--max-time", "1s"]);
    assert!(matches!(test.code, Some(0 | 1 | 3)), "{}", test.stderr);
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
    // Pairs in progress when the run ended have failed too.
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
fn a_match_that_stops_on_its_interval_ends_undecided_if_its_games_repeat() {
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
    let json = reports(
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
    let json = reports(
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
        reports(&setup, &finished, "repeated_games", "repeated games");
        let json = reports(&setup, &finished, "few_openings", "few openings");
        assert_eq!(json["pairs"], 25);
        assert_eq!(json["repeated_pairs"], 25 - lines.max(1));
    }
}

#[test]
fn an_engine_against_itself_is_reported() {
    let setup = setup("limit = \"nodes=1\"\npairs = 20", &[], "");
    let same = fs::read_to_string(&setup.config)
        .unwrap()
        .replace("--seed 2", "--seed 1");
    fs::write(&setup.config, same).unwrap();
    let finished = setup.play("match", "run", &["--json"]);
    reports(
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

/// A run whose ledger is cut off among its repeats continues to the same result.
#[test]
fn a_kill_among_repeats_changes_no_result() {
    let play = "limit = \"nodes=1\"\nopenings = \"{BOOK}\"";
    let setup = setup(play, &book(4), "");
    let whole = setup.play("sprt", "run", &["--json"]);
    let expected = digest(&setup.run("run"));
    ends_undecided(&setup, &whole);
    let rows = setup.run("run").join("games.csv");
    let text = fs::read_to_string(&rows).unwrap();
    let cut: Vec<&str> = text.lines().take(1 + 2 * 11).collect();
    fs::write(&rows, cut.join("\n") + "\n").unwrap();
    // The PGN still has the games that the ledger lost.
    let again = resume(&setup.run("run"), &["--json", "--replay-missing"]);
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
    assert_eq!(digest(&setup.run("run")), expected);
}

/// Runs of old versions without a book start from the start position.
#[test]
fn a_run_from_before_the_built_in_book_continues_from_the_start_position() {
    let setup = setup(
        "limit = \"nodes=1\"\nopenings = \"none\"\npairs = 30",
        &[],
        "",
    );
    setup.play("match", "run", &["--max-time", "1s"]);
    let path = setup.run("run").join("run.toml");
    let old: String = fs::read_to_string(&path)
        .unwrap()
        .lines()
        .filter(|line| !line.starts_with("file = \"none\"") && !line.starts_with("repeats ="))
        .map(|line| format!("{line}\n"))
        .collect();
    assert!(!old.contains("none"), "{old}");
    fs::write(&path, old).unwrap();
    // Its ledger did not have the last ten columns either.
    let rows = setup.run("run").join("games.csv");
    let text = fs::read_to_string(&rows).unwrap();
    let cut = text.lines().map(|line| {
        let kept = line.rsplitn(11, ',').last().unwrap_or_default();
        format!("{kept}\n")
    });
    fs::write(&rows, cut.collect::<String>()).unwrap();
    let json = resume(&setup.run("run"), &["--json"]).json();
    assert_eq!(json["openings"], "start position");
    assert_eq!(json["pairs"], 30);
    assert_eq!(json["repeated_pairs"], 29);
    assert!(kinds(&json).contains(&"repeated_games"), "{json}");
}

#[test]
fn an_engine_that_fails_its_first_search_is_refused_before_the_first_game() {
    for (script, stall_ms, words) in [
        (
            "go=silent",
            2000,
            "did not answer `go nodes 5` within 2 s; it wrote nothing (does it flush its \
             output?)\nhelp: if it does not support `go nodes`, give it another `limit`\n\
             help: if it needs longer, raise `stall_ms` in [match]\n",
        ),
        (
            "go=exit:3",
            60_000,
            "ended (exit status 3) after `go nodes 5`",
        ),
        (
            "go=stderr go=exit:3",
            60_000,
            "ended (exit status 3) after `go nodes 5`; its standard error: something went wrong \
             inside\n",
        ),
        (
            "trial=stderr trial=exit:3",
            60_000,
            "ended (exit status 3) after `ucinewgame, isready`; its standard error: something \
             went wrong inside\n",
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

/// Repeats are left out of `hone calc rate`, as they are of the report. Sources with the same
/// games, or with other engines of the same names, are warned of.
#[test]
fn ratings_leave_repeats_out() {
    let setup = setup(
        "limit = \"nodes=1\"\nopenings = \"{BOOK}\"\npairs = 60",
        &book(3),
        "",
    );
    setup.play("match", "run", &["--json"]);
    let rate = |sources: &[PathBuf]| {
        let mut rate = hone();
        rate.args(["calc", "rate", "--json"]).args(sources);
        finish(rate)
    };
    let run = setup.run("run");
    let json = rate(std::slice::from_ref(&run)).json();
    assert_eq!(json["ratings"][0]["games"], 6, "{json}");
    let copy = setup.run("copy.pgn");
    fs::copy(run.join("games.pgn"), &copy).unwrap();
    let copied = rate(&[copy, run.clone()]).stderr;
    let common = "/run` have 6 games with the same tags and moves: each counts twice";
    assert!(copied.contains(common), "{copied}");
    let limit = ["--set", "match.limit=nodes=2", "--json"];
    setup.play("match", "other", &limit);
    let differing = rate(&[run, setup.run("other")]).stderr;
    for name in ["dev", "base"] {
        let start = format!("warning: `{name}` is not the same in `");
        assert!(differing.contains(&start), "{differing}");
    }
    let limits = "/other` (different limit): its games count as those of one engine";
    assert_eq!(differing.matches(limits).count(), 2, "{differing}");
}

/// The same games decide, withhold the verdict or not, and the page says which.
#[test]
fn a_verdict_with_a_doubtful_finding_is_withheld() {
    let play = "limit = \"9+1\"\nopenings = \"{BOOK}\"\nmax_failures = 1.0";
    let test =
        "[sprt]\nelo0 = 0.0\nelo1 = 500.0\nmodel = \"logistic\"\nalpha = 1e-9\nbeta = 1e-9\n";
    let setup = setup(play, &book(2), test);
    let config = fs::read_to_string(&setup.config).unwrap();
    let failing = config.replace("--seed 2", "--seed 2 go:2=exit:1");
    fs::write(&setup.config, failing).unwrap();
    let reported = setup.play("sprt", "reported", &["--json"]);
    assert_eq!(reported.code, Some(0), "{}", reported.stderr);
    let json = reported.json();
    assert_eq!(json["verdict"], "H1");
    assert!(json.get("withheld").is_none(), "{json}");
    let few = json["findings"].as_array().unwrap().iter();
    let few = few.filter(|finding| finding["test"] == "few_openings");
    let ranks: Vec<&Value> = few.map(|finding| &finding["rank"]).collect();
    assert_eq!(ranks, ["doubtful"], "{json}");

    let undecided = ["--json", "--set", "match.on_finding=undecided"];
    let withheld = setup.play("sprt", "withheld", &undecided);
    assert_eq!(withheld.code, Some(3), "{}", withheld.stderr);
    let json = withheld.json();
    assert_eq!(
        (&json["verdict"], &json["withheld"]),
        (&json!("none"), &json!("H1"))
    );
    let run = setup.run("withheld");
    let sentence = "Verdict withheld: the test ended with H1";
    assert!(on_run("report", &run).stdout.contains(sentence));
    for file in ["report.md", "report.html"] {
        let text = fs::read_to_string(run.join(file)).unwrap();
        assert!(text.contains(sentence), "{file}");
    }
    assert!(on_run("verify", &run).stdout.contains("verdict: none"));
    assert_eq!(resume(&run, &[]).code, Some(3));
}

/// The ranks of the findings of `kind` in a match of engines with these scripts.
fn ranks_of(kind: &str, play: &str, scripts: [&str; 2]) -> Vec<String> {
    let setup = setup(play, &[], "");
    let config = fs::read_to_string(&setup.config).unwrap();
    let [dev, base] = scripts;
    let config = config.replace("--seed 2", &format!("--seed 2 {base}"));
    let plain = format!("cmd = '{}'", scripted());
    assert!(config.contains(&plain), "{config}");
    let config = config.replacen(&plain, &format!("cmd = '{} {dev}'", scripted()), 1);
    fs::write(&setup.config, config).unwrap();
    let finished = setup.play("match", "run", &["--json"]);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let json = finished.json();
    let findings = json["findings"].as_array().expect("a list").iter();
    let found = findings.filter(|finding| finding["test"] == kind);
    let ranks = found.map(|finding| finding["rank"].as_str().expect("a rank").to_string());
    ranks.collect()
}

#[test]
fn an_engine_that_searches_more_nodes_than_the_other_is_named() {
    let play = "limit = \"nodes=1000\"\npairs = 12";
    let ranks = |dev: &str, base: &str| {
        let scripts = [dev, base].map(|nodes| format!("start=nodes:{nodes}"));
        ranks_of("ignored_limit", play, [&scripts[0], &scripts[1]])
    };
    assert_eq!(ranks("5900", "1000"), ["invalid"]);
    assert_eq!(ranks("3900", "1000"), ["doubtful"]);
    // Both check the limit every 4,096 nodes; one reports only finished iterations.
    assert!(ranks("4096", "4096").is_empty());
    assert!(ranks("1000", "600").is_empty());
    assert_eq!(ranks("0", "1000"), ["note"]);
}
