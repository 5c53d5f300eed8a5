//! Runs on a fleet, with a real nats-server and real workers on this machine.
//! Without a nats-server the tests are skipped.

#![cfg(unix)]

mod attacks;
#[path = "../common/mod.rs"]
mod common;
#[cfg(feature = "serve")]
mod pages;
mod server;

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use common::{Setup, engines, finish, on_run, rows, scripted, signal, wait_until};
use server::Fleet;

/// Two engines that move at random: short games, the same on every machine.
fn fast_match(pairs: usize, more: &str) -> Setup {
    let cmd = |seed: u32| format!("{} --seed {seed}", scripted());
    let players = engines(("one", &cmd(1), more), ("two", &cmd(2), more));
    Setup::new(&format!(
        "{players}[match]\nlimit = \"nodes=1\"\npairs = {pairs}\nconcurrency = 2\n\
         openings = {{ file = \"books/quick.epd\" }}\n[adjudication]\nmax_moves = 20\n\
         [pgn]\nepd = true\n"
    ))
}

fn digest(run: &Path) -> String {
    let verified = on_run("verify", run);
    assert_eq!(verified.code, Some(0), "{}", verified.stdout);
    verified.last_line()
}

/// The digest of the same games on this machine alone.
fn local_digest(setup: &Setup) -> String {
    let local = setup.play("match", "local", &[]);
    assert_eq!(local.code, Some(0), "{}", local.stderr);
    digest(&setup.run("local"))
}

#[test]
fn three_workers_play_the_games_of_one_machine() {
    let Some(fleet) = Fleet::start() else { return };
    let setup = fast_match(60, "");
    let workers = ["a", "b", "c"].map(|name| fleet.worker(name, &[]));
    let played = finish(fleet.command(&setup, "match", "fleet"));
    assert_eq!(played.code, Some(0), "{}", played.stderr);
    assert_eq!(digest(&setup.run("fleet")), local_digest(&setup));
    // The ledger's numbers of workers are explained.
    let known = fs::read_to_string(setup.run("fleet").join("workers.csv")).expect("the workers");
    assert!(known.lines().count() >= 2, "{known}");
    // Engines came over the server: each worker has its own copy.
    drop(workers);
    let status = fleet.hone(&["fleet", "status", "--json"]);
    let status = finish(status).json();
    assert_eq!(status["runs"].as_array().map(Vec::len), Some(0), "{status}");
}

#[test]
fn nothing_is_lost_or_doubled_when_workers_runner_and_server_are_killed() {
    let Some(mut fleet) = Fleet::start() else {
        return;
    };
    let setup = fast_match(400, "");
    let run = setup.run("fleet");
    let mut doomed = fleet.worker("doomed", &["--cores", "1"]);
    let _steady = fleet.worker("steady", &["--cores", "1"]);
    let mut runner = fleet.command(&setup, "match", "fleet");
    runner.stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = runner.spawn().expect("hone starts");
    wait_until("games", || rows(&run) > 20);
    doomed.kill();
    let before = rows(&run);
    wait_until("games after a worker's end", || rows(&run) > before + 20);
    fleet.kill_server();
    let before = rows(&run);
    wait_until("games after the server's end", || rows(&run) > before + 20);
    child.kill().expect("killed");
    child.wait().expect("waited for");
    let _fresh = fleet.worker("fresh", &["--cores", "1"]);
    let resumed = finish(fleet.hone(&["resume", &run.display().to_string()]));
    assert_eq!(resumed.code, Some(0), "{}", resumed.stderr);
    assert_eq!(rows(&run), 800);
    assert_eq!(digest(&run), local_digest(&setup));
}

