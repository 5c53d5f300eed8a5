//! `hone book make` as a built program, judged by a small engine of its own.
#![cfg(unix)]

mod common;

use std::{
    collections::HashSet,
    fs,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

use common::{hone, script, signal, wait_until};
use harness::openings::Variant;
use harness::openings::epd::PositionLine;

/// A shell script that is a UCI engine, whose score is a checksum of the position: between -100 and
/// 99, whatever the nodes.
const JUDGE: &str = r#"#!/bin/sh
while read -r line; do
  case "$line" in
    uci) echo "id name checksum"
         echo "option name UCI_Chess960 type check default false"; echo uciok ;;
    isready) echo readyok ;;
    position*) fen="$line" ;;
    go*) sum=$(printf %s "$fen" | cksum); sum=${sum%% *}
         echo "info depth 1 score cp $((sum % 200 - 100)) nodes 1 pv a2a3"
         echo "bestmove a2a3" ;;
    quit) exit ;;
  esac
done
"#;

fn judge(folder: &Path) -> PathBuf {
    script(folder, "judge", JUDGE)
}

fn make(engine: &Path, out: &Path, more: &[&str]) -> Command {
    let mut command = hone();
    command
        .args(["book", "make", "--json", "--out"])
        .arg(out)
        .arg("--engine")
        .arg(engine)
        .args(more);
    command
}

fn succeed(mut command: Command) -> Output {
    let output = command.output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    output
}

#[test]
fn the_same_book_at_any_concurrency_and_after_a_kill() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let engine = judge(folder);
    let recipe = ["--count", "150", "--plies", "3..6", "--per-family", "20"];
    for (out, concurrency) in [("one.epd", "1"), ("four.epd", "4")] {
        let mut command = make(&engine, &folder.join(out), &recipe);
        command.args(["--concurrency", concurrency]);
        succeed(command);
    }
    let one = fs::read(folder.join("one.epd")).unwrap();
    assert_eq!(one, fs::read(folder.join("four.epd")).unwrap());

    let out = folder.join("killed.epd");
    let journal = folder.join("killed.epd.partial");
    let mut killed = make(&engine, &out, &recipe).spawn().unwrap();
    let judged =
        || fs::read(&journal).map_or(0, |text| text.iter().filter(|b| **b == b'\n').count());
    wait_until("forty judged positions", || judged() >= 40);
    killed.kill().unwrap();
    killed.wait().unwrap();
    assert!(!out.exists());
    let resumed = succeed(make(&engine, &out, &recipe));
    let errors = String::from_utf8_lossy(&resumed.stderr);
    assert!(errors.contains("resuming after"), "{errors}");
    assert_eq!(one, fs::read(&out).unwrap());
    assert!(!journal.exists());
}

#[test]
fn an_interrupt_names_the_command_to_resume() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let journal = folder.join("a.epd.partial");
    let working = make(
        &judge(folder),
        &folder.join("a.epd"),
        &["--count", "100000"],
    )
    .stderr(Stdio::piped())
    .spawn()
    .unwrap();
    let judged = || fs::metadata(&journal).map_or(0, |file| file.len());
    wait_until("judged positions", || judged() >= 1000);
    signal(&working, libc::SIGINT);
    let output = working.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        errors.contains("Run the same command to resume."),
        "{errors}"
    );
    assert!(journal.exists());
}

#[test]
fn another_judge_of_the_same_name_does_not_resume() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let limited = JUDGE.replace("go*) ", "go*) n=$((n+1)); [ $n -gt 30 ] && exit 1; ");
    let out = folder.join("a.epd");
    let journal = folder.join("a.epd.partial");
    let resume = |judge: &Path, arguments: &str| {
        let engine = format!("{} {arguments}", judge.display());
        let recipe = ["--count", "100", "--concurrency", "1"];
        let output = make(Path::new(&engine), &out, &recipe).output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code(), errors)
    };
    let first = script(folder, "judge", &limited);
    let (code, errors) = resume(&first, "--weights=a.pb");
    assert_eq!(code, Some(4), "{errors}");
    let begun = fs::read(&journal).unwrap();

    let rebuilt = script(folder, "rebuilt", JUDGE);
    for (judge, arguments) in [(&first, "--weights=b.pb"), (&rebuilt, "--weights=a.pb")] {
        let (code, errors) = resume(judge, arguments);
        assert_eq!(code, Some(2), "{arguments}: {errors}");
        let refused = "belongs to another `hone book make` (other options, games or engine)";
        assert!(errors.contains(refused), "{arguments}: {errors}");
        assert_eq!(fs::read(&journal).unwrap(), begun, "{arguments}");
    }

    let moved = script(folder, "moved", &limited);
    let (code, errors) = resume(&moved, "--weights=a.pb");
    assert_eq!(code, Some(4), "{errors}");
    assert!(errors.contains("resuming after"), "{errors}");
    assert!(fs::read(&journal).unwrap().len() > begun.len());
}

