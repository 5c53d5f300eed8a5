//! `hone` itself is stopped for a while, as a frozen container or a suspended
//! machine does it: no engine loses a game by that.
#![cfg(target_os = "linux")]

mod common;

use std::process::Stdio;
use std::thread;
use std::time::Duration;

use common::json::number;
use common::{Setup, engines, finish, hone, on_run, rows, scripted, signal, wait_until};

/// A match in which some engine is always thinking, for a few milliseconds.
fn setup(limit: &str) -> Setup {
    let cmd = |seed: u32| format!("{} --seed {seed} go=late:5", scripted());
    let players = engines(("one", &cmd(1), ""), ("two", &cmd(2), ""));
    Setup::new(&format!(
        "{players}[match]\n{limit}\nconcurrency = 2\npairs = 8\n\
         openings = {{ file = \"books/quick.epd\" }}\n[adjudication]\nmax_moves = 40\n"
    ))
}

/// Plays the match and stops `hone` twice on the way, for this time.
fn paused(setup: &Setup, pause: Duration) {
    let mut command = setup.command("match", "run", &[]);
    let mut child = command.stderr(Stdio::null()).spawn().expect("hone starts");
    for games in [2, 8] {
        wait_until("games", || rows(&setup.run("run")) >= games);
        signal(&child, libc::SIGSTOP);
        thread::sleep(pause);
        signal(&child, libc::SIGCONT);
    }
    assert_eq!(child.wait().expect("it ends").code(), Some(0));
}

fn no_failures(setup: &Setup) {
    assert_eq!(time_forfeits(setup), 0.0);
}

/// The number of games lost on time, when no game was lost by another failure.
fn time_forfeits(setup: &Setup) -> f64 {
    let mut report = hone();
    report.arg("report").arg(setup.run("run")).arg("--json");
    let json = finish(report).json();
    assert_eq!(json["pairs"], 8);
    let failures = &json["failures"];
    for kind in ["crash", "stall", "illegal_move"] {
        assert_eq!(failures[kind], serde_json::json!([0, 0]), "{json}");
    }
    let forfeits = &failures["time_forfeit"];
    number(&forfeits[0]) + number(&forfeits[1])
}

#[test]
fn a_pause_longer_than_the_watchdog_is_no_stall_and_changes_no_game() {
    let setup = setup("limit = \"nodes=10\"\nstall_ms = 2000");
    paused(&setup, Duration::from_secs(3));
    no_failures(&setup);
    let other = setup.play("match", "undisturbed", &[]);
    assert_eq!(other.code, Some(0), "{}", other.stderr);
    assert_eq!(
        on_run("verify", &setup.run("run")).last_line(),
        on_run("verify", &setup.run("undisturbed")).last_line()
    );
}

/// The engines answer while `hone` is stopped: what came in time is not late
/// because it is read late.
#[test]
fn short_pauses_are_no_time_forfeits() {
    let setup = setup("limit = \"movetime=500\"\nmargin_ms = 200\nmax_failures = 1.0");
    let mut command = setup.command("match", "run", &[]);
    let mut child = command.stderr(Stdio::null()).spawn().expect("hone starts");
    wait_until("games", || rows(&setup.run("run")) >= 2);
    for pause in [900, 1_000, 900, 1_000, 900, 1_000] {
        signal(&child, libc::SIGSTOP);
        thread::sleep(Duration::from_millis(pause));
        signal(&child, libc::SIGCONT);
        thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(child.wait().expect("it ends").code(), Some(0));
    // If each pause were charged, about twelve games would be lost. `hone` may still lose
    // one if the machine lets it wait for a processor right after a pause.
    let lost = time_forfeits(&setup);
    assert!(lost <= 2.0, "{lost} games were lost on time");
}

#[test]
fn a_pause_longer_than_the_clocks_is_no_time_forfeit() {
    let setup = setup("limit = \"3+1\"");
    paused(&setup, Duration::from_secs(5));
    no_failures(&setup);
}
