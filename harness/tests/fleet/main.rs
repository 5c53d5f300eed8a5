//! Runs on a fleet, with a real nats-server and real workers on this machine.
//! Without a nats-server the tests are skipped.

#![cfg(unix)]

mod attacks;
mod builds;
#[path = "../common/mod.rs"]
mod common;
mod hosts;
mod operation;
#[cfg(feature = "serve")]
mod pages;
mod server;
mod websocket;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use common::formats::{check_all, table};
use common::{Setup, column, digest, engines, finish, on_run, rows, script, scripted, wait_until};
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

/// An engine whose `bench` searches 1000 nodes in this time.
fn with_bench(dir: &Path, seconds: f64) -> PathBuf {
    let text = format!(
        "#!/bin/sh\ncase \"$*\" in *bench) sleep {seconds}; echo '1000 nodes 1 nps'; exit;; esac\n\
         exec '{}' \"$@\"\n",
        scripted()
    );
    script(dir, "engine.sh", &text)
}

fn has_bubblewrap() -> bool {
    let mut command = Command::new("bwrap");
    command.args(["--unshare-all", "--ro-bind", "/", "/", "true"]);
    let status = command.stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
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
    let status = || finish(fleet.hone(&["fleet", "status", "--json"])).json();
    wait_until("the workers", || {
        status()["workers"].as_array().map(Vec::len) == Some(3)
    });
    let played = finish(fleet.command(&setup, "match", "fleet"));
    assert_eq!(played.code, Some(0), "{}", played.stderr);
    assert_eq!(digest(&setup.run("fleet")), local_digest(&setup));
    assert!(
        !played.stderr.contains("different games"),
        "{}",
        played.stderr
    );
    // The ledger's numbers of workers are explained; a slow one may have played nothing.
    let known = fs::read_to_string(setup.run("fleet").join("workers.csv")).expect("the workers");
    let numbers: Vec<_> = known
        .lines()
        .filter_map(|row| row.split(',').next())
        .collect();
    let played = column(&setup.run("fleet"), "worker");
    assert!(
        played.iter().all(|worker| numbers.contains(&&**worker)),
        "{known}"
    );
    drop(workers);
    // A finished run leaves nothing on the server.
    let status = status();
    assert_eq!(status["runs"].as_array().map(Vec::len), Some(0), "{status}");
}

#[test]
fn nothing_is_lost_or_doubled_when_workers_runner_and_server_are_killed() {
    let Some(mut fleet) = Fleet::start() else {
        return;
    };
    let setup = fast_match(400, "");
    let run = setup.run("fleet");
    let doomed = fleet.worker("doomed", &["--cores", "1"]);
    let _steady = fleet.worker("steady", &["--cores", "1"]);
    let log = setup.dir.path().join("runner.log");
    let log_options = ["--log", &log.display().to_string(), "--log-level", "debug"];
    let runner = fleet.start_run(&setup, &log_options);
    wait_until("a pair that both workers have played", || {
        fs::read_to_string(&log).is_ok_and(|text| text.contains("came again"))
    });
    drop(doomed);
    let before = rows(&run);
    wait_until("games after a worker's end", || rows(&run) > before + 20);
    fleet.kill_server();
    let before = rows(&run);
    wait_until("games after the server's end", || rows(&run) > before + 20);
    drop(runner);
    let _fresh = fleet.worker("fresh", &["--cores", "1"]);
    let resumed = finish(fleet.hone(&["resume", &run.display().to_string()]));
    assert_eq!(resumed.code, Some(0), "{}", resumed.stderr);
    assert_eq!(rows(&run), 800);
    assert_eq!(digest(&run), local_digest(&setup));
}

/// Compares the JSON of a fleet that has a worker and a run with `docs/formats.md`.
fn the_keys_are_documented(fleet: &Fleet) {
    let heading = "## hone fleet\n";
    let status = finish(fleet.hone(&["fleet", "status", "--json"])).json();
    let own = ["holds", "refuses", "excluded"];
    for list in ["workers", "runs"] {
        let rows = table(heading, &format!("key of `{list}`"));
        check_all(&status[list], &rows, &own);
    }
    let listed = finish(fleet.tokens(&["tokens", "--json"])).json();
    check_all(&listed["tokens"], &table(heading, "key of `tokens`"), &[]);
}

