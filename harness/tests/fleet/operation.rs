//! Operation of a fleet: starts, credentials, and workers that cannot play.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::common::{Setup, digest, finish, hone, on_run, resume, rows, scripted, wait_until};
use crate::server::{Fleet, access};
use crate::{fast_match, local_digest, match_of_scripts};

#[test]
fn a_server_without_its_first_credentials_reports_where_it_listens() {
    let Some(mut fleet) = Fleet::start() else {
        return;
    };
    for name in ["workers", "owner"] {
        let revoked = finish(fleet.tokens(&["revoke", name]));
        assert_eq!(revoked.code, Some(0), "{}", revoked.stderr);
    }
    let reported = fleet.start_again();
    for part in [
        "the credential `workers` is revoked",
        "`hone fleet invite NAME`",
        "the credential `owner` is revoked",
        "`hone fleet invite NAME --role submit`",
    ] {
        assert!(reported.contains(part), "{part}: {reported}");
    }
}

#[test]
fn a_unit_names_the_server_that_was_found() {
    let Some(fleet) = Fleet::start() else { return };
    let unit = finish(fleet.tokens(&["up", "--systemd"]));
    assert_eq!(unit.code, Some(0), "{}", unit.stderr);
    let line = unit.stdout.lines();
    let mut line = line.filter_map(|line| line.strip_prefix("Environment="));
    let line = line.next_back().expect("a line").trim_matches('"');
    assert!(line.starts_with("HONE_NATS_SERVER=/"), "{line}");
}

#[test]
fn a_server_that_cannot_be_started_is_refused_with_a_reason() {
    for (args, message) in [
        (&["--systemd"][..], "which is not a program here"),
        (&["--listen", "127.0.0.1:0"], "need a fixed port"),
        (&["--websocket", "127.0.0.1:0"], "need a fixed port"),
    ] {
        let mut up = hone();
        up.args(["fleet", "up", "--data", "missing"]).args(args);
        up.env("HONE_NATS_SERVER", "missing/nats-server");
        let refused = finish(up);
        assert_eq!(refused.code, Some(2), "{}", refused.stderr);
        assert_eq!(refused.stdout, "");
        for part in [message, "help: "] {
            assert!(refused.stderr.contains(part), "{part}: {}", refused.stderr);
        }
    }
}

#[test]
fn a_run_whose_fleet_is_unknown_gives_the_cause_before_the_help() {
    let setup = fast_match(1, "");
    let played = setup.play("match", "run", &[]);
    assert_eq!(played.code, Some(0), "{}", played.stderr);
    let run = setup.run("run");
    fs::write(run.join("lease.toml"), "").expect("written");
    let mut resume = hone();
    resume.arg("resume").arg(&run);
    resume.env_remove("HONE_FLEET");
    resume.env("XDG_DATA_HOME", setup.dir.path());
    let refused = finish(resume);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    let cause = "error: cannot resume the run: the run was played on a fleet: no fleet is known \
                 on this machine\n\
                 help: start one with `hone fleet up`";
    assert!(refused.stderr.contains(cause), "{}", refused.stderr);
    let here = format!(
        "\nhelp: `hone resume {} --local` continues it",
        run.display()
    );
    assert!(refused.stderr.contains(&here), "{}", refused.stderr);
}

#[test]
fn a_run_whose_fleet_cannot_be_reached_leaves_no_folder() {
    let Some(fleet) = Fleet::start() else { return };
    let setup = fast_match(10, "");
    let runner = fleet.command(&setup, "match", "fleet");
    drop(fleet);
    let refused = finish(runner);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    assert!(
        refused.stderr.contains("cannot connect to "),
        "{}",
        refused.stderr
    );
    assert!(!setup.run("fleet").exists());
}

/// The path of a `fleet.toml` with the credential of workers, in which one value is replaced.
fn edited_credential(fleet: &Fleet, key: &str, value: &str) -> String {
    let mut access = access(&fleet.join);
    access[key] = value.into();
    let fields = access.as_object().expect("an object").iter();
    let toml: String = fields
        .map(|(key, value)| format!("{key} = {value}\n"))
        .collect();
    let path = fleet.dir.path().join("fleet.toml");
    fs::write(&path, toml).expect("written");
    path.display().to_string()
}

#[test]
fn a_run_whose_rights_the_server_denies_leaves_no_folder() {
    let Some(fleet) = Fleet::start() else { return };
    let path = edited_credential(&fleet, "role", "submit");
    let setup = fast_match(4, "");
    let played = setup.play("match", "fleet", &[&format!("--fleet={path}")]);
    assert!(!setup.run("fleet").exists(), "{}", played.stderr);
    let mut status = hone();
    status.args(["fleet", "status", "--fleet", &path]);
    for refused in [played, finish(status)] {
        assert_eq!(refused.code, Some(2), "{}", refused.stderr);
        for part in ["Permissions Violation", "\nhelp: ", "--role submit"] {
            assert!(refused.stderr.contains(part), "{part}: {}", refused.stderr);
        }
    }
}

