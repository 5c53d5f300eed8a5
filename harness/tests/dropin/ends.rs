//! How runs of `hone fastchess` and `hone cutechess-cli` end: exit codes, the games that
//! count, folders and files, and runs that are resumed.

use std::fs;
use std::path::{Path, PathBuf};
#[cfg(unix)]
use std::process::Stdio;

use crate::common::dropin::{TWO, failing, lines, run_dropin};
#[cfg(unix)]
use crate::common::running::Running;
#[cfg(unix)]
use crate::common::{self, dropin::dropin_command};

/// The runs in a folder.
fn runs(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let paths = entries.map(|entry| entry.path());
    paths
        .filter(|path| path.join("run.toml").is_file())
        .collect()
}

/// fastchess prints a warning and exits with 1; cutechess-cli exits with 0.
#[test]
fn without_recover_the_first_crash_ends_the_match() {
    for (program, key, code, warnings) in
        [("fastchess", "args", 1, 1), ("cutechess-cli", "arg", 0, 0)]
    {
        let dir = tempfile::tempdir().expect("a folder");
        let line = failing("go:2=exit:1").replace("args=", &format!("{key}="));
        let line = line + " -rounds 50 --out run";
        let finished = run_dropin(program, dir.path(), &line);
        assert_eq!(finished.code, Some(code), "{}", finished.stderr);
        let games = lines(&finished, "Finished game").len();
        assert!((2..100).contains(&games), "{}", finished.stdout);
        assert!(finished.stdout.contains(" disconnects}"));
        let warning = " stalled / disconnected and no recover option set for engine, stopping";
        let warned = finished.stdout.matches(warning).count();
        assert_eq!(warned, warnings, "{}", finished.stdout);
        assert_eq!(common::rows(&dir.path().join("run")), games);
        let line = line.replace("--out run", "--out verdict --exit-code verdict");
        assert_eq!(run_dropin(program, dir.path(), &line).code, Some(4));
    }
}

#[test]
fn without_recover_a_stall_ends_the_match_and_an_illegal_move_does_not() {
    let dir = tempfile::tempdir().expect("a folder");
    for (failure, more, code) in [("go:2=hang", "-ping-ms 3000", 1), ("go:2=illegal", "", 0)] {
        let line = failing(failure) + " -rounds 6 " + more;
        let finished = run_dropin("fastchess", dir.path(), &line);
        assert_eq!(finished.code, Some(code), "{}", finished.stdout);
        let is_whole = lines(&finished, "Finished game").len() == 12;
        assert_eq!(is_whole, code == 0, "{}", finished.stdout);
    }
}

/// `-config file=` continues it where it stopped.
#[test]
fn a_match_that_stopped_is_continued() {
    let dir = tempfile::tempdir().expect("a folder");
    let line = failing("go:2=exit:1") + " -rounds 50 --out run";
    assert_eq!(run_dropin("fastchess", dir.path(), &line).code, Some(1));
    let run = dir.path().join("run");
    let before = common::rows(&run);
    let finished = run_dropin("fastchess", dir.path(), "-config file=config.json");
    assert_eq!(finished.code, Some(1), "{}", finished.stderr);
    assert!(common::rows(&run) > before, "{}", finished.stdout);
    assert_eq!(common::on_run("verify", &run).code, Some(0));
}

/// Engines that are restarted play the same games again, which do not count in a test without
/// a clock.
#[test]
fn games_of_a_test_that_do_not_count_are_named() {
    let dir = tempfile::tempdir().expect("a folder");
    let test = "-each restart=on -rounds 100 -sprt elo0=0 elo1=5 alpha=0.05 beta=0.05";
    for program in ["fastchess", "cutechess-cli"] {
        let line = format!("{TWO} {test} -pgnout {program}.pgn");
        let finished = run_dropin(program, dir.path(), &line);
        assert_eq!(finished.code, Some(0), "{}", finished.stderr);
        let games = lines(&finished, "Finished game").len();
        let expected = format!("2 of {games} games count: ");
        assert_eq!(lines(&finished, &expected).len(), 1, "{}", finished.stdout);
        let pgn = fs::read_to_string(dir.path().join(format!("{program}.pgn")));
        assert_eq!(pgn.expect("written").matches("[Event ").count(), games);
    }
    let played = run_dropin("fastchess", dir.path(), &format!("{TWO} -rounds 3"));
    assert!(!played.stdout.contains("games count"), "{}", played.stdout);
}

