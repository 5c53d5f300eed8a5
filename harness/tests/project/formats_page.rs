//! `docs/formats.md` documents the keys of the JSON and the columns of `games.csv` that real
//! runs have.

use std::fs;
use std::path::Path;

use crate::common::formats::{check, check_all, table, table_of};
use crate::common::repository::{BUILD, EngineRepository, WEAK};
use crate::common::{
    BOOK, Finished, Setup, calc, engines, finish, hone, hone_book, hone_in, player, random_players,
    scripted, stillwater, tuning, workspace,
};
use serde_json::Value;

/// Checks the object of a match or a test.
fn check_match(json: &Value) {
    let rows = table("## A match or a test\n", "key");
    check(json, &rows, &["engines", "sprt", "pairings", "ratings"]);
    let rows = table("### Engines\n", "key of `engines`");
    check_all(&json["engines"], &rows, &["options"]);
    let ratings = "### Pairings and ratings\n";
    check_all(&json["pairings"], &table(ratings, "key of `pairings`"), &[]);
}

fn json(args: &[&str], run: &Path) -> Value {
    let mut command = hone();
    command.args(args).arg("--json").arg(run);
    finish(command).json()
}

#[test]
fn the_keys_of_a_test_and_the_columns_of_its_ledger_are_documented() {
    let players = random_players();
    let setup = Setup::new(&format!(
        "{players}[match]\nlimit = \"nodes=1\"\n{BOOK}[adjudication]\nmax_moves = 20\n\
         [sprt]\nmax_pairs = 2\n"
    ));
    let played = setup.play("sprt", "run", &["--json"]);
    assert_eq!(played.code, Some(3), "{}", played.stderr);
    check_match(&played.json());
    let sprt = &played.json()["sprt"];
    check(sprt, &table("### The test\n", "key of `sprt`"), &[]);

    let run = setup.run("run");
    let ledger = fs::read_to_string(run.join("games.csv")).expect("a ledger");
    let header: Vec<&str> = ledger
        .lines()
        .next()
        .expect("a header")
        .split(',')
        .collect();
    let rows = table("## games.csv\n", "column");
    let columns: Vec<String> = rows.into_iter().flat_map(|row| row.names).collect();
    assert_eq!(columns, header);

    let verified = json(&["verify"], &run);
    check(&verified, &table("## hone verify\n", "key"), &[]);
    assert_eq!(verified["pairs"], 2);
    assert_eq!(verified["verdict"], "none");
    let listed = json(&["runs"], setup.dir.path());
    let rows = table("## hone runs\n", "key of `runs`");
    check_all(&listed["runs"], &rows, &["book"]);
}

#[test]
fn the_keys_of_a_tournament_are_documented() {
    let players = random_players() + &player("three", "--seed 3");
    let setup = Setup::new(&format!(
        "{players}[match]\nlimit = \"nodes=1\"\npairs = 2\n{BOOK}[adjudication]\nmax_moves = 20\n"
    ));
    let played = setup.play("match", "run", &["--json"]);
    assert_eq!(played.code, Some(0), "{}", played.stderr);
    check_match(&played.json());
    let rows = table("### Pairings and ratings\n", "key of `ratings`");
    check_all(&played.json()["ratings"], &rows, &[]);
}

#[test]
fn the_keys_of_a_tuning_are_documented() {
    let played = tuning("pairs = 8", "").play("tune", "run", &["--json"]);
    assert_eq!(played.code, Some(0), "{}", played.stderr);
    let json = played.json();
    let own = ["response", "values", "average", "start"];
    check(&json, &table("## A tuning\n", "key"), &own);
    if json["response"].is_object() {
        let rows = table("## A tuning\n", "key of `response`");
        check(&json["response"], &rows, &[]);
    }
}

#[test]
fn the_keys_of_the_plan_and_the_simulation_of_a_tuning_are_documented() {
    let folder = tempfile::tempdir().expect("a folder");
    let write =
        |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("written");
    write("tune.toml", "[tune]\npairs = 40\n");
    write(
        "model.toml",
        "[[param]]\nname = \"A\"\nmin = 0\nmax = 200\nstart = 80\noptimum = 120\nsensitivity = 200\n",
    );
    let args = ["tune", "tune.toml", "--simulate", "model.toml", "--json"];
    let tune = |more: &[&str]| succeeded(hone_in(folder.path(), &[&args, more].concat()));
    let rows = table("## A tuning\n", "key of the plan (`--dry-run`)");
    check(&tune(&["--dry-run"]), &rows, &[]);

    let mut simulated = tune(&[]);
    let gain = simulated.as_object_mut().expect("an object");
    assert!(gain.remove("elo_gain_true").is_some());
    let absent = [
        "run",
        "kind",
        "finished",
        "repeated_pairs",
        "distinct_games",
        "findings",
        "verify",
    ];
    let mut rows = table("## A tuning\n", "key");
    rows.retain(|row| !row.names.iter().any(|name| absent.contains(&name.as_str())));
    check(
        &simulated,
        &rows,
        &["response", "values", "average", "start"],
    );
}

#[test]
fn the_keys_of_a_replay_are_documented() {
    let bad = format!("{} move=exit:7", scripted());
    let players = engines(("bad", &bad, ""), ("good", &scripted(), ""));
    let setup = Setup::new(&format!(
        "{players}[match]\nlimit = \"nodes=10\"\nstall_ms = 60000\npairs = 1\nmax_failures = 1.0\n{BOOK}"
    ));
    let played = setup.play("match", "run", &[]);
    assert_eq!(played.code, Some(0), "{}", played.stderr);
    let evidence = setup.run("run").join("failures/1-1");
    let replayed = json(&["replay", "--dialogue"], &evidence);
    check(&replayed, &table("## hone replay\n", "key"), &[]);
}

