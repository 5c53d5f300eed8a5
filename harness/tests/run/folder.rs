//! Run folders: files that are missing, cut or edited, and a folder that is deleted during
//! the run.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use crate::common::running::Running;
use crate::common::{
    Setup, column, digest, engines, finish, hone, on_run, resume, rows, scripted, short_match,
    signal, wait_until,
};
use hone_testing::{listed, snapshots};

/// A finished run and the digest of its games.
fn played(pairs: usize) -> (Setup, PathBuf, String) {
    let setup = short_match(pairs);
    let finished = setup.play("match", "run", &[]);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let run = setup.run("run");
    let digest = digest(&run);
    (setup, run, digest)
}

fn files(run: &Path) -> [Option<Vec<u8>>; 2] {
    ["games.csv", "games.pgn"].map(|name| fs::read(run.join(name)).ok())
}

/// Where the last pair begins: in `games.csv` and in `games.pgn`.
fn last_pair(run: &Path) -> (usize, usize) {
    let csv = fs::read_to_string(run.join("games.csv")).expect("there");
    let row = csv.trim_end().rmatch_indices('\n').nth(1);
    let offsets = column(run, "pgn_offset");
    let offset = offsets[offsets.len() - 2].parse();
    (row.expect("two rows").0 + 1, offset.expect("a number"))
}

fn spawned(mut command: Command) -> Running {
    Running::start(command.stdout(Stdio::null()).stderr(Stdio::piped()))
}

#[test]
fn more_pairs_than_a_kill_can_tear_are_never_removed() {
    let (_setup, run, expected) = played(12);
    let [csv, pgn] = files(&run).map(|bytes| bytes.expect("there"));
    let csv_path = run.join("games.csv");
    let pgn_path = run.join("games.pgn");
    let header = csv.iter().position(|byte| *byte == b'\n').expect("lines") + 1;
    type Damage<'a> = (&'a str, Box<dyn Fn() + 'a>);
    let damages: [Damage<'_>; 6] = [
        (
            "no games.pgn",
            Box::new(|| fs::remove_file(&pgn_path).expect("removed")),
        ),
        (
            "an empty games.pgn",
            Box::new(|| fs::write(&pgn_path, "").expect("written")),
        ),
        (
            "half of games.pgn",
            Box::new(|| fs::write(&pgn_path, &pgn[..pgn.len() / 2]).expect("written")),
        ),
        (
            "no games.csv",
            Box::new(|| fs::remove_file(&csv_path).expect("removed")),
        ),
        (
            "no game in games.csv",
            Box::new(|| fs::write(&csv_path, &csv[..header]).expect("written")),
        ),
        (
            "half of games.csv",
            Box::new(|| fs::write(&csv_path, &csv[..csv.len() / 2]).expect("written")),
        ),
    ];
    let mut shown = Vec::new();
    for (message, damage) in damages {
        fs::write(&csv_path, &csv).expect("written");
        fs::write(&pgn_path, &pgn).expect("written");
        damage();
        let before = files(&run);
        let refused = resume(&run, &[]);
        assert_eq!(refused.code, Some(2), "{message}: {}", refused.stderr);
        shown.push((message, refused.stderr));
        assert_eq!(files(&run), before, "{message}");
        let replayed = resume(&run, &["--replay-missing"]);
        assert_eq!(replayed.code, Some(0), "{message}: {}", replayed.stderr);
        assert_eq!(digest(&run), expected, "{message}");
    }
    // Pairs are stored in the order in which they end.
    let counts = (r"(last|contains) \d+ ", "$1 N ");
    snapshots(&[counts]).bind(|| insta::assert_snapshot!("folder-damaged", listed(shown)));
}

