//! `kill -9` at random times, compared with an undisturbed run.

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use crate::common::running::Running;
use crate::common::{self, Setup, digest, on_run, player, random_players, rows, wait_until};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const PAIRS: usize = 300;
const KILLS: usize = 30;

/// Engines that move at once: with hundreds of games a second, kills hit every part of the
/// work.
fn fast_match() -> Setup {
    let players = random_players();
    Setup::new(&format!(
        "{players}[match]\nlimit = \"nodes=1\"\npairs = {PAIRS}\nconcurrency = 2\n\
         openings = {{ file = \"books/quick.epd\" }}\n[adjudication]\nmax_moves = 20\n\
         [pgn]\nepd = true\n"
    ))
}

/// Kills a child after a time. Whether it was running until then.
fn killed(mut child: Running, after: Duration) -> bool {
    thread::sleep(after);
    let was_running = !child.has_ended();
    child.kill();
    was_running
}

/// Every game of the ledger is in the PGN once, and so is its final position.
fn recorded_once(run: &Path) {
    let pgn = fs::read_to_string(run.join("games.pgn")).expect("the games");
    assert_eq!(pgn.matches("[Event ").count(), 2 * PAIRS);
    for pair in 1..=PAIRS {
        let games = pgn.matches(&format!("[Round \"{pair}\"]")).count();
        assert_eq!(games, 2, "games of pair {pair} in the PGN");
    }
    let epd = fs::read_to_string(run.join("games.epd")).expect("the final positions");
    assert_eq!(epd.lines().count(), 2 * PAIRS);
}

#[test]
fn kills_at_random_times_lose_and_double_no_game() {
    let setup = fast_match();
    let undisturbed = setup.play("match", "undisturbed", &[]);
    assert_eq!(undisturbed.code, Some(0), "{}", undisturbed.stderr);
    let expected = digest(&setup.run("undisturbed"));
    recorded_once(&setup.run("undisturbed"));

    let mut random = ChaCha8Rng::seed_from_u64(20_261_121);
    let run = setup.run("killed");
    let (mut hits, mut finished_before) = (0, 0);
    for number in 0..KILLS {
        let mut command = if !run.join("run.toml").exists() {
            // A kill before the manifest leaves at most an empty folder.
            let _ = fs::remove_dir_all(&run);
            setup.command("match", "killed", &[])
        } else {
            let mut resume = common::hone();
            resume.arg("resume").arg(&run);
            resume
        };
        let mut child = Running::start(command.stdout(Stdio::null()).stderr(Stdio::null()));
        let begun = Instant::now();
        let (at, more) = match number % 3 {
            // Before the first game on a slow machine, before the last one on a fast machine.
            0 => (random.random_range(0..250_000), 40),
            _ => (u64::MAX, random.random_range(1..=20)),
        };
        let at = Duration::from_micros(at);
        wait_until("a time or some games", || {
            child.has_ended() || begun.elapsed() >= at || rows(&run) >= finished_before + more
        });
        let after = random.random_range(0..5_000);
        let was_running = killed(child, Duration::from_micros(after));
        let finished = rows(&run);
        assert!(finished + 1 >= finished_before, "finished games were lost");
        hits += usize::from(was_running && finished > 0 && finished < 2 * PAIRS);
        finished_before = finished;
    }
    assert!(hits >= 3, "only {hits} kills hit a run that had games");
    let resumed = on_run("resume", &run);
    assert_eq!(resumed.code, Some(0), "{}", resumed.stderr);
    assert_eq!(digest(&run), expected, "after {hits} kills");
    recorded_once(&run);
}

#[test]
fn a_finished_pair_is_stored_while_an_engine_gets_ready_for_the_next() {
    let hanging = |name: &str, seed: u32| player(name, &format!("--seed {seed} ucinewgame:3=hang"));
    let players = hanging("one", 1) + &hanging("two", 2);
    let setup = Setup::new(&format!(
        "{players}[match]\nlimit = \"nodes=1\"\npairs = 2\nconcurrency = 1\n\
         stall_ms = 600000\nopenings = {{ file = \"books/quick.epd\" }}\n\
         [adjudication]\nmax_moves = 20\n"
    ));
    let mut command = setup.command("match", "run", &[]);
    let child = Running::start(command.stderr(Stdio::null()));
    wait_until("the first pair", || rows(&setup.run("run")) == 2);
    assert!(
        killed(child, Duration::ZERO),
        "it should wait for the engines"
    );
}