#[test]
fn a_worker_that_the_configuration_excludes_plays_nothing_and_is_named() {
    let Some(fleet) = Fleet::start() else { return };
    let setup = fast_match(30, "");
    let config = fs::read_to_string(&setup.config).expect("the configuration");
    let excluding = format!("{config}[fleet]\nexclude = [\"workers/slow\", \"ben/*\"]\n");
    fs::write(&setup.config, excluding).expect("written");
    let slow = fleet.worker("slow", &["--cores", "1"]);
    let mut runner = fleet.start_run(&setup, &[]);
    wait_until("the refusal", || {
        slow.printed().contains("excludes this worker")
    });
    let status = finish(fleet.hone(&["fleet", "status"])).stdout;
    assert!(
        status.contains("excludes workers/slow (configuration)"),
        "{status}"
    );
    assert_eq!(rows(&setup.run("fleet")), 0);
    the_keys_are_documented(&fleet);
    let _good = fleet.worker("good", &["--cores", "1"]);
    assert_eq!(runner.wait(), Some(0), "{}", runner.printed());
    let run = setup.run("fleet");
    assert_eq!(digest(&run), local_digest(&setup));
    let report = on_run("report", &run).stdout;
    assert!(
        report.contains("Worker workers/slow is excluded: the configuration excludes it"),
        "{report}"
    );
    let json = common::report(&run, &["--json"]).json();
    let workers = json["fleet"]["workers"].as_array().expect("the workers");
    let pairs = |name: &str| {
        let found = workers.iter().find(|worker| worker["worker"] == name);
        found.expect("named")["pairs"].as_u64()
    };
    assert_eq!(pairs("workers/slow"), Some(0));
    assert_eq!(pairs("workers/good"), Some(30));
    let page = fs::read_to_string(run.join("report.html")).expect("the page");
    assert!(page.contains("id=\"machines\""), "no section of machines");
}

#[test]
fn a_worker_whose_results_contradict_their_pairs_is_quarantined() {
    let Some(fleet) = Fleet::start() else { return };
    let setup = fast_match(30, "");
    let mut runner = fleet.start_run(&setup, &[]);
    attacks::send_wrong_results(&fleet, 3);
    let quarantined = "evil is in quarantine";
    wait_until("the quarantine", || runner.printed().contains(quarantined));
    let status = finish(fleet.hone(&["fleet", "status"])).stdout;
    assert!(status.contains("in quarantine: workers/evil"), "{status}");
    let _good = fleet.worker("good", &["--cores", "1"]);
    assert_eq!(runner.wait(), Some(0), "{}", runner.printed());
    let run = setup.run("fleet");
    assert_eq!(digest(&run), local_digest(&setup));
    let report = on_run("report", &run).stdout;
    assert!(report.contains("workers/evil is in quarantine"), "{report}");
    assert!(report.contains("pairs of worker workers/evil"), "{report}");
}

#[test]
fn clocks_follow_the_speed_of_a_worker() {
    let Some(fleet) = Fleet::start() else { return };
    let dir = tempfile::tempdir().expect("a folder");
    let engine = with_bench(dir.path(), 0.2);
    let cmd = |seed: u32| format!("{} --seed {seed}", engine.display());
    let config = |limit: &str, more: &str| {
        format!(
            "{}[match]\nlimit = \"{limit}\"\npairs = 4\nmargin_ms = 60000\n\
             openings = {{ file = \"books/quick.epd\" }}\n[adjudication]\nmax_moves = 20\n\
             [fleet]\nscale = \"bench\"\n{more}",
            engines(("one", &cmd(1), ""), ("two", &cmd(2), ""))
        )
    };
    let of_nodes = Setup::new(&config("nodes=10", ""));
    let refused = finish(fleet.command(&of_nodes, "match", "fleet"));
    assert_eq!(refused.code, Some(2));
    assert!(
        refused.stderr.contains("does not matter"),
        "{}",
        refused.stderr
    );
    // More nodes per second than any machine reaches, because the script sleeps.
    let setup = Setup::new(&config("20+1", "reference = 20000\n"));
    let _worker = fleet.worker("a", &["--cores", "2"]);
    let mut command = fleet.command(&setup, "match", "fleet");
    command.args(["--max-time", "2m"]);
    let played = finish(command);
    assert_eq!(played.code, Some(0), "{}", played.stderr);
    let run = setup.run("fleet");
    let clocks = fs::read_to_string(run.join("clocks.csv")).expect("the clocks");
    let factors: Vec<f64> = clocks
        .lines()
        .skip(1)
        .map(|row| {
            row.rsplit(',')
                .next()
                .expect("a factor")
                .parse()
                .expect("a number")
        })
        .collect();
    assert_eq!(factors.len(), 4, "{clocks}");
    assert!(
        factors.iter().all(|factor| (4.0..=20.0).contains(factor)),
        "{clocks}"
    );
    let base = (20_000.0 * factors[0]).round() / 1000.0;
    let games = fs::read_to_string(run.join("games.pgn")).expect("the games");
    let tag = format!("[TimeControl \"{base}+");
    assert!(games.contains(&tag), "{tag} is not in {games}");
    assert_eq!(on_run("verify", &run).code, Some(0));
}