/// The server accepts its connection, and refuses all its messages.
#[test]
fn a_worker_whose_messages_are_all_refused_reports_it() {
    let Some(fleet) = Fleet::start() else { return };
    let path = edited_credential(&fleet, "name", "other");
    let worker = fleet.worker_with("lost", &path, &["--cores", "1"]);
    wait_until("the warning", || {
        worker
            .printed()
            .contains("warning: the server does not let this worker")
    });
    assert!(worker.printed().contains("`other`"), "{}", worker.printed());
}

#[test]
fn a_worker_whose_disk_is_full_gives_up_at_once_and_reports_it() {
    let Some(fleet) = Fleet::start() else { return };
    let setup = fast_match(10, "");
    let mut run = fleet.start_run(&setup, &[]);
    // An engine is larger than this disk.
    let Some(full) = fleet.worker_on_disk("full", "64k", &["--cores", "1", "-v"]) else {
        return;
    };
    let reported = "worker workers/full does not play this run: ";
    wait_until("the reason", || run.printed().contains(reported));
    assert!(
        full.printed().contains("No space left"),
        "{}",
        full.printed()
    );
    assert!(
        !full.printed().contains("is fetched again"),
        "{}",
        full.printed()
    );
    assert_eq!(rows(&setup.run("fleet")), 0);
    let _good = fleet.worker("good", &["--cores", "1"]);
    assert_eq!(run.wait(), Some(0));
}

#[test]
fn a_run_reports_that_its_server_was_lost_and_is_back() {
    let Some(mut fleet) = Fleet::start() else {
        return;
    };
    let setup = fast_match(10, "");
    let mut run = fleet.start_run(&setup, &[]);
    let waits = "no worker is available";
    wait_until("the run", || run.printed().contains(waits));
    fleet.kill_server();
    let connected = "connected again";
    wait_until("the connection", || run.printed().contains(connected));
    let text = run.printed();
    assert!(text.contains("the server does not answer"), "{text}");
    let _worker = fleet.worker("one", &["--cores", "1"]);
    assert_eq!(run.wait(), Some(0));
}

#[test]
fn a_resumed_run_shows_the_pairs_of_its_ledger() {
    let Some(fleet) = Fleet::start() else { return };
    let setup = fast_match(300, "");
    let folder = setup.run("fleet");
    let worker = fleet.worker("one", &["--cores", "1"]);
    let mut run = fleet.start_run(&setup, &[]);
    wait_until("games", || rows(&folder) > 20);
    run.interrupt();
    assert_eq!(run.wait(), Some(130), "{}", run.printed());
    drop(worker);
    let mut resume = fleet.hone(&["resume"]);
    resume.arg(&folder);
    let _resumed = fleet.spawn("resumed", resume);
    wait_until("the pairs", || {
        let status = finish(fleet.hone(&["fleet", "status", "--json"])).json();
        status["runs"][0]["recorded"] == rows(&folder) / 2
    });
}

#[test]
fn a_resumed_run_keeps_its_priority() {
    let Some(fleet) = Fleet::start() else { return };
    let setup = fast_match(10, "");
    let folder = setup.run("fleet");
    let priority = || {
        let status = finish(fleet.hone(&["fleet", "status", "--json"])).json();
        status["runs"][0]["priority"].as_u64()
    };
    let play_until = |command: Command, expected: u64| {
        let mut run = fleet.spawn("run", command);
        wait_until("its priority", || priority() == Some(expected));
        run.interrupt();
        assert_eq!(run.wait(), Some(130), "{}", run.printed());
    };
    let mut command = fleet.command(&setup, "match", "fleet");
    command.args(["--priority", "300"]);
    play_until(command, 300);
    for (args, expected) in [
        (&[][..], 300),
        (&["--fleet"], 300),
        (&["--priority", "50"], 50),
        (&[], 50),
    ] {
        let mut command = fleet.hone(&["resume"]);
        command.arg(&folder).args(args);
        play_until(command, expected);
    }
}

