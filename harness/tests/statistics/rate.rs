//! `hone calc rate`: ratings of runs and PGN files.

use std::fs;
#[cfg(unix)]
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::common::calc::{calc, json, write_run};
use crate::common::json::number;
use crate::common::{BOOK, Setup, random_players};
#[cfg(unix)]
use crate::common::{finish, hone};
use hone_testing::{listed, snapshots};

/// A game in PGN.
fn game(white: &str, black: &str, round: u32, result: &str) -> String {
    format!(
        "[White \"{white}\"]\n[Black \"{black}\"]\n[Round \"{round}\"]\n\
         [Result \"{result}\"]\n\n1. e4 e5 {result}\n\n"
    )
}

/// The exit code, the output and the errors of `hone calc rate`.
fn rated(arguments: &str) -> String {
    let finished = calc(&format!("rate {arguments}"));
    let code = finished.code.expect("it ends");
    format!("{code}\n{}{}", finished.stdout, finished.stderr)
}

#[test]
fn runs_and_games_are_rated_together() {
    let folder = tempfile::tempdir().unwrap();
    write_run(folder.path());
    let pgn = folder.path().join("other.pgn");
    let games = [
        game("new", "third", 1, "1-0"),
        game("third", "new", 1, "1/2-1/2"),
        game("new", "third", 2, "1/2-1/2"),
        game("third", "new", 2, "1-0"),
    ];
    fs::write(&pgn, games.concat()).unwrap();
    let sources = format!("{} {}", folder.path().display(), pgn.display());
    let ratings = json(&format!("rate {sources} --anchor old=-10"));
    assert_eq!(ratings["pairs"], 42);
    let rows = ratings["ratings"].as_array().unwrap();
    assert_eq!(rows.len(), 3);
    let old = rows.iter().find(|row| row["name"] == "old").unwrap();
    assert_eq!(old["elo"]["estimate"], -10.0);
    let third = rows.iter().find(|row| row["name"] == "third").unwrap();
    assert_eq!(third["interval"], "always_valid", "two pairs");
    let twice = format!("{sources} --anchor old=1 --anchor old=2");
    let copy = folder.path().join("copy.pgn");
    fs::copy(&pgn, &copy).unwrap();
    let shown = [
        sources.clone(),
        format!("{sources} --csv"),
        format!("{sources} --anchor nobody"),
        twice,
        format!("{sources} {}", copy.display()),
    ]
    .map(|arguments| (arguments.clone(), rated(&arguments)));
    snapshots(&[]).bind(|| insta::assert_snapshot!("rate", listed(shown)));
}

/// Equal results leave the variance of White's points unknown.
#[test]
fn equal_results_give_no_narrow_advantage_for_white() {
    let folder = tempfile::tempdir().unwrap();
    let pgn = folder.path().join("games.pgn");
    let rate = |result: &str| {
        let pair = |round| game("a", "b", round, result) + &game("b", "a", round, result);
        fs::write(&pgn, (1..=100).map(pair).collect::<String>()).unwrap();
        let args = format!("rate {}", pgn.display());
        assert_eq!(json(&args)["white_advantage_supported"], false);
        calc(&args).stdout
    };
    let mut shown = Vec::from(["1/2-1/2", "1-0"].map(|result| (result, rate(result))));
    // Without a rating no row has the mark that the footnote explains.
    let won = "[White \"a\"]\n[Black \"b\"]\n[Result \"1-0\"]\n\n1. e4 1-0\n\n";
    fs::write(&pgn, won).unwrap();
    shown.push(("one game", calc(&format!("rate {}", pgn.display())).stdout));
    snapshots(&[]).bind(|| insta::assert_snapshot!("rate-equal", listed(shown)));
}

#[test]
fn the_los_of_ratings_is_never_certain() {
    let folder = tempfile::tempdir().unwrap();
    let pgn = folder.path().join("games.pgn");
    let pair = |(one, two): (&str, &str), round: u32| {
        let (first, second) = match round % 10 {
            0 => ("0-1", "1-0"),
            1 | 2 => ("1/2-1/2", "0-1"),
            _ => ("1-0", "0-1"),
        };
        game(one, two, round, first) + &game(two, one, round, second)
    };
    let pairings = [("a", "b"), ("b", "c"), ("a", "c")];
    let pairs = |players| {
        (0..100)
            .map(|round| pair(players, round))
            .collect::<String>()
    };
    fs::write(&pgn, pairings.map(pairs).concat()).unwrap();
    let args = format!("rate {}", pgn.display());
    let text = calc(&args).stdout;
    snapshots(&[]).bind(|| insta::assert_snapshot!("rate-los", text));
    // The number for scripts is as it was computed.
    assert!(number(&json(&args)["los"][0][1]) > 0.999_999);
}

