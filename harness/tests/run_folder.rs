//! What happens to a run's folder: files that are missing, cut or edited, two
//! processes that want it, and a folder that is deleted while it is played.

#![cfg(unix)]

mod common;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use common::{
    Setup, digest, engines, finish, hone, on_run, resume, rows, script, scripted, signal,
    wait_until,
};

/// A match of this many pairs between engines that move at once.
fn instant(pairs: usize) -> Setup {
    let cmd = |seed: u32| format!("{} --seed {seed}", scripted());
    let players = engines(("one", &cmd(1), ""), ("two", &cmd(2), ""));
    Setup::new(&format!(
        "{players}[match]\nlimit = \"nodes=1\"\npairs = {pairs}\nconcurrency = 2\n\
         openings = {{ file = \"books/quick.epd\" }}\n[adjudication]\nmax_moves = 20\n"
    ))
}

/// A finished run and the digest of its games.
fn played(pairs: usize) -> (Setup, PathBuf, String) {
    let setup = instant(pairs);
    let finished = setup.play("match", "run", &[]);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let run = setup.run("run");
    let digest = digest(&run);
    (setup, run, digest)
}

fn files(run: &Path) -> [Option<Vec<u8>>; 2] {
    ["games.csv", "games.pgn"].map(|name| fs::read(run.join(name)).ok())
}

/// The start of the games of the pair that came as the last.
fn last_pair(run: &Path) -> (usize, usize) {
    let csv = fs::read_to_string(run.join("games.csv")).expect("there");
    let lines: Vec<&str> = csv.lines().collect();
    let row = lines[lines.len() - 2];
    let offset = row.split(',').nth(12).expect("a column").parse();
    let before: usize = lines[..lines.len() - 2].iter().map(|l| l.len() + 1).sum();
    (before, offset.expect("a number"))
}

#[test]
fn a_run_under_nohup_outlives_its_terminal() {
    let setup = instant(300);
    let run = setup.run("run");
    let whole = setup.command("match", "run", &[]);
    let mut ignoring = Command::new("sh");
    ignoring
        .args(["-c", "trap '' HUP; exec \"$0\" \"$@\""])
        .arg(whole.get_program())
        .args(whole.get_args())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    if let Some(folder) = whole.get_current_dir() {
        ignoring.current_dir(folder);
    }
    let mut child = ignoring.spawn().expect("sh starts");
    wait_until("the first pair", || rows(&run) >= 2);
    signal(&child, libc::SIGHUP);
    assert_eq!(child.wait().expect("it ends").code(), Some(0));
    assert_eq!(rows(&run), 600);
}

#[test]
fn a_taken_folder_is_refused_before_anything_is_built() {
    let (setup, run, digest_before) = played(2);
    let built = setup.dir.path().join("built");
    let build = format!("engine.one.build=touch {}", built.display());
    let taken = setup.play("match", "run", &["--set", &build]);
    assert_eq!(taken.code, Some(2), "{}", taken.stderr);
    assert!(
        taken.stderr.contains("contains a run already"),
        "{}",
        taken.stderr
    );
    assert!(!built.exists());
    assert_eq!(digest(&run), digest_before);
}

#[test]
fn more_than_a_kill_can_have_torn_is_never_removed() {
    let (_setup, run, expected) = played(12);
    let [csv, pgn] = files(&run).map(|bytes| bytes.expect("there"));
    let csv_path = run.join("games.csv");
    let pgn_path = run.join("games.pgn");
    let header = csv.iter().position(|byte| *byte == b'\n').expect("lines") + 1;
    type Damage<'a> = (&'a str, &'a str, Box<dyn Fn() + 'a>);
    let damages: [Damage<'_>; 6] = [
        (
            "games.pgn is missing",
            "games.pgn",
            Box::new(|| fs::remove_file(&pgn_path).expect("removed")),
        ),
        (
            "ends before the games of the last 12 pairs",
            "games.pgn",
            Box::new(|| fs::write(&pgn_path, "").expect("written")),
        ),
        (
            "ends before the games of the last ",
            "games.pgn",
            Box::new(|| fs::write(&pgn_path, &pgn[..pgn.len() / 2]).expect("written")),
        ),
        (
            "games.csv is missing",
            "games.csv",
            Box::new(|| fs::remove_file(&csv_path).expect("removed")),
        ),
        (
            "contains 24 games that games.csv does not list",
            "games.csv",
            Box::new(|| fs::write(&csv_path, &csv[..header]).expect("written")),
        ),
        (
            "games that games.csv does not list",
            "games.csv",
            Box::new(|| fs::write(&csv_path, &csv[..csv.len() / 2]).expect("written")),
        ),
    ];
    for (says, name, damage) in damages {
        fs::write(&csv_path, &csv).expect("written");
        fs::write(&pgn_path, &pgn).expect("written");
        damage();
        let before = files(&run);
        let refused = resume(&run, &[]);
        assert_eq!(refused.code, Some(2), "{says}: {}", refused.stderr);
        for part in [says, name, "help: restore", "--replay-missing"] {
            assert!(refused.stderr.contains(part), "{part}: {}", refused.stderr);
        }
        assert_eq!(files(&run), before, "{says}");
        let replayed = resume(&run, &["--replay-missing"]);
        assert_eq!(replayed.code, Some(0), "{says}: {}", replayed.stderr);
        assert_eq!(digest(&run), expected, "{says}");
    }
}