#[test]
fn a_run_is_resumed_with_another_concurrency() {
    let (_setup, run, games) = played(2);
    let resumed = resume(&run, &["--concurrency", "1"]);
    assert_eq!(resumed.code, Some(0), "{}", resumed.stderr);
    let message = "has ended; nothing to play";
    assert!(resumed.stderr.contains(message), "{}", resumed.stderr);
    let manifest = fs::read_to_string(run.join("run.toml")).expect("there");
    assert_eq!(
        manifest.matches("concurrency = 1\n").count(),
        2,
        "{manifest}"
    );
    assert_eq!(digest(&run), games);
    let refused = resume(&run, &["--concurrency", "2000"]);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    let message = "`--concurrency`: 2000 is out of range";
    assert!(refused.stderr.contains(message), "{}", refused.stderr);
}

#[test]
fn a_wrong_edit_of_the_manifest_has_its_place() {
    let (_setup, run, expected) = played(2);
    let path = run.join("run.toml");
    let manifest = fs::read_to_string(&path).expect("there");
    let shown = [
        ("max_failures = 0.1", "max_failures = 5"),
        ("max_failures = 0.1", "max_failure = 0.1"),
        ("max_failures = 0.1", "max_failures = \"5\""),
        ("\nconcurrency = 2\n", "\nconcurrency = 0\n"),
        ("\nconcurrency = 2\n", "\nconcurrency = 1025\n"),
        ("\nconcurrency = 2\n", "\nconcurrency = 4294967296\n"),
    ]
    .map(|(from, edited)| {
        fs::write(&path, manifest.replacen(from, edited, 1)).expect("written");
        let refused = resume(&run, &[]);
        assert_eq!(refused.code, Some(2), "{edited}: {}", refused.stderr);
        (edited.trim(), refused.stderr)
    });
    // The manifest has more lines when hone has more settings.
    let lines = [
        (r"run\.toml:\d+:", "run.toml:N:"),
        (r"(?m)^  \d+ \|", "  N |"),
    ];
    snapshots(&lines).bind(|| insta::assert_snapshot!("folder-edited", listed(shown)));
    let edited = manifest.replacen("\nconcurrency = 2\n", "\nconcurrency = 1\n", 1);
    fs::write(&path, edited).expect("written");
    assert_eq!(resume(&run, &[]).code, Some(0));
    assert_eq!(digest(&run), expected);
}

/// Reading a pipe would wait for a writer.
#[test]
fn a_pipe_in_place_of_a_manifest_is_refused() {
    let (_setup, run, _) = played(1);
    let path = run.join("run.toml");
    fs::remove_file(&path).expect("removed");
    let made = Command::new("mkfifo").arg(&path).status();
    assert!(made.expect("mkfifo starts").success());
    let refused = resume(&run, &[]);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    assert!(
        refused.stderr.contains("not a regular file"),
        "{}",
        refused.stderr
    );
    let list = on_run("runs", run.parent().expect("a folder"));
    assert_eq!(list.code, Some(0), "{}", list.stderr);
    assert!(
        list.stdout.contains("not a regular file"),
        "{}",
        list.stdout
    );
}

#[test]
fn a_pipe_in_place_of_a_ledger_is_refused() {
    let (_setup, run, _) = played(1);
    let path = run.join("games.csv");
    fs::remove_file(&path).expect("removed");
    let made = Command::new("mkfifo").arg(&path).status();
    assert!(made.expect("mkfifo starts").success());
    let list = on_run("runs", run.parent().expect("a folder"));
    assert_eq!(list.code, Some(0), "{}", list.stderr);
    for part in ["damaged: ", "games.csv", "not a regular file"] {
        assert!(list.stdout.contains(part), "{part}: {}", list.stdout);
    }
    for command in ["report", "resume"] {
        let refused = on_run(command, &run);
        assert_eq!(refused.code, Some(2), "{command}: {}", refused.stderr);
        let reason = "not a regular file";
        assert!(refused.stderr.contains(reason), "{}", refused.stderr);
    }
}

