//! No engine outlives `hone`, however it ends.
use std::io::{BufRead, BufReader};
use std::process::{ChildStderr, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::common::running::Running;
use crate::common::{Setup, on_run, player, processes_with, rows, scripted, signal, wait_until};

/// Both workers play one pair and the first game of the next; the second one never begins.
/// Four rows are written.
const HANG_IN_SECOND_PAIR: &str = "ucinewgame:4=hang";

/// A match in which no engine stalls. The engines' command lines contain `mark`, which no
/// other test uses.
fn setup(mark: &str, more: &str, pairs: u64) -> Setup {
    let players = ["a", "b"].map(|name| player(name, &format!("--name {mark}-{name} {more}")));
    let players = players.concat();
    Setup::new(&format!(
        "{players}[match]\nlimit = \"nodes=10\"\nconcurrency = 2\npairs = {pairs}\nstall_ms = 600000\nopenings = {{ file = \"books/quick.epd\" }}\n"
    ))
}

fn start(setup: &Setup) -> Running {
    start_with(setup, Stdio::null())
}

fn start_with(setup: &Setup, stderr: Stdio) -> Running {
    let child = Running::start(setup.command("match", "run", &[]).stderr(stderr));
    wait_until("the first games", || rows(&setup.run("run")) >= 4);
    child
}

/// The exit code of `hone`, which must end although its engines hang.
fn ended(mut child: Running) -> Option<i32> {
    wait_until("the end of hone", || child.has_ended());
    child.finish().code
}

/// Waits until `hone` has received an interrupt: two signals in a row may count as one.
fn wait_for_interrupt(stderr: &mut BufReader<ChildStderr>) {
    let message = "finishing the games in progress";
    let is_found = stderr
        .lines()
        .any(|line| line.is_ok_and(|line| line.contains(message)));
    assert!(is_found, "hone ended without the message");
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
    let child = start(&setup);
    signal(&child, libc::SIGINT);
    assert_eq!(child.finish().code, Some(130));
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
    wait_for_interrupt(&mut stderr);
    signal(&child, libc::SIGINT);
    assert_eq!(ended(child), Some(130));
    assert_eq!(rows(&setup.run("run")), 4);
    none_left("two-interrupts");
}

#[test]
fn a_termination_signal_stops_at_once() {
    let setup = setup("terminated", HANG_IN_SECOND_PAIR, 100_000);
    let child = start(&setup);
    signal(&child, libc::SIGTERM);
    assert_eq!(ended(child), Some(130));
    assert_eq!(rows(&setup.run("run")), 4);
    none_left("terminated");
}

#[test]
fn none_is_left_after_a_kill_even_if_they_never_read() {
    let setup = setup("outright-kill", HANG_IN_SECOND_PAIR, 100_000);
    start(&setup).kill();
    none_left("outright-kill");
}

#[test]
fn children_of_engines_end_after_a_kill() {
    // No other test has a `sleep` of 1234 s.
    let setup = setup("killed-with-children", "ucinewgame=fork:1234", 100_000);
    let child = start(&setup);
    wait_until("a child of an engine", || {
        !processes_with("sleep 1234").is_empty()
    });
    child.kill();
    none_left("killed-with-children");
    none_left("sleep 1234");
}

/// A worker that panics ends its engines.
#[test]
fn none_is_left_after_a_panic() {
    use hone_uci::engine::uci::{Client, Launch};
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
            // Longer than a start takes on a busy machine.
            let limit = Duration::from_secs(120);
            let mut client = Client::start(&launch, limit).await.expect("starts");
            let deadline = Instant::now() + limit;
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
