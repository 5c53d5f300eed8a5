//! `hone book make`, with a small engine as its judge.
use std::{
    collections::HashSet,
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use crate::common::running::Running;
use crate::common::{Finished, finish, hone, script, signal, wait_until};
use hone_uci::openings::Variant;
use hone_uci::openings::epd::PositionLine;

/// A UCI engine as a shell script. Its score is a checksum of the position, from -100 to 99
/// centipawns.
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

/// A [`JUDGE`] that ends at its 31st search.
fn dying_judge() -> String {
    JUDGE.replace("go*) ", "go*) n=$((n+1)); [ $n -gt 30 ] && exit 1; ")
}

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

fn succeed(command: Command) -> Finished {
    let finished = finish(command);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    finished
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
    let killed = Running::start(&mut make(&engine, &out, &recipe));
    let judged =
        || fs::read(&journal).map_or(0, |text| text.iter().filter(|b| **b == b'\n').count());
    wait_until("forty judged positions", || judged() >= 40);
    killed.kill();
    assert!(!out.exists());
    let errors = succeed(make(&engine, &out, &recipe)).stderr;
    assert!(errors.contains("resuming after"), "{errors}");
    assert_eq!(one, fs::read(&out).unwrap());
    assert!(!journal.exists());
}

#[test]
fn an_interrupt_names_the_command_to_resume() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let journal = folder.join("a.epd.partial");
    let out = folder.join("a.epd");
    let mut command = make(&judge(folder), &out, &["--count", "100000"]);
    let working = Running::start(command.stderr(Stdio::piped()));
    let judged = || fs::metadata(&journal).map_or(0, |file| file.len());
    wait_until("judged positions", || judged() >= 1000);
    signal(&working, libc::SIGINT);
    let Finished { code, stderr, .. } = working.finish();
    assert_eq!(code, Some(130), "{stderr}");
    assert!(
        stderr.contains("Run the same command to resume."),
        "{stderr}"
    );
    assert!(journal.exists());
}

#[test]
fn another_judge_of_the_same_name_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let limited = dying_judge();
    let out = folder.join("a.epd");
    let journal = folder.join("a.epd.partial");
    let resume = |judge: &Path, arguments: &str| {
        let engine = format!("{} {arguments}", judge.display());
        let recipe = ["--count", "100", "--concurrency", "1"];
        let finished = finish(make(Path::new(&engine), &out, &recipe));
        (finished.code, finished.stderr)
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
fn every_line_follows_the_options() {
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
    let report = succeed(make(&judge(folder), &folder.join("a.epd"), &recipe)).json();
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
    let options = hone_uci::openings::BookOptions {
        variant: Variant::Chess960,
        ..Default::default()
    };
    let book = hone_uci::openings::Book::open(&folder.join("frc.pgn.gz"), options).unwrap();
    let starts: HashSet<_> = book.iter().map(|opening| opening.fen).collect();
    assert_eq!(starts.len(), 20);

    // Each of the twenty first moves gives one position.
    let full = [
        "--count",
        "21",
        "--plies",
        "1",
        "--per-family",
        "1",
        "--quiet",
        "1000",
    ];
    let mut command = make(&engine, &folder.join("full.epd"), &full);
    command.args(["--window=-900..900"]);
    let full = finish(command);
    assert_eq!(full.code, Some(3), "all families are full: {}", full.stderr);

    let games = folder.join("games.pgn");
    fs::write(
        &games,
        "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 *\n\n1. d4 Ke4 *\n\n1. d4 d5 2. c4 *\n",
    )
    .unwrap();
    let recipe = ["--plies", "2..6", "--window", "-100..99"];
    let mut command = make(&engine, &folder.join("games.epd"), &recipe);
    command.arg("--pgn").arg(&games);
    let Finished {
        code,
        stderr: errors,
        ..
    } = finish(command);
    assert_eq!(code, Some(3), "fewer positions than wanted: {errors}");
    assert!(
        errors.contains("1 unusable game skipped; the first: line 3"),
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
        let Finished {
            code,
            stderr: errors,
            ..
        } = finish(command);
        assert_eq!(code, Some(2), "{more:?}: {errors}");
        assert!(errors.contains(part), "{more:?}: {errors}");
        assert!(!folder.join("a.epd").exists());
        assert!(!folder.join("a.epd.partial").exists());
    }
}

#[test]
fn the_positions_of_a_judge_that_dies_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let dying = script(folder, "dying", &dying_judge());
    let recipe = ["--count", "100", "--concurrency", "1"];
    let command = make(&dying, &folder.join("a.epd"), &recipe);
    let Finished {
        code,
        stderr: errors,
        ..
    } = finish(command);
    assert_eq!(code, Some(4), "{errors}");
    assert!(errors.contains("closed its output or ended"), "{errors}");
    assert!(folder.join("a.epd.partial").exists());
    assert!(!folder.join("a.epd").exists());
}