#[test]
fn the_list_of_runs_distinguishes_a_running_run_from_a_killed_one() {
    let (_setup, run, _) = played(2);
    let state = || {
        let mut list = hone();
        list.args(["runs", "--json"]);
        list.arg(run.parent().expect("a folder"));
        finish(list).json()["runs"][0]["state"].clone()
    };
    assert_eq!(state(), "finished");
    let csv = fs::read(run.join("games.csv")).expect("there");
    let (rows_at, _) = last_pair(&run);
    fs::write(run.join("games.csv"), &csv[..rows_at]).expect("written");
    assert_eq!(state(), "unfinished");
    // As a process that plays the run.
    let ledger = fs::File::options().append(true).open(run.join("games.csv"));
    let ledger = ledger.expect("a ledger");
    ledger.lock().expect("free");
    assert_eq!(state(), "running");
    drop(ledger);
    assert_eq!(state(), "unfinished");
}

#[test]
fn the_last_pair_may_be_torn_at_any_byte() {
    let (_setup, run, expected) = played(3);
    let (rows_at, games_at) = last_pair(&run);
    let whole = files(&run).map(|bytes| bytes.expect("there"));
    let cuts = |from: usize, len: usize| {
        let step = ((len - from) / 7).max(1);
        (from..len).step_by(step).chain([len - 1])
    };
    let csv = cuts(rows_at, whole[0].len()).map(|at| ("games.csv", 0, at));
    let pgn = cuts(games_at, whole[1].len()).map(|at| ("games.pgn", 1, at));
    for (name, file, at) in csv.chain(pgn) {
        for (name, bytes) in ["games.csv", "games.pgn"].into_iter().zip(&whole) {
            fs::write(run.join(name), bytes).expect("written");
        }
        fs::write(run.join(name), &whole[file][..at]).expect("written");
        let resumed = resume(&run, &[]);
        assert_eq!(resumed.code, Some(0), "{name} at {at}: {}", resumed.stderr);
        assert_eq!(digest(&run), expected, "{name} at {at}");
    }
}

#[test]
fn a_folder_with_games_of_unknown_origin_is_left_alone() {
    let (setup, run, _) = played(2);
    fs::remove_file(run.join("run.toml")).expect("removed");
    let before = files(&run);
    let refused = setup.play("match", "run", &[]);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    assert!(
        refused.stderr.contains("contains games, but"),
        "{}",
        refused.stderr
    );
    assert_eq!(files(&run), before);
}

#[test]
fn pairs_under_other_conditions_are_refused() {
    let setup = short_match(100_000);
    let playing = spawned(setup.command("match", "run", &[]));
    let run = setup.run("run");
    wait_until("the first pairs", || rows(&run) >= 4);
    signal(&playing, libc::SIGINT);
    let ended = playing.finish();
    assert_eq!(ended.code, Some(130), "{}", ended.stderr);

    let path = run.join("run.toml");
    let manifest = fs::read_to_string(&path).expect("there");
    let games = files(&run);
    for (from, to) in [
        ("limit = \"nodes=1\"", "limit = \"nodes=2\""),
        ("max_moves = 20", "max_moves = 30"),
        ("pairs = 100000", "pairs = 3"),
    ] {
        assert!(manifest.contains(from), "{from} in {manifest}");
        fs::write(&path, manifest.replace(from, to)).expect("written");
        let refused = resume(&run, &[]);
        assert_eq!(refused.code, Some(2), "{to}: {}", refused.stderr);
        for part in ["run.toml has changed since pair", "help: restore"] {
            assert!(refused.stderr.contains(part), "{part}: {}", refused.stderr);
        }
        assert_eq!(files(&run), games, "{to}");
        let verified = on_run("verify", &run);
        assert_eq!(verified.code, Some(1), "{to}: {}", verified.stdout);
        let message = "played under other conditions";
        assert!(
            verified.stdout.contains(message),
            "{to}: {}",
            verified.stdout
        );
        let reported = on_run("report", &run);
        assert_eq!(reported.code, Some(0), "{to}: {}", reported.stderr);
        assert!(
            reported.stderr.contains(message),
            "{to}: {}",
            reported.stderr
        );
    }

    // Settings that do not affect the games may change.
    let free = manifest.replace("max_failures = 0.1", "max_failures = 0.5");
    assert_ne!(free, manifest);
    fs::write(&path, free).expect("written");
    digest(&run);

    // Rows of earlier versions do not name their conditions.
    let csv = fs::read_to_string(run.join("games.csv")).expect("there");
    let old: String = csv
        .lines()
        .map(|line| line.rsplitn(4, ',').last().expect("columns").to_owned() + "\n")
        .collect();
    fs::write(run.join("games.csv"), old).expect("written");
    digest(&run);
    let before = rows(&run);
    let resumed = resume(&run, &["--max-time", "1s"]);
    assert_eq!(resumed.code, Some(3), "{}", resumed.stderr);
    assert!(rows(&run) > before);
    digest(&run);
}