/// The JSON of a command, which must succeed.
fn succeeded(finished: Finished) -> Value {
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    finished.json()
}

#[test]
fn the_keys_of_calc_are_documented() {
    let folder = tempfile::tempdir().expect("a folder");
    let games = folder.path().join("games.pgn");
    let game = |white: &str, black: &str, result: &str| {
        format!("[White \"{white}\"]\n[Black \"{black}\"]\n[Result \"{result}\"]\n\n{result}\n\n")
    };
    let pgn = game("a", "b", "1-0") + &game("b", "a", "1/2-1/2") + &game("a", "b", "0-1");
    fs::write(&games, pgn).expect("written");
    let rate = format!("rate {}", games.display());
    for (command, arguments) in [
        ("elo", "elo --pentanomial 12,80,100,100,95,13"),
        (
            "sprt",
            "sprt --pentanomial 12,80,200,95,13 --elo0 0 --elo1 5",
        ),
        (
            "plan",
            "plan --elo0 0 --elo1 30 --pairs-per-hour 9 --hours 9",
        ),
        ("simulate", "simulate --elo 0 --elo0 0 --elo1 100 --runs 10"),
        ("rate", &rate),
    ] {
        let heading = format!("### hone calc {command}\n");
        check(&calc::json(arguments), &table(&heading, "key"), &[]);
    }
}

#[test]
fn the_keys_of_books_are_documented() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let book = |args: &[&str]| succeeded(hone_book(folder, &[args, &["--json"]].concat()));
    let quick = workspace().join("books/quick.epd").display().to_string();

    let rows = table("### hone book info\n", "key");
    let own = ["plies", "men", "balance", "families"];
    check(&book(&["info", &quick]), &rows, &own);
    let converted = book(&["convert", &quick, "--out", "book.epd"]);
    check(&converted, &table("### hone book convert\n", "key"), &[]);
    let judge = stillwater().display().to_string();
    let made = book(&[
        "make", "--engine", &judge, "--out", "new.epd", "--count", "1", "--nodes", "100",
    ]);
    check(&made, &table("### hone book make\n", "key"), &[]);
}

#[test]
fn the_keys_of_checks_and_suites_are_documented() {
    let folder = tempfile::tempdir().expect("a folder");
    let engine = format!("{} --seed 1", scripted());
    let mut command = hone();
    command.args(["check", &engine, "--json"]);
    check(
        &finish(command).json(),
        &table("## hone check\n", "key"),
        &[],
    );

    let suite = folder.path().join("s.epd");
    fs::write(&suite, "4k3/8/8/8/8/8/4P3/4K3 w - - bm e4; id \"e\";\n").expect("written");
    let args = ["--engine", &engine, "--compare", &engine, "--nodes", "1"];
    let report = json(&[&["suite"], args.as_slice()].concat(), &suite);
    let head = "| key of `--json` | meaning |\n";
    let rows = table_of("docs/books.md", "## Test suites\n", head);
    check(&report, &rows, &["compare"]);
    let compare = rows
        .iter()
        .find(|row| row.names.contains(&"compare".to_string()));
    let compare = compare.expect("a row");
    for key in report["compare"].as_object().expect("an object").keys() {
        let is_known = rows.iter().any(|row| row.names.contains(key));
        assert!(is_known || compare.text.contains(key), "{key}");
    }
}

#[test]
fn the_keys_of_builds_and_a_bisection_are_documented() {
    let repository = EngineRepository::new();
    let good = repository.commit_engine("", 1, "First");
    let bad = repository.commit_engine(WEAK, 2, "Second");
    let config = repository.dir.path().join("bisect.toml");
    let text = format!(
        "[[engine]]\ngit = \".\"\nbuild = '{BUILD}'\n[match]\nlimit = \"nodes=100\"\n\
         openings = {{ file = '{}' }}\n[adjudication]\nmax_moves = 20\n[bisect]\nmax_pairs = 8\n",
        workspace().join("books/quick.epd").display()
    );
    fs::write(&config, text).expect("written");
    let mut command = repository.hone();
    command.arg("bisect").arg(&config);
    command.args(["--good", &good, "--bad", &bad, "--json", "--out", "run"]);
    let bisected = finish(command).json();
    let head = "| key of `--json` | meaning |\n";
    let rows = table_of("docs/bisect.md", "## Reference\n", head);
    check(&bisected, &rows, &["good", "bad", "culprit", "posterior"]);

    let mut command = repository.hone();
    command.args(["builds", "--json"]);
    let builds = succeeded(finish(command));
    check(&builds, &table("## hone builds\n", "key"), &["builds"]);
    let rows = table("## hone builds\n", "key of `builds`");
    check_all(&builds["builds"], &rows, &[]);
}

#[test]
fn the_keys_of_tracking_are_documented() {
    let folder = tempfile::tempdir().expect("a folder");
    let table_of_nights = workspace().join("results/elo.csv");
    fs::copy(table_of_nights, folder.path().join("elo.csv")).expect("copied");
    let tracked = json(&["report"], folder.path());
    check(&tracked, &table("## hone track\n", "key"), &[]);
    assert!(!tracked["changes"].as_array().expect("a list").is_empty());
}
