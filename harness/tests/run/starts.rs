//! Starting runs: folders that are taken, several processes in one folder, a terminal that
//! is closed.

use std::fs::{self, File};
use std::os::unix::fs::OpenOptionsExt;
use std::process::{Command, Stdio};

use crate::common::running::Running;
use crate::common::{
    Setup, digest, engines, hone, resume, rows, script, scripted, short_match, signal, wait_until,
    workspace,
};

fn spawned(mut command: Command) -> Running {
    Running::start(command.stdout(Stdio::null()).stderr(Stdio::piped()))
}

#[test]
fn a_run_under_nohup_outlives_its_terminal() {
    let setup = short_match(300);
    let run = setup.run("run");
    let played = setup.command("match", "run", &[]);
    let mut nohup = Command::new("sh");
    nohup
        .args(["-c", "trap '' HUP; exec \"$0\" \"$@\""])
        .arg(played.get_program())
        .args(played.get_args())
        .current_dir(workspace());
    let child = spawned(nohup);
    wait_until("the first pair", || rows(&run) >= 2);
    signal(&child, libc::SIGHUP);
    let ended = child.finish();
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert_eq!(rows(&run), 600);
}

/// The start waits at a pipe in place of `games.epd`, after `run.toml` is written.
#[test]
fn an_interrupt_after_the_start_names_the_run_to_resume() {
    let setup = short_match(10_000);
    let run = setup.run("run");
    fs::create_dir(&run).expect("made");
    let pipe = run.join("games.epd");
    let made = Command::new("mkfifo").arg(&pipe).status();
    assert!(made.expect("mkfifo starts").success());
    let mut child = spawned(setup.command("match", "run", &["--set", "pgn.epd=true"]));
    wait_until("the manifest", || run.join("run.toml").exists());
    signal(&child, libc::SIGINT);
    let mut writer = None;
    wait_until("a reader of the pipe", || {
        let mut options = File::options();
        options.write(true).custom_flags(libc::O_NONBLOCK);
        writer = options.open(&pipe).ok();
        writer.is_some() || child.has_ended()
    });
    // The run makes a file in its place.
    fs::remove_file(&pipe).expect("removed");
    drop(writer);
    let ended = child.finish();
    assert_eq!(ended.code, Some(130), "{}", ended.stderr);
    assert!(ended.stderr.contains("hone resume"), "{}", ended.stderr);
    let wrong = "Run the same command to start again";
    assert!(!ended.stderr.contains(wrong), "{}", ended.stderr);
}

#[test]
fn a_taken_folder_is_refused_before_anything_is_built() {
    let setup = short_match(2);
    let run = setup.run("run");
    let played = setup.play("match", "run", &[]);
    assert_eq!(played.code, Some(0), "{}", played.stderr);
    let before = digest(&run);
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
    assert_eq!(digest(&run), before);
}

#[test]
fn of_three_starts_in_one_folder_one_plays() {
    for round in 0..6 {
        let setup = short_match(20);
        let limits = ["nodes=1", "nodes=2", "nodes=3"];
        let starts = limits.map(|limit| {
            let set = format!("match.limit={limit}");
            spawned(setup.command("match", "run", &["--set", &set]))
        });
        let mut played = Vec::new();
        for (child, limit) in starts.into_iter().zip(limits) {
            let ended = child.finish();
            let errors = ended.stderr;
            if ended.code == Some(0) {
                played.push(limit);
                continue;
            }
            assert_eq!(ended.code, Some(2), "{errors}");
            let is_named = errors.contains("in use by another `hone` process")
                || errors.contains("contains a run already");
            assert!(is_named, "{errors}");
        }
        assert_eq!(played.len(), 1, "round {round}: {played:?}");
        let manifest = fs::read_to_string(setup.run("run").join("run.toml")).expect("there");
        assert!(manifest.contains(&format!("limit = \"{}\"", played[0])));
        digest(&setup.run("run"));
    }
}

/// Engines that start would take processor time from the games of the other process.
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
    let child = spawned(setup.command("match", "run", &[]));
    let count = || fs::read_to_string(&starts).map_or(0, |text| text.lines().count());
    // Two for the search before the games, two for the games.
    wait_until("the games", || count() == 4);
    let refused = resume(&setup.run("run"), &[]);
    let started = count();
    child.kill();
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    let part = "in use by another `hone` process";
    assert!(refused.stderr.contains(part), "{}", refused.stderr);
    assert_eq!(started, 4);
}

/// Engines with `restart = true` may need seconds to start.
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
    let ended = child.finish();
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    digest(&setup.run("run"));
}

#[test]
fn starts_within_one_second_get_folders_of_their_own() {
    let setup = short_match(2);
    let book = workspace().join("books/quick.epd");
    let set = format!("match.openings.file='{}'", book.display());
    let starts: Vec<Running> = (0..4)
        .map(|_| {
            let mut command = hone();
            command.arg("match").arg(&setup.config);
            command.args(["--set", &set]).current_dir(setup.dir.path());
            spawned(command)
        })
        .collect();
    for child in starts {
        let ended = child.finish();
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    }
    let runs = fs::read_dir(setup.run("results"))
        .expect("a folder")
        .filter(|entry| entry.as_ref().is_ok_and(|entry| entry.path().is_dir()))
        .count();
    assert_eq!(runs, 4);
}