#[test]
fn of_two_copies_of_a_run_the_second_stops() {
    let Some(fleet) = Fleet::start() else { return };
    let setup = fast_match(10, "");
    let mut first = fleet.start_run(&setup, &[]);
    wait_until("the run", || {
        first.printed().contains("no worker is available")
    });
    let copy = setup.run("copy");
    fs::create_dir(&copy).expect("made");
    for file in ["run.toml", "lease.toml", "games.csv", "games.pgn"] {
        fs::copy(setup.run("fleet").join(file), copy.join(file)).expect("copied");
    }
    let mut resume = fleet.hone(&["resume"]);
    resume.arg(&copy);
    let mut second = fleet.spawn("second", resume);
    let error = "another process plays this run on the fleet";
    wait_until("the error", || second.printed().contains(error));
    assert_eq!(second.wait(), Some(4), "{}", second.printed());
    let _worker = fleet.worker("one", &["--cores", "1"]);
    assert_eq!(first.wait(), Some(0), "{}", first.printed());
    assert_eq!(digest(&setup.run("fleet")), local_digest(&setup));
}

#[test]
#[cfg(target_os = "linux")]
fn the_processors_of_the_local_machine_matter_only_if_it_plays() {
    let Some(fleet) = Fleet::start() else { return };
    let setup = fast_match(4, "");
    let set = |value| ["--set", value];
    let args = [
        set("match.concurrency=1000"),
        set("match.on_machine_fault=replay"),
        set("match.affinity=true"),
    ];
    let mut run = fleet.start_run(&setup, &args.concat());
    let waits = "no worker is available";
    wait_until("the run", || run.printed().contains(waits));
    run.interrupt();
    assert_eq!(run.wait(), Some(130));
    let printed = run.printed();
    assert!(printed.contains("playing on a fleet in "), "{printed}");
    for part in ["expect time forfeits", "other programs", "at a time"] {
        assert!(!printed.contains(part), "{part}: {printed}");
    }
    let resume = |args: &[&str]| {
        let mut resume = fleet.hone(&["resume"]);
        resume.arg(setup.run("fleet")).args(args);
        finish(resume)
    };
    let refused = resume(&["--local"]);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    assert!(
        refused.stderr.contains("1000 games at a time"),
        "{}",
        refused.stderr
    );
    let more = resume(&["--concurrency", "1001", "--max-time", "1s"]);
    assert_eq!(more.code, Some(3), "{}", more.stderr);
    let here = resume(&["--local", "--concurrency", "1"]);
    assert_eq!(here.code, Some(0), "{}", here.stderr);
}

#[test]
fn a_run_shows_and_keeps_why_its_only_worker_does_not_play_it() {
    let Some(fleet) = Fleet::start() else { return };
    let setup = fast_match(4, "options = { Threads = 2 }");
    let mut run = fleet.start_run(&setup, &[]);
    let small = fleet.worker("small", &["--cores", "1"]);
    let why = "a game needs 2 threads, and this worker has 1";
    let message = format!("worker workers/small does not play it: {why}");
    wait_until("the reason", || run.printed().contains(&message));
    assert!(
        small.printed().contains(": 1 thread, "),
        "{}",
        small.printed()
    );
    let _good = fleet.worker("good", &["--cores", "2"]);
    assert_eq!(run.wait(), Some(0));
    let run = setup.run("fleet");
    let incidents = fs::read_to_string(run.join("incidents.csv")).expect("the incidents");
    let rows: Vec<_> = incidents.lines().skip(1).collect();
    assert_eq!(rows.len(), 1, "{incidents}");
    assert!(rows[0].contains(",workers/small,declined,,"), "{incidents}");
    let report = on_run("report", &run).stdout;
    let message = format!("Worker workers/small did not play: {why}");
    assert!(report.contains(&message), "{report}");
}

#[test]
fn a_credential_works_as_soon_as_it_is_made() {
    let Some(fleet) = Fleet::start() else { return };
    let submit = fleet.credential(&["anna", "--role", "submit"]);
    let status = finish(fleet.hone(&["fleet", "status", "--fleet", &submit]));
    assert_eq!(status.code, Some(0), "{}", status.stderr);
    let join = fleet.credential(&["ben"]);
    let mut worker = fleet.worker_with("one", &join, &["--cores", "1"]);
    wait_until("the worker", || {
        assert!(!worker.has_ended(), "{}", worker.printed());
        worker.printed().contains("worker ben/one at ")
    });
}

#[test]
fn a_credential_that_is_misplaced_is_not_printed() {
    let setup = fast_match(4, "");
    let config = setup.config.display().to_string();
    let credential = "hone1.eyJ1cmwiOiJ0bHM6Ly9ib3g6NDIyMiJ9";
    for words in [
        &["match", &config, "--fleet"][..],
        &["match", "./a", "./b", "--fleet"],
        &["sprt", &config, "--fleet"],
        &["sprt", "--fleet"],
        &["tune", &config, "--fleet"],
        &["bisect", &config, "--fleet"],
        &["track", &config, "--fleet"],
        &["resume", "latest", "--fleet"],
        &["serve", "--fleet"],
        &["fleet", "status"],
    ] {
        let mut command = hone();
        command.args(words).arg(credential);
        let refused = finish(command);
        let error = &refused.stderr;
        assert_eq!(refused.code, Some(2), "{words:?}: {error}");
        assert!(!error.contains("hone1."), "{words:?}: {error}");
        assert!(error.contains("`--fleet=CREDENTIAL`"), "{words:?}: {error}");
    }
}