#[test]
fn an_interrupted_run_finishes_its_pairs_and_is_resumed_here_or_there() {
    let Some(fleet) = Fleet::start() else { return };
    let setup = fast_match(300, "");
    let run = setup.run("fleet");
    let _worker = fleet.worker("a", &["--cores", "2"]);
    let mut runner = fleet.command(&setup, "match", "fleet");
    runner.stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = runner.spawn().expect("hone starts");
    wait_until("games", || rows(&run) > 20);
    signal(&child, libc::SIGINT);
    let status = child.wait().expect("waited for");
    assert_eq!(status.code(), Some(130));
    let finished = rows(&run);
    let mut local = common::hone();
    local.arg("resume").arg(&run).arg("--local");
    let resumed = finish(local);
    assert_eq!(resumed.code, Some(0), "{}", resumed.stderr);
    assert!((20..600).contains(&finished), "{finished}");
    assert_eq!(digest(&run), local_digest(&setup));
}

#[test]
fn two_tests_share_the_workers_and_a_worker_that_leaves_finishes_its_pairs() {
    let Some(fleet) = Fleet::start() else { return };
    let setup = fast_match(80, "");
    let mut worker = fleet.worker("a", &["--cores", "2"]);
    let second = fleet.worker("b", &["--cores", "1"]);
    let spawn = |name: &str, priority: &str| {
        let mut command = fleet.command(&setup, "match", name);
        command.args(["--priority", priority]);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().expect("hone starts")
    };
    let (mut one, mut two) = (spawn("one", "300"), spawn("two", "100"));
    wait_until("games of both", || {
        rows(&setup.run("one")) > 4 && rows(&setup.run("two")) > 4
    });
    worker.interrupt();
    assert_eq!(worker.wait(), Some(0), "it leaves in order");
    for child in [&mut one, &mut two] {
        assert_eq!(child.wait().expect("waited for").code(), Some(0));
    }
    let expected = local_digest(&setup);
    assert_eq!(digest(&setup.run("one")), expected);
    assert_eq!(digest(&setup.run("two")), expected);
    drop(second);
}

#[test]
fn an_engine_that_cannot_run_on_a_worker_costs_no_game() {
    let Some(fleet) = Fleet::start() else { return };
    // It plays where its owner has prepared it, and dies elsewhere.
    let marked = tempfile::tempdir().expect("a folder");
    let mark = marked.path().join("here");
    fs::write(&mark, "").expect("written");
    let engine = marked.path().join("engine.sh");
    let script = format!(
        "#!/bin/sh\n[ -e '{}' ] || kill -ILL $$\nexec '{}' \"$@\"\n",
        mark.display(),
        scripted()
    );
    fs::write(&engine, script).expect("written");
    let mut mode = fs::metadata(&engine).expect("there").permissions();
    std::os::unix::fs::PermissionsExt::set_mode(&mut mode, 0o755);
    fs::set_permissions(&engine, mode).expect("executable");
    let cmd = |seed: u32| format!("{} --seed {seed}", engine.display());
    let setup = Setup::new(&format!(
        "{}[match]\nlimit = \"nodes=1\"\npairs = 4\nopenings = {{ file = \"books/quick.epd\" }}\n\
         [adjudication]\nmax_moves = 20\n",
        engines(("one", &cmd(1), ""), ("two", &cmd(2), ""))
    ));
    let log = setup.dir.path().join("log");
    let mut runner = fleet.command(&setup, "match", "fleet");
    runner.stdout(Stdio::null());
    runner.stderr(fs::File::create(&log).expect("a file"));
    let mut child = runner.spawn().expect("hone starts");
    wait_until("the run", || setup.run("fleet").join("run.toml").exists());
    fs::remove_file(&mark).expect("removed");
    let _bad = fleet.worker("bad", &["--cores", "1"]);
    wait_until("the refusal", || {
        fs::read_to_string(&log).is_ok_and(|text| text.contains("does not play this run"))
    });
    assert_eq!(rows(&setup.run("fleet")), 0);
    fs::write(&mark, "").expect("written");
    let _good = fleet.worker("good", &["--cores", "1"]);
    assert_eq!(child.wait().expect("waited for").code(), Some(0));
    let games = fs::read_to_string(setup.run("fleet").join("games.csv")).expect("the games");
    assert!(!games.contains("disconnect"), "{games}");
    std::thread::sleep(Duration::ZERO);
}