#[test]
fn a_run_is_resumed_with_another_concurrency() {
    let (_setup, run, games) = played(2);
    let resumed = resume(&run, &["--concurrency", "1"]);
    assert_eq!(resumed.code, Some(0), "{}", resumed.stderr);
    let says = "playing 1 pair at a time";
    assert!(resumed.stderr.contains(says), "{}", resumed.stderr);
    let manifest = fs::read_to_string(run.join("run.toml")).expect("there");
    assert_eq!(
        manifest.matches("concurrency = 1\n").count(),
        2,
        "{manifest}"
    );
    assert_eq!(digest(&run), games);
    let refused = resume(&run, &["--concurrency", "2000"]);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    let says = "`--concurrency`: 2000 is out of range";
    assert!(refused.stderr.contains(says), "{}", refused.stderr);
}

#[test]
fn an_edited_concurrency_is_checked_when_a_run_is_resumed() {
    let (_setup, run, expected) = played(2);
    let path = run.join("run.toml");
    let manifest = fs::read_to_string(&path).expect("there");
    let with = |pairs: &str| {
        let edited = manifest.replacen("\nconcurrency = 2\n", pairs, 1);
        assert_ne!(edited, manifest);
        fs::write(&path, edited).expect("written");
        resume(&run, &[])
    };
    for pairs in ["0", "1025", "4294967296"] {
        let refused = with(&format!("\nconcurrency = {pairs}\n"));
        assert_eq!(refused.code, Some(2), "{}", refused.stderr);
        let part = format!("`concurrency`: {pairs} is out of range: 1 to 1024 pairs");
        assert!(refused.stderr.contains(&part), "{}", refused.stderr);
    }
    assert_eq!(with("\nconcurrency = 1\n").code, Some(0));
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
    let mut list = hone();
    list.arg("runs").arg(run.parent().expect("a folder"));
    finish(list);
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

fn spawned(mut command: Command) -> Child {
    command.stdout(Stdio::null()).stderr(Stdio::piped());
    command.spawn().expect("hone starts")
}

#[test]
fn of_three_starts_in_one_folder_one_plays() {
    for round in 0..6 {
        let setup = instant(20);
        let limits = ["nodes=1", "nodes=2", "nodes=3"];
        let starts: Vec<Child> = limits
            .iter()
            .map(|limit| {
                let set = format!("match.limit={limit}");
                spawned(setup.command("match", "run", &["--set", &set]))
            })
            .collect();
        let mut won = Vec::new();
        for (child, limit) in starts.into_iter().zip(limits) {
            let output = child.wait_with_output().expect("it ends");
            let errors = String::from_utf8_lossy(&output.stderr).into_owned();
            match output.status.code() {
                Some(0) => won.push(limit),
                code => {
                    assert_eq!(code, Some(2), "{errors}");
                    let is_named = errors.contains("in use by another hone")
                        || errors.contains("contains a run already");
                    assert!(is_named, "{errors}");
                }
            }
        }
        assert_eq!(won.len(), 1, "round {round}: {won:?}");
        let manifest = fs::read_to_string(setup.run("run").join("run.toml")).expect("there");
        assert!(manifest.contains(&format!("limit = \"{}\"", won[0])));
        digest(&setup.run("run"));
    }
}

/// Engines that start would disturb the games of the process that plays.
#[test]
fn a_run_in_play_is_refused_before_an_engine_starts() {
    let folder = tempfile::tempdir().expect("a folder");
    let starts = folder.path().join("starts");
    let text = format!(
        "#!/bin/sh\necho x >>'{}'\nexec '{}' move=hang\n",
        starts.display(),
        scripted()
    );
    let engine = script(folder.path(), "engine", &text);
    let cmd = engine.display().to_string();
    let players = engines(("one", &cmd, ""), ("two", &cmd, ""));
    let setup = Setup::new(&format!(
        "{players}[match]\nlimit = \"nodes=1\"\npairs = 1\nconcurrency = 1\nstall_ms = 600000\n"
    ));
    let mut child = spawned(setup.command("match", "run", &[]));
    let count = || fs::read_to_string(&starts).map_or(0, |text| text.lines().count());
    // Two for the search before the games, two for the games.
    wait_until("the games", || count() == 4);
    let refused = resume(&setup.run("run"), &[]);
    let started = count();
    child.kill().expect("it runs");
    child.wait().expect("it ends");
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    let part = "in use by another hone";
    assert!(refused.stderr.contains(part), "{}", refused.stderr);
    assert_eq!(started, 4);
}

/// Engines that are started for each game may need seconds for it.
#[test]
fn a_finished_pair_is_recorded_before_engines_start_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let (starts, ready) = (folder.path().join("starts"), folder.path().join("ready"));
    // Processes 1 to 3 are for the search before the games and the first pair.
    let text = format!(
        "#!/bin/sh\necho x >>'{starts}'\n\
         if [ $(wc -l <'{starts}') -gt 3 ]; then until [ -e '{ready}' ] || [ ! -e '{starts}' ]; do sleep 0.05; done; fi\n\
         exec '{engine}'\n",
        starts = starts.display(),
        ready = ready.display(),
        engine = scripted()
    );
    let engine = script(folder.path(), "engine", &text).display().to_string();
    let players = engines(
        ("slow", &engine, "restart = true"),
        ("two", &scripted(), ""),
    );
    let setup = Setup::new(&format!(
        "{players}[match]\nlimit = \"nodes=1\"\npairs = 2\nconcurrency = 1\nstartup_ms = 600000\n\
         openings = {{ file = \"books/quick.epd\" }}\n[adjudication]\nmax_moves = 20\n"
    ));
    let child = spawned(setup.command("match", "run", &[]));
    wait_until("the first pair", || rows(&setup.run("run")) == 2);
    fs::write(&ready, "").expect("written");
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(0));
    digest(&setup.run("run"));
}

