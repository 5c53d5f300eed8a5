//! Engines that think in the opponent's time.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::{BOOK, Finished, Setup, engines, finish, hone, no_failures, play, scripted};

#[test]
fn engines_may_ponder() {
    let cmd = |seed: u32| format!("{} --ponder --seed {seed}", scripted());
    let players = engines(
        ("one", &cmd(1), "ponder = true"),
        ("two", &cmd(2), "ponder = true"),
    );
    let (_, finished) = play(&format!(
        "{players}[match]\npairs = 6\nconcurrency = 2\nlimit = \"20+0.5\"\n{BOOK}"
    ));
    no_failures(&finished);
}

/// The opponent answers only when everything is written, which needs a reader: the pipe
/// does not hold all of it.
#[test]
fn an_engine_that_ponders_may_write_more_than_its_pipe_holds() {
    let dir = tempfile::tempdir().unwrap();
    let written = dir.path().join("written");
    let written = written.display();
    let cmd = |more: &str| format!("{} {more}:{written}", scripted());
    let players = engines(
        (
            "loud",
            &cmd("--ponder ponder=chatter ponder=mark"),
            "ponder = true",
        ),
        ("patient", &cmd("go:2=until"), ""),
    );
    let (_, finished) = play(&format!(
        "{players}[match]\npairs = 1\nlimit = \"60+1\"\n{BOOK}[adjudication]\nmax_moves = 3\n"
    ));
    no_failures(&finished);
}

/// No clock runs while `hone` waits for the answer to `stop`.
#[test]
fn an_engine_that_stops_pondering_slowly_is_named_once() {
    let cmd = |more: &str| format!("{} --ponder {more}", scripted());
    let players = engines(
        ("slow", &cmd("stop=late:600"), "ponder = true"),
        ("good", &cmd("--seed 2"), ""),
    );
    let (_, finished) = play(&format!(
        "{players}[match]\npairs = 1\nlimit = \"60+1\"\n{BOOK}[adjudication]\nmax_moves = 4\n"
    ));
    no_failures(&finished);
    let words = "warning: engine `slow` took more than 250 ms to answer `stop` while it pondered";
    let warned = finished.stderr.matches(words).count();
    assert_eq!(warned, 1, "{}", finished.stderr);
}

#[test]
fn an_engine_that_never_stops_pondering_stalls_also_with_a_clock() {
    let cmd = |more: &str| format!("{} --ponder {more}", scripted());
    let players = engines(
        ("endless", &cmd("stop=silent"), "ponder = true"),
        ("good", &cmd("--seed 2"), ""),
    );
    let (setup, _) = play(&format!(
        "{players}[match]\npairs = 1\nlimit = \"600+1\"\nstall_ms = 2000\nmax_failures = 1.0\n{BOOK}"
    ));
    let csv = fs::read_to_string(setup.run("run/games.csv")).expect("there");
    assert_eq!(csv.matches(",stall,").count(), 2, "{csv}");
}

/// A run whose first engine exits on `command`, which ends pondering; and the folder of
/// its first failure.
fn dying_on(command: &str) -> (Setup, PathBuf) {
    let bad = format!("{} --ponder --name bad {command}=exit:7", scripted());
    let players = engines(("bad", &bad, "ponder = true"), ("good", &scripted(), ""));
    let (setup, _) = play(&format!(
        "{players}[match]\npairs = 12\nconcurrency = 1\nlimit = \"60+1\"\nmax_failures = 1.0\n{BOOK}"
    ));
    let failures = fs::read_dir(setup.run("run/failures")).expect("failures");
    let mut folders: Vec<_> = failures.map(|entry| entry.expect("one").path()).collect();
    folders.sort();
    let first = folders.swap_remove(0);
    (setup, first)
}

fn replay(bundle: &Path) -> Finished {
    let mut command = hone();
    command.arg("replay").arg(bundle).arg("--dialogue");
    finish(command)
}

#[test]
fn the_evidence_of_a_failure_at_the_end_of_pondering_repeats_it() {
    for command in ["ponderhit", "stop"] {
        let (_setup, bundle) = dying_on(command);
        let summary = fs::read_to_string(bundle.join("summary.txt")).expect("a summary");
        let sent = summary.split_once("sent:      position ").expect("sent").1;
        let lines: Vec<&str> = sent.lines().collect();
        assert!(
            lines[1].starts_with("           go ponder wtime "),
            "{summary}"
        );
        let end = format!("           {command} after ");
        assert!(lines[2].starts_with(&end), "{summary}");
        // The last position that was sent: that after the expected move.
        let dialogue = fs::read_to_string(bundle.join("dialogue-first.txt")).expect("there");
        let (before, _) = dialogue.rsplit_once(command).expect("it was sent");
        let (_, position) = before.rsplit_once("> position ").expect("a position");
        assert_eq!(position.lines().next(), Some(lines[0]), "{dialogue}");
        let replayed = replay(&bundle);
        assert_eq!(replayed.code, Some(1), "{}", replayed.stdout);
        assert!(
            replayed.stdout.contains("exit status 7"),
            "{}",
            replayed.stdout
        );
        assert!(
            replayed.stdout.contains(&format!("> {command}")),
            "{}",
            replayed.stdout
        );
    }
}