#[test]
fn the_reference_of_clocks_is_measured_on_the_machine_of_the_run() {
    let dir = tempfile::tempdir().expect("a folder");
    let engine = with_bench(dir.path(), 1.0);
    let cmd = engine.display().to_string();
    let setup = Setup::new(&format!(
        "{}[match]\nlimit = \"20+1\"\npairs = 1\nmargin_ms = 60000\nconcurrency = 1\n\
         openings = {{ file = \"books/quick.epd\" }}\n[adjudication]\nmax_moves = 5\n\
         [fleet]\nscale = \"bench\"\n",
        engines(("one", &cmd, ""), ("two", &cmd, ""))
    ));
    let played = setup.play("match", "local", &[]);
    assert_eq!(played.code, Some(0), "{}", played.stderr);
    assert!(played.stderr.contains("has no effect"), "{}", played.stderr);
    let manifest = fs::read_to_string(setup.run("local").join("run.toml")).expect("there");
    let reference = manifest
        .lines()
        .find_map(|line| line.strip_prefix("reference = "));
    let reference: u64 = reference.expect("measured").parse().expect("a number");
    assert!((1..=1000).contains(&reference), "{reference}");
}

/// A short match of two engines that a shell script, `engine.sh` in a folder, starts.
fn match_of_scripts(folder: &Path, text: &str) -> Setup {
    let engine = script(folder, "engine.sh", text);
    let cmd = |seed: u32| format!("{} --seed {seed}", engine.display());
    Setup::new(&format!(
        "{}[match]\nlimit = \"nodes=1\"\npairs = 4\nopenings = {{ file = \"books/quick.epd\" }}\n\
         [adjudication]\nmax_moves = 20\n",
        engines(("one", &cmd(1), ""), ("two", &cmd(2), ""))
    ))
}

#[test]
#[cfg(target_os = "linux")]
fn a_worker_holds_engines_to_its_sandbox_and_its_memory() {
    let Some(fleet) = Fleet::start() else { return };
    let dir = tempfile::tempdir().expect("a folder");
    let mark = dir.path().join("mark");
    // It writes its memory limit to a file outside its folder.
    let script = format!(
        "#!/bin/sh\n(ulimit -d > '{}') 2>/dev/null\nexec '{}' \"$@\"\n",
        mark.display(),
        scripted()
    );
    let setup = match_of_scripts(dir.path(), &script);
    for is_sandboxed in [false, true] {
        if is_sandboxed && !has_bubblewrap() {
            common::skip::skipped("no sandbox can be made here");
            continue;
        }
        let name = ["free", "sandboxed"][usize::from(is_sandboxed)];
        let mut runner = fleet.command(&setup, "match", name);
        runner.args(["--max-time", "2m"]);
        let mut runner = fleet.spawn("run", runner);
        wait_until("the run", || setup.run(name).join("run.toml").exists());
        fs::remove_file(&mark).expect("written without a sandbox");
        let sandbox: &[&str] = if is_sandboxed { &["--sandbox"] } else { &[] };
        let limits = ["--cores", "2", "--max-memory", "1G"];
        let worker = fleet.worker(name, &[&limits, sandbox].concat());
        assert_eq!(runner.wait(), Some(0), "{}", worker.printed());
        if is_sandboxed {
            assert!(!mark.exists(), "it wrote outside its sandbox");
        } else {
            // Two games at a time.
            assert_eq!(fs::read_to_string(&mark).expect("written").trim(), "524288");
        }
    }
}

