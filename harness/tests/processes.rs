//! No engine outlives `hone`, however it ends.
#![cfg(target_os = "linux")]

mod common;

use std::process::{Child, Stdio};
use std::thread;
use std::time::Duration;

use common::{Setup, engines, on_run, processes_with, rows, scripted, wait_until};

/// Engines that can be told from those of other tests by their names.
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

fn signal(child: &Child, signal: i32) {
    let pid = i32::try_from(child.id()).expect("a process id");
    // SAFETY: the process is our child and has not been waited for.
    unsafe {
        libc::kill(pid, signal);
    }
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
    let setup = setup("killed", "go:300=hang", 100_000);
    let mut child = start(&setup);
    signal(&child, libc::SIGKILL);
    child.wait().expect("waits");
    none_left("killed");
}
