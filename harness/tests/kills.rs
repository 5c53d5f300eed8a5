//! `kill -9` at random instants, many times, compared with an undisturbed run.

#![cfg(unix)]

mod common;

use std::fs;
use std::path::Path;
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use common::{Setup, digest, engines, on_run, rows, scripted, wait_until};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const PAIRS: usize = 300;
const KILLS: usize = 30;

/// Two engines that move at once, at random: hundreds of games a second, so
/// that a kill hits every part of the work.
fn fast_match() -> Setup {
    let cmd = |seed: u32| format!("{} --seed {seed}", scripted());
    let players = engines(("one", &cmd(1), ""), ("two", &cmd(2), ""));
    Setup::new(&format!(
        "{players}[match]\nlimit = \"nodes=1\"\npairs = {PAIRS}\nconcurrency = 2\n\
         openings = {{ file = \"books/quick.epd\" }}\n[adjudication]\nmax_moves = 20\n\
         [pgn]\nepd = true\n"
    ))
}

fn killed(mut child: Child, after: Duration) -> bool {
    thread::sleep(after);
    let was_running = child.try_wait().expect("its state is known").is_none();
    child.kill().expect("killed");
    child.wait().expect("waited for");
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
fn nothing_is_lost_or_doubled_by_kills_at_random_instants() {
    let setup = fast_match();
    let undisturbed = setup.play("match", "undisturbed", &[]);
    assert_eq!(undisturbed.code, Some(0), "{}", undisturbed.stderr);
    let expected = digest(&setup.run("undisturbed"));
    recorded_once(&setup.run("undisturbed"));

    let mut random = ChaCha8Rng::seed_from_u64(20_261_121);
    let run = setup.run("killed");
    let (mut hits, mut finished_before) = (0, 0);
    for number in 0..KILLS {
        let mut command = match run.join("run.toml").exists() {
            false => {
                // A kill before the manifest leaves at most an empty folder.
                let _ = fs::remove_dir_all(&run);
                setup.command("match", "killed", &[])
            }
            true => {
                let mut resume = common::hone();
                resume.arg("resume").arg(&run);
                resume
            }
        };
        let mut child = command
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("hone starts");
        let begun = Instant::now();
        let (at, more) = match number % 3 {
            // On a slow machine, before the first game; on a fast one, before the last.
            0 => (random.random_range(0..250_000), 40),
            _ => (u64::MAX, random.random_range(1..=20)),
        };
        let at = Duration::from_micros(at);
        wait_until("a moment or some games", || {
            let has_ended = child.try_wait().expect("waits").is_some();
            has_ended || begun.elapsed() >= at || rows(&run) >= finished_before + more
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
fn a_finished_pair_is_on_record_while_an_engine_gets_ready_for_the_next() {
    let cmd = |seed: u32| format!("{} --seed {seed} ucinewgame:3=hang", scripted());
    let players = engines(("one", &cmd(1), ""), ("two", &cmd(2), ""));
    let setup = Setup::new(&format!(
        "{players}[match]\nlimit = \"nodes=1\"\npairs = 2\nconcurrency = 1\n\
         stall_ms = 600000\nopenings = {{ file = \"books/quick.epd\" }}\n\
         [adjudication]\nmax_moves = 20\n"
    ));
    let mut command = setup.command("match", "run", &[]);
    let child = command.stderr(Stdio::null()).spawn().expect("hone starts");
    wait_until("the first pair", || rows(&setup.run("run")) == 2);
    assert!(killed(child, Duration::ZERO), "it waits for the engines");
}
