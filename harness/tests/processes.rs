//! No engine outlives `hone`, however it ends.
#![cfg(target_os = "linux")]

mod common;

use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStderr, ExitStatus, Stdio};
use std::thread;
use std::time::Duration;

use common::{Setup, engines, on_run, processes_with, rows, scripted, signal, wait_until};

/// Lets both workers play one pair and the first game of the next, which never ends. Four
/// rows are written.
const HANG_IN_SECOND_PAIR: &str = "ucinewgame:4=hang";

/// Engines whose names differ from those of other tests. None of them stalls.
fn setup(mark: &str, more: &str, pairs: u64) -> Setup {
    let cmd = |name: &str| format!("{} --name {mark}-{name} {more}", scripted());
    let players = engines(("a", &cmd("a"), ""), ("b", &cmd("b"), ""));
    Setup::new(&format!(
        "{players}[match]\nlimit = \"nodes=10\"\nconcurrency = 2\npairs = {pairs}\nstall_ms = 600000\nopenings = {{ file = \"books/quick.epd\" }}\n"
    ))
}

fn start(setup: &Setup) -> Child {
    start_with(setup, Stdio::null())
}

fn start_with(setup: &Setup, stderr: Stdio) -> Child {
    let mut command = setup.command("match", "run", &[]);
    let child = command.stderr(stderr).spawn().expect("hone starts");
    wait_until("the first games", || rows(&setup.run("run")) >= 4);
    child
}

/// The end of `hone` while its engines hang.
fn ended(child: &mut Child) -> ExitStatus {
    let mut status = None;
    wait_until("the end of hone", || {
        status = child.try_wait().expect("waits");
        status.is_some()
    });
    status.expect("it has ended")
}

/// Waits until `hone` has understood an interrupt. Two signals in a row may count as one.
fn finishing(stderr: &mut BufReader<ChildStderr>) {
    let says = "finishing the games in progress";
    let is_found = stderr
        .lines()
        .any(|line| line.is_ok_and(|line| line.contains(says)));
    assert!(is_found, "it ended");
}

fn none_left(mark: &str) {
    wait_until("the end of all engines", || processes_with(mark).is_empty());
}

#[test]
fn none_is_left_after_a_normal_end() {
    let setup = setup("normal-end", "", 5);
    let finished = setup.play("match", "run", &["--json"]);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    assert_eq!(finished.json()["pairs"], 5);
    none_left("normal-end");
}

#[test]
fn none_is_left_after_an_interrupt_and_the_run_can_be_resumed() {
    let setup = setup("one-interrupt", "go=late:1", 24);
    let mut child = start(&setup);
    signal(&child, libc::SIGINT);
    let status = child.wait().expect("waits");
    assert_eq!(status.code(), Some(130));
    none_left("one-interrupt");
    let before = rows(&setup.run("run"));
    assert!(before < 48, "it was interrupted");
    let resumed = on_run("resume", &setup.run("run"));
    assert_eq!(resumed.code, Some(0), "{}", resumed.stderr);
    assert_eq!(rows(&setup.run("run")), 48);
    assert_eq!(on_run("verify", &setup.run("run")).code, Some(0));
}

#[test]
fn the_second_interrupt_stops_at_once() {
    let setup = setup("two-interrupts", HANG_IN_SECOND_PAIR, 100_000);
    let mut child = start_with(&setup, Stdio::piped());
    let mut stderr = BufReader::new(child.stderr.take().expect("a pipe"));
    signal(&child, libc::SIGINT);
    finishing(&mut stderr);
    signal(&child, libc::SIGINT);
    assert_eq!(ended(&mut child).code(), Some(130));
    assert_eq!(rows(&setup.run("run")), 4);
    none_left("two-interrupts");
}

#[test]
fn a_termination_signal_stops_at_once() {
    let setup = setup("terminated", HANG_IN_SECOND_PAIR, 100_000);
    let mut child = start(&setup);
    signal(&child, libc::SIGTERM);
    assert_eq!(ended(&mut child).code(), Some(130));
    assert_eq!(rows(&setup.run("run")), 4);
    none_left("terminated");
}

#[test]
fn none_is_left_after_a_kill_even_if_they_never_read() {
    let setup = setup("outright-kill", HANG_IN_SECOND_PAIR, 100_000);
    let mut child = start(&setup);
    signal(&child, libc::SIGKILL);
    child.wait().expect("waits");
    none_left("outright-kill");
}

#[test]
fn children_of_engines_end_after_a_kill_too() {
    // The seconds tell these sleepers from those of other tests.
    let setup = setup("killed-with-children", "ucinewgame=fork:1234", 100_000);
    let mut child = start(&setup);
    wait_until("a child of an engine", || {
        !processes_with("sleep 1234").is_empty()
    });
    signal(&child, libc::SIGKILL);
    child.wait().expect("waits");
    none_left("killed-with-children");
    none_left("sleep 1234");
}

/// What happens to the engines of a worker that panics.
#[test]
fn none_is_left_after_a_panic() {
    use harness::engine::uci::{Client, Launch};
    let launch = Launch {
        program: scripted().into(),
        args: ["--name", "panicked", "ucinewgame=fork:2345", "quit=hang"]
            .map(String::from)
            .to_vec(),
        ..Launch::default()
    };
    let worker = thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .expect("a runtime");
        runtime.block_on(async {
            let mut client = Client::start(&launch, Duration::from_secs(10))
                .await
                .expect("starts");
            let deadline = std::time::Instant::now() + Duration::from_secs(10);
            let sent = client.send(b"ucinewgame\nisready\n", deadline).await;
            sent.expect("sent");
            client.wait_ready(deadline).await.expect("ready");
            panic!("as a defect would");
        })
    });
    assert!(worker.join().is_err());
    none_left("--name panicked");
    none_left("sleep 2345");
}