/// Without a clock, engines that are restarted play the same games again.
#[test]
fn a_match_that_only_repeats_games_names_the_reason() {
    for program in ["fastchess", "cutechess-cli"] {
        let dir = tempfile::tempdir().expect("a folder");
        let line = format!("{TWO} -each restart=on -rounds 100");
        let finished = run_dropin(program, dir.path(), &line);
        assert_eq!(finished.code, Some(0), "{}", finished.stderr);
        let games = lines(&finished, "Finished game").len();
        assert!(games < 200, "{}", finished.stdout);
        assert_eq!(lines(&finished, "Started game").len(), games);
        let reason = format!("{games} of 200 games were played: ");
        let (_, end) = finished.stdout.split_once(&reason).expect("a reason");
        assert!(end.contains("\nFinished match\n"), "{end}");
        let help =
            "a run that only repeats games ends early\nhelp: use a book (`-openings file=`) or";
        assert!(finished.stderr.contains(help), "{}", finished.stderr);
    }
}

#[test]
fn a_run_that_is_not_kept_leaves_no_folder() {
    let dir = tempfile::tempdir().expect("a folder");
    let results = dir.path().join("results");
    let line = format!("{TWO} -rounds 2 -pgnout g.pgn --out none");
    for program in ["fastchess", "cutechess-cli"] {
        let finished = run_dropin(program, dir.path(), &line);
        assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    }
    let left = fs::read_dir(&results).expect("there").flatten();
    let left: Vec<_> = left.map(|entry| entry.file_name()).collect();
    assert_eq!(left, [".gitignore"]);
    let pgn = fs::read_to_string(dir.path().join("g.pgn")).expect("written");
    assert_eq!(pgn.matches("[Event ").count(), 8);
    // A run that stops early is kept, and can be continued.
    let crash = line.replacen("name=A", "name=A args=go:2=exit:1", 1);
    assert_eq!(run_dropin("fastchess", dir.path(), &crash).code, Some(1));
    assert_eq!(runs(&results).len(), 1);
    // So is a run that another command started.
    let named = line.replace("--out none", "--out run");
    assert_eq!(run_dropin("fastchess", dir.path(), &named).code, Some(0));
    let resumed = "-config file=config.json --out none";
    let finished = run_dropin("fastchess", dir.path(), resumed);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    assert!(dir.path().join("run/run.toml").is_file());
}

/// A server may keep nothing but the folder that `outname=` names.
#[test]
fn a_run_is_kept_beside_its_config_file() {
    let dir = tempfile::tempdir().expect("a folder");
    let state = dir.path().join("state");
    let line = format!("{TWO} -rounds 2 -config outname=state/current.json");
    for number in 1..=2 {
        let finished = run_dropin("fastchess", dir.path(), &line);
        assert_eq!(finished.code, Some(0), "{}", finished.stderr);
        assert_eq!(runs(&state.join("results")).len(), number);
    }
    assert!(!dir.path().join("results").exists());
    let resumed = run_dropin("fastchess", dir.path(), "-config file=state/current.json");
    assert_eq!(resumed.code, Some(0), "{}", resumed.stderr);
    // `--out` names another folder.
    let elsewhere = format!("{line} --out run");
    assert_eq!(
        run_dropin("fastchess", dir.path(), &elsewhere).code,
        Some(0)
    );
    assert!(dir.path().join("run/run.toml").is_file());
    let here = line.replace("state/current.json", "current.json");
    assert_eq!(run_dropin("fastchess", dir.path(), &here).code, Some(0));
    assert_eq!(runs(&dir.path().join("results")).len(), 1);
    assert_eq!(runs(&state.join("results")).len(), 2);
}

/// A kill before they are written then leaves no run that lacks them.
#[test]
fn what_a_resumed_run_needs_is_written_before_there_is_a_run() {
    let dir = tempfile::tempdir().expect("a folder");
    let [blocked, run] = ["blocked", "run"].map(|name| dir.path().join(name));
    fs::write(&blocked, "not a folder").expect("written");
    fs::write(dir.path().join("old.pgn"), "old games").expect("written");
    let line = format!(
        "{TWO} -rounds 2 --out run -config outname=blocked/c.json \
         -pgnout file=old.pgn append=false"
    );
    let failed = run_dropin("fastchess", dir.path(), &line);
    assert_ne!(failed.code, Some(0), "{}", failed.stdout);
    assert!(
        failed.stderr.contains("blocked/c.json"),
        "{}",
        failed.stderr
    );
    assert!(run.join("command-line.json").is_file());
    assert!(!run.join("run.toml").exists());
    let kept = fs::read_to_string(dir.path().join("old.pgn")).expect("kept");
    assert_eq!(kept, "old games");

    fs::remove_file(&blocked).expect("removed");
    let finished = run_dropin("fastchess", dir.path(), &line);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let games = fs::read_to_string(dir.path().join("old.pgn")).expect("written");
    assert_eq!(games.matches("[Event ").count(), 4, "{games}");
    assert!(!games.contains("old games"));
}

