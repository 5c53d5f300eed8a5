//! `docs/formats.md` documents the keys of the JSON and the columns of `games.csv` that real
//! runs have.

#![cfg(unix)]

mod common;

use std::fs;

use common::{
    BOOK, Setup, engines, finish, hone, player, random_players, scripted, tuning, workspace,
};
use serde_json::Value;

/// A row of a table: the names in its first column, and its whole text.
struct Row {
    names: Vec<String>,
    text: String,
}

/// The words in backticks.
fn code(text: &str) -> Vec<String> {
    let parts = text.split('`').skip(1).step_by(2);
    parts.map(str::to_string).collect()
}

/// The rows of the table below a heading whose first column has the title `column`.
fn table(heading: &str, column: &str) -> Vec<Row> {
    let page = fs::read_to_string(workspace().join("docs/formats.md")).expect("a page");
    let (_, section) = page.split_once(heading).expect("the heading");
    let (_, rows) = section
        .split_once(&format!("| {column} | meaning | unit |\n"))
        .expect("the table");
    let rows = rows
        .lines()
        .skip(1)
        .take_while(|line| line.starts_with('|'));
    rows.map(|row| Row {
        names: code(row.split('|').nth(1).expect("a cell")),
        text: row.to_string(),
    })
    .collect()
}

/// Checks that a table has every key of an object, and the object every key that is not
/// optional ("only"). The table also names the keys of the objects in it, except for those
/// in `own`, which have a table of their own or names that the user chooses.
fn check(object: &Value, rows: &[Row], own: &[&str]) {
    let keys = object.as_object().expect("an object");
    for (key, value) in keys {
        let row = rows.iter().find(|row| row.names.contains(key));
        let row = row.unwrap_or_else(|| panic!("`{key}` is not documented"));
        if !own.contains(&key.as_str()) {
            let list = value
                .as_array()
                .map_or(std::slice::from_ref(value), Vec::as_slice);
            let inner = list.iter().filter_map(Value::as_object);
            for name in inner.flat_map(|object| object.keys()) {
                let is_interval = ["estimate", "low", "high"].contains(&name.as_str());
                let is_named = is_interval || code(&row.text).contains(name);
                assert!(is_named, "`{name}` of `{key}` is not documented");
            }
        }
    }
    for row in rows.iter().filter(|row| !row.text.contains("only ")) {
        for name in &row.names {
            assert!(keys.contains_key(name), "`{name}` is missing: {object}");
        }
    }
}

fn check_all(list: &Value, rows: &[Row], own: &[&str]) {
    let list = list.as_array().expect("a list");
    assert!(!list.is_empty());
    for object in list {
        check(object, rows, own);
    }
}

/// Checks the object of a match or a test.
fn check_match(json: &Value) {
    let rows = table("## A match or a test\n", "key");
    check(json, &rows, &["engines", "sprt", "pairings", "ratings"]);
    let rows = table("### Engines\n", "key of `engines`");
    check_all(&json["engines"], &rows, &["options"]);
    let ratings = "### Pairings and ratings\n";
    check_all(&json["pairings"], &table(ratings, "key of `pairings`"), &[]);
}

fn json(args: &[&str], run: &std::path::Path) -> Value {
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
