//! The sentences of a report: which engine leads, at which limits, and which numbers are
//! valid before the end.

use std::fs;
use std::path::Path;

use crate::common::{BOOK, Setup, engines, on_run, player, report, scripted};

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
    let run = setup.run("run");
    let text = on_run("report", &run).stdout;
    for part in [
        "strong leads 3 engines with 100.00 % of the points; it won all its games and has no rating.",
        "strong won all its games: it has no rating.\n",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let page = read(&run.join("report.html"));
    for part in [
        "<dt>First place</dt><dd class=\"value\">strong</dd>",
        "won all its games: no rating",
    ] {
        assert!(page.contains(part), "{part}");
    }
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
    let run = setup.run("run");
    let text = on_run("report", &run).stdout;
    let shared = " and 2 others share first place among 3 engines with 50.00 % of the points.";
    assert!(text.contains(shared), "{text}");
    let markdown = read(&run.join("report.md"));
    assert!(markdown.contains(shared), "{markdown}");
    let page = read(&run.join("report.html"));
    assert!(page.contains(" and 2 others</dd>"), "{page}");
    assert!(!page.contains("ahead of the next"), "{page}");
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
    let robin = interrupted("round-robin", 2);
    assert!(!robin.contains("a against the others"), "{robin}");
    assert!(robin.contains(" 3 engines with "), "{robin}");
    let gauntlet = interrupted("gauntlet", 1);
    assert!(gauntlet.contains("\na against the others:\n"), "{gauntlet}");
    assert!(gauntlet.contains("\na against the others: "), "{gauntlet}");
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
    let run = setup.run("run");
    let text = on_run("report", &run).stdout;
    let title = "Results of one `x` vs two (nodes=3 – nodes=2, ";
    assert!(text.starts_with(title), "{text}");
    let markdown = read(&run.join("report.md"));
    assert!(markdown.contains(title), "{markdown}");
    let page = read(&run.join("report.html"));
    for part in [
        ", limit nodes=3 – nodes=2, openings: ",
        "<th scope=\"row\">limit</th><td class=\"n\">nodes=3</td><td class=\"n\">nodes=2</td>",
        "<p>one `x` against two: ",
    ] {
        assert!(page.contains(part), "{part}");
    }
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
    let verdict = || {
        let text = on_run("report", &run).stdout;
        let line = text
            .lines()
            .find(|line| line.starts_with("one against two"));
        line.expect("a verdict").to_string()
    };
    let whole = verdict();
    assert!(
        whole.contains(" Elo (95 %: ") && whole.contains(" probability."),
        "{whole}"
    );
    let green = "<div class=\"lead good\">";
    assert!(read(&run.join("report.html")).contains(green));

    let manifest = run.join("run.toml");
    let longer = read(&manifest).replace("\npairs = 70\n", "\npairs = 5000\n");
    fs::write(&manifest, longer).expect("written");
    let part = verdict();
    assert!(
        part.contains(" Elo (always-valid 95 %: ") && !part.contains("probability"),
        "{part}"
    );
    assert!(part.contains(" Not finished: 70 of 5000 pairs."), "{part}");
    let block = || on_run("report", &run).stdout;
    let open = block();
    for part in [
        " (always-valid 95 %: ",
        "nElo: not valid before the end\nLOS: not valid before the end, ",
    ] {
        assert!(open.contains(part), "{part}: {open}");
    }
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
    let stopped = block();
    let message = "nElo: not valid with an early stop\nLOS: not valid with an early stop, ";
    assert!(stopped.contains(message), "{stopped}");
    assert!(!stopped.contains("+/-"), "{stopped}");
}