#[test]
fn a_priority_without_a_fleet_is_refused() {
    let setup = fast_match(4, "");
    let refused = setup.play("match", "local", &["--priority", "500"]);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    let message = "`--priority` has no effect without `--fleet`";
    assert!(refused.stderr.contains(message), "{}", refused.stderr);
    assert!(!setup.run("local").exists());
}

#[test]
fn a_typo_in_the_credentials_does_not_end_the_server() {
    let Some(fleet) = Fleet::start() else { return };
    let path = fleet.data().join("tokens.toml");
    let text = fs::read_to_string(&path).expect("read");
    fs::write(&path, format!("{text}revoked = tru\n")).expect("written");
    let mut worker = fleet.worker("one", &["--cores", "1"]);
    let setup = fast_match(10, "");
    let played = finish(fleet.command(&setup, "match", "fleet"));
    assert_eq!(played.code, Some(0), "{}", played.stderr);
    // The file is correct again: the server reads it.
    fs::write(&path, text).expect("written");
    let revoked = finish(fleet.tokens(&["revoke", "workers"]));
    assert_eq!(revoked.code, Some(0), "{}", revoked.stderr);
    assert_eq!(worker.wait(), Some(2), "{}", worker.printed());
}

/// A folder in place of the configuration cannot be replaced, like a file on a full disk.
#[test]
fn a_server_whose_credentials_cannot_be_changed_continues_and_changes_them_later() {
    let Some(fleet) = Fleet::start() else { return };
    let mut worker = fleet.worker("one", &["--cores", "1"]);
    wait_until("the worker", || {
        worker.printed().contains("worker workers/one at ")
    });
    let path = fleet.data().join("nats-server.conf");
    fs::remove_file(&path).expect("removed");
    fs::create_dir(&path).expect("made");
    let revoked = finish(fleet.tokens(&["revoke", "workers"]));
    assert_eq!(revoked.code, Some(0), "{}", revoked.stderr);
    let log = || fs::read_to_string(fleet.dir.path().join("up.log")).expect("its log");
    let warning = "the server keeps the earlier ones: cannot write";
    wait_until("the warning", || log().contains(warning));
    let status = finish(fleet.hone(&["fleet", "status"]));
    assert_eq!(status.code, Some(0), "{}", status.stderr);
    fs::remove_dir(&path).expect("removed");
    assert_eq!(worker.wait(), Some(2), "{}", worker.printed());
    assert_eq!(log().matches(warning).count(), 1, "{}", log());
}

/// A match of engines that are larger than a small disk.
fn match_of_large_scripts(folder: &Path) -> Setup {
    let script = format!("#!/bin/sh\nexec '{}' \"$@\"\n", scripted());
    match_of_scripts(folder, &(script + &"\n".repeat(80 << 20)))
}

/// The limit is three quarters of the disk.
#[test]
fn a_server_that_reaches_its_storage_limit_reports_it() {
    let Some(fleet) = Fleet::start_on_small_disk() else {
        return;
    };
    let dir = tempfile::tempdir().expect("a folder");
    let setup = match_of_large_scripts(dir.path());
    let _run = fleet.start_run(&setup, &[]);
    let log = || fs::read_to_string(fleet.dir.path().join("up.log")).expect("its log");
    let warning = "warning: nats-server has reached its storage limit";
    wait_until("the warning", || log().contains(warning));
    let log = log();
    let restart = log.find("cannot store messages").unwrap_or(log.len());
    assert!(log.find(warning) < Some(restart), "{log}");
}

#[test]
fn a_run_is_interrupted_while_its_engines_are_sent() {
    let Some(fleet) = Fleet::start_on_small_disk() else {
        return;
    };
    let dir = tempfile::tempdir().expect("a folder");
    let setup = match_of_large_scripts(dir.path());
    let mut run = fleet.start_run(&setup, &["-v"]);
    let retries = "is stored again";
    wait_until("the full disk", || run.printed().contains(retries));
    run.interrupt();
    assert_eq!(run.wait(), Some(130), "{}", run.printed());
    let resumed = resume(&setup.run("fleet"), &["--local"]);
    assert_eq!(resumed.code, Some(0), "{}", resumed.stderr);
}
