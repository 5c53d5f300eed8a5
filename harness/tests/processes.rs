//! No engine outlives `hone`, however it ends.
#![cfg(target_os = "linux")]

mod common;

use std::process::{Child, Stdio};
use std::thread;
use std::time::Duration;

use common::{Setup, engines, on_run, processes_with, rows, scripted, signal, wait_until};

/// Engines whose names differ from those of other tests.
fn setup(mark: &str, more: &str, pairs: u64) -> Setup {
    let cmd = |name: &str| format!("{} --name {mark}-{name} {more}", scripted());
    let players = engines(("a", &cmd("a"), ""), ("b", &cmd("b"), ""));
    Setup::new(&format!(
        "{players}[match]\nlimit = \"nodes=10\"\nconcurrency = 2\npairs = {pairs}\nopenings = {{ file = \"books/quick.epd\" }}\n"
    ))
}

fn start(setup: &Setup) -> Child {
    let mut command = setup.command("match", "run", &[]);
    let child = command.stderr(Stdio::null()).spawn().expect("hone starts");
    wait_until("the first games", || rows(&setup.run("run")) >= 4);
    child
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
fn none_is_left_after_an_interrupt_and_the_run_goes_on() {
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
    let setup = setup("two-interrupts", "go:500=late:600000", 100_000);
    let mut child = start(&setup);
    thread::sleep(Duration::from_millis(300));
    signal(&child, libc::SIGINT);
    thread::sleep(Duration::from_millis(300));
    signal(&child, libc::SIGINT);
    assert_eq!(child.wait().expect("waits").code(), Some(130));
    none_left("two-interrupts");
}

#[test]
fn a_termination_signal_stops_at_once() {
    let setup = setup("terminated", "", 100_000);
    let mut child = start(&setup);
    signal(&child, libc::SIGTERM);
    assert_eq!(child.wait().expect("waits").code(), Some(130));
    none_left("terminated");
}

#[test]
fn none_is_left_after_a_kill_even_if_they_never_read() {
    let setup = setup("outright-kill", "go:300=hang", 100_000);
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
    use harness::engine::uci::{Client, Launch, Timeouts};
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
            let timeouts = Timeouts {
                startup: Duration::from_secs(10),
                ready: Duration::from_secs(10),
            };
            let mut client = Client::start(&launch, timeouts).await.expect("starts");
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
