//! `hone` itself is stopped for a while, as in a frozen container or on a suspended
//! machine: no engine loses a game because of it.
use std::process::Stdio;
use std::thread;
use std::time::Duration;

use crate::common::json::number;
use crate::common::running::Running;
use crate::common::{Setup, digest, player, report, rows, signal, wait_until};

/// A match of engines that think for 5 ms about each move.
fn setup(limit: &str) -> Setup {
    let players = player("one", "--seed 1 go=late:5") + &player("two", "--seed 2 go=late:5");
    Setup::new(&format!(
        "{players}[match]\n{limit}\nconcurrency = 2\npairs = 8\n\
         openings = {{ file = \"books/quick.epd\" }}\n[adjudication]\nmax_moves = 40\n"
    ))
}

fn started(setup: &Setup) -> Running {
    Running::start(setup.command("match", "run", &[]).stderr(Stdio::null()))
}

/// Plays the match; `hone` is stopped twice, each time for `pause`.
fn paused(setup: &Setup, pause: Duration) {
    let child = started(setup);
    for games in [2, 8] {
        wait_until("games", || rows(&setup.run("run")) >= games);
        signal(&child, libc::SIGSTOP);
        thread::sleep(pause);
        signal(&child, libc::SIGCONT);
    }
    assert_eq!(child.finish().code, Some(0));
}

fn no_failures(setup: &Setup) {
    assert_eq!(time_forfeits(setup), 0.0);
}

/// The number of games lost on time. None may be lost by another failure.
fn time_forfeits(setup: &Setup) -> f64 {
    let json = report(&setup.run("run"), &["--json"]).json();
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
    assert_eq!(digest(&setup.run("run")), digest(&setup.run("undisturbed")));
}

/// The engines answer while `hone` is stopped: an answer in time is not late because it
/// is read late.
#[test]
fn short_pauses_are_no_time_forfeits() {
    let setup = setup("limit = \"movetime=500\"\nmargin_ms = 200\nmax_failures = 1.0");
    let child = started(&setup);
    wait_until("games", || rows(&setup.run("run")) >= 2);
    for pause in [900, 1_000, 900, 1_000, 900, 1_000] {
        signal(&child, libc::SIGSTOP);
        thread::sleep(Duration::from_millis(pause));
        signal(&child, libc::SIGCONT);
        thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(child.finish().code, Some(0));
    // If the engines' clocks ran during the pauses, about twelve games would be lost. One
    // may still be lost if `hone` waits for a processor right after a pause.
    let lost = time_forfeits(&setup);
    assert!(lost <= 2.0, "{lost} games were lost on time");
}

#[test]
fn a_pause_longer_than_the_clocks_is_no_time_forfeit() {
    let setup = setup("limit = \"3+1\"");
    paused(&setup, Duration::from_secs(5));
    no_failures(&setup);
}