#[test]
fn starts_within_one_second_get_folders_of_their_own() {
    let setup = instant(2);
    let book = common::workspace().join("books/quick.epd");
    let set = format!("match.openings.file='{}'", book.display());
    let starts: Vec<Child> = (0..4)
        .map(|_| {
            let mut command = hone();
            command.arg("match").arg(&setup.config);
            command.args(["--set", &set]).current_dir(setup.dir.path());
            spawned(command)
        })
        .collect();
    for child in starts {
        let output = child.wait_with_output().expect("it ends");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{errors}");
    }
    let runs = fs::read_dir(setup.run("results"))
        .expect("a folder")
        .filter(|entry| entry.as_ref().is_ok_and(|entry| entry.path().is_dir()))
        .count();
    assert_eq!(runs, 4);
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
    let setup = instant(100_000);
    let playing = spawned(setup.command("match", "run", &[]));
    let run = setup.run("run");
    wait_until("the first pairs", || rows(&run) >= 4);
    signal(&playing, libc::SIGINT);
    let ended = playing.wait_with_output().expect("it ends");
    assert_eq!(ended.status.code(), Some(130));

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
        let says = "played under other conditions";
        assert!(verified.stdout.contains(says), "{to}: {}", verified.stdout);
    }

    // What has no influence on games may change.
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
fn a_ledger_with_other_line_ends_is_whole() {
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
    let setup = instant(2);
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
    let setup = instant(3);
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

#[test]
fn a_missing_folder_for_temporary_files_costs_nothing() {
    let players = engines(("one", &scripted(), ""), ("two", &scripted(), ""));
    // Enough for the page that its games do not wait in memory.
    let setup = Setup::new(&format!(
        "{players}[match]\nlimit = \"nodes=1\"\npairs = 60\nconcurrency = 2\n\
         openings = {{ file = \"books/quick.epd\" }}\n[adjudication]\nmax_moves = 120\n"
    ));
    let mut command = setup.command("match", "run", &[]);
    command.env("TMPDIR", setup.dir.path().join("missing"));
    let finished = common::finish(command);
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
        let setup = instant(100_000);
        let playing = spawned(setup.command("match", "run", &[]));
        let run = setup.run("run");
        wait_until("the first pairs", || rows(&run) >= 4);
        match what {
            "." => {
                // Files may appear while the folder is being emptied.
                fs::rename(&run, setup.run("gone")).expect("moved");
            }
            name => fs::remove_file(run.join(name)).expect("removed"),
        }
        let ended = playing.wait_with_output().expect("it ends");
        let errors = String::from_utf8_lossy(&ended.stderr).into_owned();
        assert_eq!(ended.status.code(), Some(4), "{what}: {errors}");
        assert!(
            errors.contains("was deleted or replaced while the run was being played"),
            "{what}: {errors}"
        );
        if what != "." {
            assert!(errors.contains("it has been written again"), "{errors}");
            digest(&run);
            let resumed = resume(&run, &["--max-time", "1s"]);
            assert_eq!(resumed.code, Some(3), "{what}: {}", resumed.stderr);
            digest(&run);
        }
    }
}
