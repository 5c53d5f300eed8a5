//! The sentences of a report: which engine leads, at which limits, and which numbers are
//! valid before the end.

use std::fs;
use std::path::Path;

use crate::common::{BOOK, REPORTED, Setup, engines, on_run, player, report, reported, scripted};
use hone_testing::{listed, snapshots};

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// An engine that won all its games is rated apart from the two others.
#[test]
fn an_engine_that_won_all_games_leads_the_tournament() {
    let weak = player("weak1", "move=illegal") + &player("weak2", "move=illegal");
    let setup = Setup::new(&format!(
        "{weak}{}[match]\npairs = 1\nlimit = \"nodes=5\"\nmax_failures = 1.0\n",
        player("strong", "--seed 3")
    ));
    let played = setup.play("match", "run", &["--json"]);
    assert_eq!(played.code, Some(0), "{}", played.stderr);
    let json = played.json();
    assert_eq!(json["ratings"][0]["name"], "strong", "{json}");
    let text = reported(&setup.run("run"));
    snapshots(&REPORTED).bind(|| insta::assert_snapshot!("won-all", text));
}

#[test]
fn no_engine_leads_if_all_games_are_drawn() {
    let players = [("a", 1), ("b", 2), ("c", 3)];
    let players = players.map(|(name, seed)| player(name, &format!("--seed {seed}")));
    let setup = Setup::new(&format!(
        "{}[match]\npairs = 1\nlimit = \"nodes=5\"\n{BOOK}[adjudication]\nmax_moves = 2\n",
        players.concat()
    ));
    let played = setup.play("match", "run", &["--json"]);
    assert_eq!(played.code, Some(0), "{}", played.stderr);
    let text = reported(&setup.run("run"));
    snapshots(&REPORTED).bind(|| insta::assert_snapshot!("all-drawn", text));
}

/// The first pairs of a round robin are all of its first engine.
#[test]
fn an_interrupted_tournament_is_reported_by_its_form() {
    let players = [("a", 1), ("b", 2), ("c", 3)];
    let players = players.map(|(name, seed)| player(name, &format!("--seed {seed}")));
    let interrupted = |form: &str, pairs: usize| {
        let setup = Setup::new(&format!(
            "{}[match]\ntournament = \"{form}\"\npairs = 2\nlimit = \"nodes=5\"\n\
             concurrency = 1\n{BOOK}[adjudication]\nmax_moves = 10\n",
            players.concat()
        ));
        let played = setup.play("match", "run", &[]);
        assert_eq!(played.code, Some(0), "{}", played.stderr);
        let ledger = setup.run("run").join("games.csv");
        let rows: String = read(&ledger)
            .split_inclusive('\n')
            .take(1 + 2 * pairs)
            .collect();
        fs::write(&ledger, rows).expect("written");
        on_run("report", &setup.run("run")).stdout
    };
    let shown = [("round-robin", 2), ("gauntlet", 1)];
    let shown = shown.map(|(form, pairs)| (form, interrupted(form, pairs)));
    snapshots(&[]).bind(|| insta::assert_snapshot!("interrupted", listed(shown)));
}

#[test]
fn limits_of_the_engines_are_stated_and_names_are_plain_text() {
    let cmd = scripted();
    let players = engines(
        ("one `x`", &cmd, "limit = \"nodes=3\""),
        ("two", &cmd, "limit = \"nodes=2\""),
    );
    let setup = Setup::new(&format!(
        "{players}[match]\nlimit = \"nodes=5\"\npairs = 1\n[adjudication]\nmax_moves = 10\n"
    ));
    let played = setup.play("match", "run", &["--json"]);
    assert_eq!(played.code, Some(0), "{}", played.stderr);
    assert_eq!(played.json()["engines"][1]["limit"], "nodes=2");
    let text = reported(&setup.run("run"));
    snapshots(&REPORTED).bind(|| insta::assert_snapshot!("limits", text));
}

/// U+202E reverses the text after it: other names and numbers too.
#[test]
fn a_name_does_not_change_the_direction_of_text() {
    let players = player("a\u{202e}b", "--seed 1") + &player("two", "--seed 2");
    let setup = Setup::new(&format!(
        "{players}[match]\nlimit = \"nodes=5\"\npairs = 1\n{BOOK}[adjudication]\nmax_moves = 10\n"
    ));
    let played = setup.play("match", "run", &[]);
    assert_eq!(played.code, Some(0), "{}", played.stderr);
    let file = |name: &str| read(&setup.run("run").join(name));
    for name in ["report.html", "report.md"] {
        let text = file(name);
        assert!(text.contains("a\u{fffd}b"), "{name}: {text}");
        assert!(!text.contains('\u{202e}'), "{name}: {text}");
    }
    for name in ["report.json", "games.pgn"] {
        let text = file(name);
        assert!(text.contains("a\u{202e}b"), "{name}: {text}");
    }
}

/// A report can be read at any time before the end: then only the always-valid interval
/// keeps its probability.
#[test]
fn a_match_that_is_not_finished_has_the_always_valid_interval() {
    let failures: String = (1..=10)
        .map(|at| format!(" go:{}=illegal", 150 * at))
        .collect();
    let players = player("one", "--seed 1") + &player("two", &format!("--seed 2{failures}"));
    let setup = Setup::new(&format!(
        "{players}[match]\nlimit = \"nodes=5\"\npairs = 70\nconcurrency = 1\nmax_failures = 1.0\n\
         [adjudication]\nmax_moves = 20\n"
    ));
    let played = setup.play("match", "run", &[]);
    assert_eq!(played.code, Some(0), "{}", played.stderr);
    let run = setup.run("run");
    let block = || on_run("report", &run).stdout;
    let mut shown = vec![("finished", block())];
    let green = "<div class=\"lead good\">";
    assert!(read(&run.join("report.html")).contains(green));

    let manifest = run.join("run.toml");
    let longer = read(&manifest).replace("\npairs = 70\n", "\npairs = 5000\n");
    fs::write(&manifest, longer).expect("written");
    shown.push(("not finished", block()));
    let page = setup.run("page.html");
    let html = report(&run, &["--html", &page.display().to_string()]);
    assert_eq!(html.code, Some(0), "{}", html.stderr);
    let page = read(&page);
    assert!(page.contains("not valid before the end"));
    assert!(!page.contains(green));

    // A stop rule is checked after every pair, also if it never stops the match.
    let with_stop =
        read(&manifest).replace("\npairs = 5000\n", "\npairs = 70\nstop = { width = 1.0 }\n");
    fs::write(&manifest, with_stop).expect("written");
    shown.push(("with a stop rule", block()));
    snapshots(&[]).bind(|| insta::assert_snapshot!("not-finished", listed(shown)));
}