#[test]
fn a_server_whose_disk_was_full_stores_results_again() {
    let Some(fleet) = Fleet::start_on_small_disk() else {
        return;
    };
    let setup = fast_match(300, "");
    let run = setup.run("fleet");
    let _worker = fleet.worker("a", &["--cores", "1"]);
    let mut runner = fleet.start_run(&setup, &[]);
    wait_until("games", || rows(&run) > 20);
    let filler = fleet.fill_disk();
    let log = || fs::read_to_string(fleet.dir.path().join("up.log")).expect("its log");
    let warning = "runs and workers wait until there is room";
    wait_until("the full disk", || log().contains(warning));
    assert!(rows(&run) < 600, "the run ended before its disk was full");
    fs::remove_file(filler).expect("removed");
    assert_eq!(runner.wait(), Some(0), "{}", runner.printed());
    assert_eq!(digest(&run), local_digest(&setup));
    assert!(log().contains("cannot store messages"), "{}", log());
}

#[test]
fn a_server_that_lost_its_disk_gets_jobs_and_engines_again() {
    let Some(mut fleet) = Fleet::start() else {
        return;
    };
    let setup = fast_match(20, "");
    let mut runner = fleet.start_run(&setup, &["--max-time", "3m"]);
    wait_until("a job in the queue", || {
        let status = finish(fleet.hone(&["fleet", "status", "--json"]));
        let runs = status.json()["runs"].clone();
        runs[0]["in_flight"].as_u64().is_some_and(|pairs| pairs > 0)
    });
    fleet.lose_disk();
    // Its cache has no engine of the run.
    let worker = fleet.worker("fresh", &["--cores", "2"]);
    assert_eq!(runner.wait(), Some(0), "{}", worker.printed());
    assert_eq!(digest(&setup.run("fleet")), local_digest(&setup));
}

#[test]
fn an_interrupted_run_finishes_its_pairs_and_can_be_resumed_locally() {
    let Some(fleet) = Fleet::start() else { return };
    let setup = fast_match(300, "");
    let run = setup.run("fleet");
    let _worker = fleet.worker("a", &["--cores", "2"]);
    let mut runner = fleet.start_run(&setup, &[]);
    wait_until("games", || rows(&run) > 20);
    runner.interrupt();
    assert_eq!(runner.wait(), Some(130), "{}", runner.printed());
    let finished = rows(&run);
    let resumed = common::resume(&run, &["--local"]);
    assert_eq!(resumed.code, Some(0), "{}", resumed.stderr);
    assert!((20..600).contains(&finished), "{finished}");
    assert_eq!(digest(&run), local_digest(&setup));
    // The machine of the fleet is number 0, and those of this one have other numbers.
    let workers = column(&run, "worker");
    let of_fleet = workers.iter().filter(|worker| *worker == "0");
    assert_eq!(of_fleet.count(), finished);
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
        fleet.spawn(name, command)
    };
    let (mut one, mut two) = (spawn("one", "300"), spawn("two", "100"));
    wait_until("games of both", || {
        rows(&setup.run("one")) > 4 && rows(&setup.run("two")) > 4
    });
    worker.interrupt();
    assert_eq!(worker.wait(), Some(0), "it finishes its pairs");
    for run in [&mut one, &mut two] {
        assert_eq!(run.wait(), Some(0), "{}", run.printed());
    }
    let expected = local_digest(&setup);
    assert_eq!(digest(&setup.run("one")), expected);
    assert_eq!(digest(&setup.run("two")), expected);
    drop(second);
}

#[test]
fn an_engine_that_cannot_run_on_a_worker_costs_no_game() {
    let Some(fleet) = Fleet::start() else { return };
    // It starts only while the file `mark` exists.
    let marked = tempfile::tempdir().expect("a folder");
    let mark = marked.path().join("here");
    fs::write(&mark, "").expect("written");
    let script = format!(
        "#!/bin/sh\n[ -e '{}' ] || kill -ILL $$\nexec '{}' \"$@\"\n",
        mark.display(),
        scripted()
    );
    let setup = match_of_scripts(marked.path(), &script);
    let mut runner = fleet.start_run(&setup, &[]);
    wait_until("the run", || setup.run("fleet").join("run.toml").exists());
    fs::remove_file(&mark).expect("removed");
    let _bad = fleet.worker("bad", &["--cores", "1"]);
    let refused = "does not play this run";
    wait_until("the refusal", || runner.printed().contains(refused));
    assert_eq!(rows(&setup.run("fleet")), 0);
    fs::write(&mark, "").expect("written");
    let _good = fleet.worker("good", &["--cores", "1"]);
    assert_eq!(runner.wait(), Some(0), "{}", runner.printed());
    let games = fs::read_to_string(setup.run("fleet").join("games.csv")).expect("the games");
    assert!(!games.contains("disconnect"), "{games}");
}