#[test]
fn games_without_moves_are_rated() {
    let folder = tempfile::tempdir().unwrap();
    let pgn = folder.path().join("tags.pgn");
    let game = |white, black, round, result| {
        format!(
            "[Event \"x\"]\n[Round  \"{round}\"]\n[White\t\"{white}\"]\n[ Black \"{black}\" ]\n\
             [Result \"{result}\"]\n\n"
        )
    };
    let games = [
        game("=1+2", "b", 1, "1-0"),
        game("b", "=1+2", 1, "1/2-1/2"),
        game("b", "=1+2", 2, "1/2-1/2"),
        game("", "b", 3, "1-0"),
    ];
    fs::write(&pgn, games.concat()).unwrap();
    let source = pgn.display();
    let ratings = json(&format!("rate {source}"));
    assert_eq!(ratings["pairs"], 1);
    let rows = ratings["ratings"].as_array().unwrap();
    assert_eq!((rows.len(), &rows[0]["name"]), (2, &"=1+2".into()));
    assert_eq!(
        (&rows[0]["games"], &rows[0]["points"]),
        (&3.into(), &2.0.into())
    );
    let mut shown = vec![("as CSV", rated(&format!("{source} --csv")))];
    shown.push(("twice", rated(&format!("{source} {source}"))));
    fs::write(&pgn, games.concat() + "[Event \"x\"]\n[White \"=1").unwrap();
    shown.push(("cut off", rated(&source.to_string())));
    for (what, start) in [
        ("gzip", &b"\x1f\x8b\x08\x00"[..]),
        ("zip", b"PK\x03\x04"),
        ("bzip2", b"BZh91AY&SY"),
        ("UTF-16", b"\xff\xfe[\0W\0"),
    ] {
        fs::write(&pgn, start).unwrap();
        shown.push((what, rated(&source.to_string())));
    }
    snapshots(&[]).bind(|| insta::assert_snapshot!("rate-files", listed(shown)));
}

#[test]
fn a_run_and_its_own_file_of_games_would_count_twice() {
    let folder = tempfile::tempdir().unwrap();
    write_run(folder.path());
    let (run, pgn) = (folder.path(), folder.path().join("games.pgn"));
    fs::write(&pgn, "[White \"new\"]\n[Black \"old\"]\n\n1. e4 1-0\n").unwrap();
    let shown = [[run, &pgn], [&pgn, run]].map(|sources| {
        let sources = sources.map(|source| source.display().to_string()).join(" ");
        (sources.clone(), rated(&sources))
    });
    snapshots(&[]).bind(|| insta::assert_snapshot!("rate-same", listed(shown)));
}

/// A pipe has no canonical path and cannot be rewound.
#[cfg(unix)]
#[test]
fn games_are_read_from_pipes() {
    let pairs = |round| game("a", "b", round, "1-0") + &game("b", "a", round, "1/2-1/2");
    let folder = tempfile::tempdir().unwrap();
    let pgn = folder.path().join("games.pgn");
    fs::write(&pgn, (1..=20).map(pairs).collect::<String>()).unwrap();
    let mut cat = Command::new("cat");
    let mut cat = cat.arg(&pgn).stdout(Stdio::piped()).spawn().unwrap();
    let mut command = hone();
    command.args(["calc", "rate", "/dev/stdin", "--json"]);
    command.stdin(cat.stdout.take().unwrap());
    let rated = finish(command);
    cat.wait().unwrap();
    assert_eq!(rated.code, Some(0), "{}", rated.stderr);
    assert_eq!(rated.json()["pairs"], 20);
}

/// Its always-valid interval is that of the report, which takes half of the planned pairs as
/// the length for which it is made.
#[test]
fn one_match_has_the_interval_of_its_report() {
    let players = random_players();
    let setup = Setup::new(&format!(
        "{players}[match]\nlimit = \"nodes=1\"\npairs = 6\n{BOOK}[adjudication]\nmax_moves = 60\n"
    ));
    let played = setup.play("match", "run", &["--json"]);
    assert_eq!(played.code, Some(0), "{}", played.stderr);
    let report = played.json();
    let names = &report["engines"];
    let second = names[1]["name"].as_str().unwrap();
    let run = setup.run("run");
    let arguments = format!(
        "rate {} --white-advantage 0 --anchor {second}",
        run.display()
    );
    let ratings = json(&arguments);
    let rows = ratings["ratings"].as_array().unwrap();
    let first = rows.iter().find(|row| row["name"] == names[0]["name"]);
    let width = |interval: &Value| number(&interval["high"]) - number(&interval["low"]);
    let [rated, valid] = [&first.unwrap()["elo"], &report["always_valid"]].map(width);
    assert!((rated - valid).abs() < 1e-6, "{rated} and {valid}");
}