#[test]
fn a_ledger_with_crlf_line_ends_is_complete() {
    let (_setup, run, expected) = played(3);
    let csv = fs::read_to_string(run.join("games.csv")).expect("there");
    fs::write(run.join("games.csv"), csv.replace('\n', "\r\n")).expect("written");
    assert_eq!(digest(&run), expected);
    let resumed = resume(&run, &[]);
    assert_eq!(resumed.code, Some(0), "{}", resumed.stderr);
    assert_eq!(rows(&run), 6);
    assert_eq!(digest(&run), expected);
}

/// Linux allows any bytes in a path.
#[cfg(target_os = "linux")]
#[test]
fn a_folder_need_not_have_a_name_in_utf_8() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let setup = short_match(2);
    let run = setup.dir.path().join(OsStr::from_bytes(b"run-\xff"));
    let mut command = hone();
    command.arg("match").arg(&setup.config);
    command.arg("--out").arg(&run);
    let finished = finish(command);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    digest(&run);
    assert_eq!(on_run("report", &run).code, Some(0));
}

#[test]
fn names_with_quotes_and_backslashes_verify() {
    let [one, two] = [1, 2].map(|seed| format!("{} --seed {seed}", scripted()));
    let setup = Setup::new(&format!(
        "[[engine]]\nname = 'a\\\\\"b'\ncmd = '{one}'\n\
         [[engine]]\nname = '\\\"'\ncmd = '{two}'\n\
         [match]\nlimit = \"nodes=1\"\npairs = 2\nopenings = {{ file = \"books/quick.epd\" }}\n\
         [adjudication]\nmax_moves = 20\n"
    ));
    let finished = setup.play("match", "run", &[]);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    digest(&setup.run("run"));
}

#[test]
fn final_positions_that_are_missing_are_written_again() {
    let setup = short_match(3);
    let config = fs::read_to_string(&setup.config).expect("there");
    fs::write(&setup.config, config + "[pgn]\nepd = true\n").expect("written");
    let finished = setup.play("match", "run", &[]);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let run = setup.run("run");
    let path = run.join("games.epd");
    let whole = fs::read_to_string(&path).expect("there");
    assert_eq!(whole.lines().count(), 6);
    let second_line = whole.find('\n').expect("lines") + 1;
    for kept in [None, Some(0), Some(second_line), Some(whole.len() - 1)] {
        match kept {
            Some(bytes) => fs::write(&path, &whole[..bytes]).expect("written"),
            None => fs::remove_file(&path).expect("removed"),
        }
        let resumed = resume(&run, &[]);
        assert_eq!(resumed.code, Some(0), "{}", resumed.stderr);
        assert!(
            resumed.stderr.contains("written again"),
            "{}",
            resumed.stderr
        );
        let now = fs::read_to_string(&path).expect("written again");
        assert_eq!(now, whole, "{kept:?}");
    }
    let resumed = resume(&run, &[]);
    assert!(
        !resumed.stderr.contains("written again"),
        "{}",
        resumed.stderr
    );
}