#[test]
fn every_line_keeps_the_recipe() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let recipe = [
        "--count",
        "120",
        "--plies",
        "5",
        "--per-family",
        "7",
        "--window",
        "-30..30",
    ];
    let output = succeed(make(&judge(folder), &folder.join("a.epd"), &recipe));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["count"], 120);
    assert_eq!(report["judge"], "checksum");
    let text = fs::read_to_string(folder.join("a.epd")).unwrap();
    let mut positions = HashSet::new();
    let mut families = std::collections::HashMap::new();
    for line in text.lines() {
        let parsed = PositionLine::parse(line.as_bytes()).unwrap();
        let position = parsed.position(Variant::Standard).unwrap();
        assert!(positions.insert(position), "{line}");
        let score = std::str::from_utf8(parsed.operation("ce").unwrap()).unwrap();
        let score: i32 = score.parse().unwrap();
        assert!((-30..=30).contains(&score), "{line}");
        let moves = std::str::from_utf8(parsed.operation("c0").unwrap()).unwrap();
        assert_eq!(moves.split(' ').count(), 5, "{line}");
        let first = moves.split(' ').next().unwrap().to_owned();
        *families.entry(first).or_insert(0) += 1;
    }
    assert_eq!(positions.len(), 120);
    assert!(families.values().all(|&count| count <= 7), "{families:?}");
}

#[test]
fn chess960_and_games_are_sources_too() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let engine = judge(folder);
    let recipe = [
        "--count",
        "20",
        "--plies",
        "2",
        "--chess960",
        "--per-family",
        "1",
    ];
    succeed(make(&engine, &folder.join("frc.pgn.gz"), &recipe));
    let options = harness::openings::BookOptions {
        variant: Variant::Chess960,
        ..Default::default()
    };
    let book = harness::openings::Book::open(&folder.join("frc.pgn.gz"), options).unwrap();
    let starts: HashSet<_> = book.iter().map(|opening| opening.fen).collect();
    assert_eq!(starts.len(), 20);

    // Each of twenty first moves gives one position, and then there are none.
    let full = [
        "--count",
        "21",
        "--plies",
        "1..4",
        "--per-family",
        "1",
        "--quiet",
        "1000",
    ];
    let mut command = make(&engine, &folder.join("full.epd"), &full);
    command.args(["--window=-900..900"]);
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(3), "all families are full");

    let games = folder.join("games.pgn");
    fs::write(
        &games,
        "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 *\n\n1. d4 Ke4 *\n\n1. d4 d5 2. c4 *\n",
    )
    .unwrap();
    let recipe = ["--plies", "2..6", "--window", "-100..99"];
    let mut command = make(&engine, &folder.join("games.epd"), &recipe);
    command.arg("--pgn").arg(&games);
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(3), "fewer positions than wanted");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        errors.contains("1 unusable games skipped; the first: line 3"),
        "{errors}"
    );
    let text = fs::read_to_string(folder.join("games.epd")).unwrap();
    assert_eq!(text.lines().count(), 7, "{text}");
}

#[test]
fn bad_requests_start_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let engine = judge(folder);
    for (more, part) in [
        (&["--plies", "9..8"][..], "9 is above 8"),
        (&["--window", "x"], "not a whole number"),
        (&["--from", "games"], "--pgn FILE"),
        (&["--option", "Hash=16"], "no option `Hash`"),
        (&["--engine", "/bin/true"], "uci"),
        (&["--pgn", "missing.pgn"], "cannot read missing.pgn"),
        (&["--out", "book.txt"], "must end in .epd or .pgn"),
        (&["--concurrency", "1025"], "1 to 1024 engines at a time"),
    ] {
        let named = |option: &str| more.contains(&option);
        let mut command = hone();
        command.args(["book", "make"]).args(more);
        if !named("--out") {
            command.arg("--out").arg(folder.join("a.epd"));
        }
        if !named("--engine") {
            command.arg("--engine").arg(&engine);
        }
        let output = command.output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{more:?}: {errors}");
        assert!(errors.contains(part), "{more:?}: {errors}");
        assert!(!folder.join("a.epd").exists());
        assert!(!folder.join("a.epd.partial").exists());
    }
}

#[test]
fn the_work_of_a_judge_that_dies_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let limited = JUDGE.replace("go*) ", "go*) n=$((n+1)); [ $n -gt 30 ] && exit 1; ");
    let dying = script(folder, "dying", &limited);
    let recipe = ["--count", "100", "--concurrency", "1"];
    let output = make(&dying, &folder.join("a.epd"), &recipe)
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(4), "{errors}");
    assert!(errors.contains("closed its output or ended"), "{errors}");
    assert!(folder.join("a.epd.partial").exists());
    assert!(!folder.join("a.epd").exists());
}