/// A kill between the two files.
#[test]
fn a_run_that_was_killed_before_its_first_game_begins_again() {
    let dir = tempfile::tempdir().expect("a folder");
    let line = format!("{TWO} -rounds 2 --out run -config outname=c.json -pgnout file=all.pgn");
    assert_eq!(run_dropin("fastchess", dir.path(), &line).code, Some(0));
    let run = dir.path().join("run");
    let keep_games_and_command_line = || {
        for entry in fs::read_dir(&run).expect("a folder") {
            let path = entry.expect("an entry").path();
            let kept = ["games.csv", "games.pgn", "command-line.json"];
            if path.is_dir() {
                fs::remove_dir_all(path).expect("removed");
            } else if !kept.iter().any(|name| path.ends_with(name)) {
                fs::remove_file(path).expect("removed");
            }
        }
    };
    keep_games_and_command_line();
    for name in ["games.csv", "games.pgn"] {
        fs::write(run.join(name), "").expect("emptied");
    }
    fs::remove_file(dir.path().join("all.pgn")).expect("removed");
    let again = run_dropin("fastchess", dir.path(), "-config file=c.json");
    assert_eq!(again.code, Some(0), "{}", again.stderr);
    assert!(again.stderr.contains("begins again"), "{}", again.stderr);
    assert!(run.join("run.toml").is_file());
    let games = fs::read_to_string(dir.path().join("all.pgn")).expect("written");
    assert_eq!(games.matches("[Event ").count(), 4, "{games}");
    // Games without a manifest are never replaced.
    keep_games_and_command_line();
    let rows = fs::read_to_string(run.join("games.csv")).expect("rows");
    let damaged = run_dropin("fastchess", dir.path(), "-config file=c.json");
    assert_ne!(damaged.code, Some(0));
    assert!(damaged.stderr.contains("games.csv"), "{}", damaged.stderr);
    assert_eq!(fs::read_to_string(run.join("games.csv")).ok(), Some(rows));
}

/// cutechess-cli writes a FEN, fastchess an EPD with the counters as operations.
#[test]
fn final_positions_are_written_as_by_each_program() {
    let dir = tempfile::tempdir().expect("a folder");
    for program in ["fastchess", "cutechess-cli"] {
        let line = format!("{TWO} -rounds 1 -epdout {program}.epd --out {program}");
        let finished = run_dropin(program, dir.path(), &line);
        assert_eq!(finished.code, Some(0), "{}", finished.stderr);
        let read = |name: &str| fs::read_to_string(dir.path().join(name)).expect(name);
        let own = read(&format!("{program}/games.epd"));
        let written = read(&format!("{program}.epd"));
        if program == "fastchess" {
            assert_eq!(written, own);
            continue;
        }
        assert_eq!(written.lines().count(), 2, "{written}");
        for (fen, epd) in written.lines().zip(own.lines()) {
            let fields: Vec<&str> = fen.split(' ').collect();
            let [.., halfmoves, moves] = fields[..] else {
                panic!("{fen}");
            };
            let position = fields[..4].join(" ");
            assert_eq!(epd, format!("{position} hmvc {halfmoves}; fmvn {moves};"));
        }
    }
}

/// fastchess exits with 1 after an interrupt, cutechess-cli with 0.
#[cfg(unix)]
#[test]
fn an_interrupted_match_exits_with_the_code_of_the_program() {
    for (program, code) in [("fastchess", 1), ("cutechess-cli", 0)] {
        let dir = tempfile::tempdir().expect("a folder");
        let line = format!("{TWO} -rounds 100000 --out run");
        let mut command = dropin_command(program, dir.path(), &line);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = Running::start(&mut command);
        let run = dir.path().join("run");
        common::wait_until("a game", || common::rows(&run) > 0);
        common::signal(&child, libc::SIGINT);
        let status = child.wait().expect("it ends");
        assert_eq!(status.code(), Some(code), "{program}");
    }
}