/// A process that is killed while it replaces a file leaves the new one.
#[test]
fn a_resumed_run_removes_old_files_that_a_killed_process_was_writing() {
    let (_setup, run, _) = played(1);
    let [old, new] = [".hone-abc123.tmp", ".hone-abc124.tmp"].map(|name| run.join(name));
    for file in [&old, &new] {
        fs::write(file, "half a repo").expect("written");
    }
    let file = fs::File::options().append(true).open(&old).expect("there");
    let long_ago = SystemTime::now() - Duration::from_secs(2 * 60 * 60);
    file.set_modified(long_ago).expect("set");
    let resumed = resume(&run, &[]);
    assert_eq!(resumed.code, Some(0), "{}", resumed.stderr);
    assert!(!old.exists());
    assert!(new.exists(), "`hone report` may be writing it");
}

#[test]
fn a_missing_folder_for_temporary_files_is_not_an_error() {
    let players = engines(("one", &scripted(), ""), ("two", &scripted(), ""));
    // More games than the writer of the page keeps in memory.
    let setup = Setup::new(&format!(
        "{players}[match]\nlimit = \"nodes=1\"\npairs = 60\nconcurrency = 2\n\
         openings = {{ file = \"books/quick.epd\" }}\n[adjudication]\nmax_moves = 120\n"
    ));
    let mut command = setup.command("match", "run", &[]);
    command.env("TMPDIR", setup.dir.path().join("missing"));
    let finished = finish(command);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let page = fs::read_to_string(setup.run("run").join("report.html")).expect("written");
    let games = page.split("id=\"games-data\">").nth(1).expect("games");
    assert!(games.len() > 1 << 16, "all of it was in memory");
}

#[test]
fn a_manifest_with_unequal_lists_of_engines_is_refused() {
    let (_setup, run, _) = played(1);
    let path = run.join("run.toml");
    let manifest = fs::read_to_string(&path).expect("there");
    let at = manifest.rfind("[[config.engine]]").expect("engines");
    let end = manifest[at..].find("\n[config.match]").expect("a section") + at;
    fs::write(&path, format!("{}{}", &manifest[..at], &manifest[end..])).expect("written");
    for command in ["report", "verify", "resume"] {
        let refused = on_run(command, &run);
        assert_eq!(refused.code, Some(2), "{command}: {}", refused.stderr);
        assert!(
            refused.stderr.contains("do not list the same engines"),
            "{command}: {}",
            refused.stderr
        );
    }
}

#[test]
fn a_folder_deleted_while_playing_ends_the_run() {
    for what in ["games.pgn", "games.csv", "."] {
        let setup = short_match(100_000);
        let playing = spawned(setup.command("match", "run", &[]));
        let run = setup.run("run");
        wait_until("the first pairs", || rows(&run) >= 4);
        match what {
            "." => {
                // `remove_dir_all` would fail: files appear while it empties the folder.
                fs::rename(&run, setup.run("gone")).expect("moved");
            }
            name => fs::remove_file(run.join(name)).expect("removed"),
        }
        let ended = playing.finish();
        let errors = ended.stderr;
        assert_eq!(ended.code, Some(4), "{what}: {errors}");
        assert!(
            errors.contains("was deleted or replaced while the run was being played"),
            "{what}: {errors}"
        );
        let is_saved = errors.contains("all finished games are saved");
        assert_eq!(is_saved, what != ".", "{errors}");
        if what == "." {
            let help = "if it was deleted, its games are lost: start a new run";
            assert!(errors.contains(help), "{errors}");
        } else {
            assert!(errors.contains("it has been written again"), "{errors}");
            digest(&run);
            let resumed = resume(&run, &["--max-time", "1s"]);
            assert_eq!(resumed.code, Some(3), "{what}: {}", resumed.stderr);
            digest(&run);
        }
    }
}
