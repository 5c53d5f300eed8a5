//! A folder of results that cannot be written to: it is said, nothing is
//! lost, and the run continues when it can.
#![cfg(target_os = "linux")]

mod common;

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

use common::{Finished, Setup, engines, finish, hone, on_run, rows, scripted, signal, wait_until};

const NOBODY: u32 = 65_534;

/// `hone` for somebody whom permissions bind: not the superuser. None if such
/// a one cannot reach the programs.
fn bound_hone() -> Option<Command> {
    let bound = |mut command: Command| {
        // The folder of processes belongs to whom they belong to.
        let uid = fs::metadata("/proc/self").expect("Linux has it").uid();
        if uid == 0 {
            command.uid(NOBODY).gid(NOBODY);
        }
        command
    };
    let mut engine = bound(Command::new(scripted()));
    let reachable = engine
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .status()
        .is_ok();
    reachable.then(|| bound(hone()))
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).expect("it is ours");
}

/// Sets the modes of a run's folder and of its files.
fn set_modes(run: &Path, folder: u32, files: u32) {
    for entry in fs::read_dir(run).expect("a folder") {
        let path = entry.expect("an entry").path();
        set_mode(&path, files);
        // Only the superuser can, and only for him it matters.
        let _ = chown(&path, Some(NOBODY), Some(NOBODY));
    }
    set_mode(run, folder);
    let _ = chown(run, Some(NOBODY), Some(NOBODY));
}

fn try_it(arguments: &[&str], more: &Path) -> Option<Finished> {
    let mut command = bound_hone()?;
    command.args(arguments).arg(more);
    Some(finish(command))
}

#[test]
fn a_run_that_cannot_be_written_to_is_left_as_it_is() {
    let players = engines(("a", &scripted(), ""), ("b", &scripted(), ""));
    let setup = Setup::new(&format!(
        "{players}[match]\nlimit = \"nodes=10\"\npairs = 60\nconcurrency = 1\n\
         openings = {{ file = \"books/quick.epd\" }}\n[adjudication]\nmax_moves = 40\n"
    ));
    set_mode(setup.dir.path(), 0o755);
    let run = setup.run("run");
    let mut first = setup.command("match", "run", &[]);
    let mut child = first.stderr(Stdio::null()).spawn().expect("hone starts");
    wait_until("the first games", || rows(&run) >= 4);
    signal(&child, libc::SIGINT);
    assert_eq!(child.wait().expect("it ends").code(), Some(130));

    let games = || ["games.csv", "games.pgn"].map(|name| fs::read(run.join(name)).expect("there"));
    let before = games();
    set_modes(&run, 0o555, 0o444);
    let Some(refused) = try_it(&["resume"], &run) else {
        common::skip::skipped("only the superuser can reach the programs under test");
        return;
    };
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    assert!(
        refused.stderr.contains("games.") && refused.stderr.contains("Permission denied"),
        "{}",
        refused.stderr
    );
    assert_eq!(games(), before);
    let report = try_it(&["report"], &run).expect("as above");
    assert_eq!(report.code, Some(0), "{}", report.stderr);

    let config = setup.config.to_str().expect("text");
    let new = try_it(&["match", config, "--out"], &run.join("new")).expect("as above");
    assert_eq!(new.code, Some(2), "{}", new.stderr);
    assert!(new.stderr.contains("cannot make"), "{}", new.stderr);

    set_modes(&run, 0o755, 0o644);
    let resumed = on_run("resume", &run);
    assert_eq!(resumed.code, Some(0), "{}", resumed.stderr);
    assert_eq!(rows(&run), 120);
    let verified = on_run("verify", &run);
    assert_eq!(verified.code, Some(0), "{}", verified.stdout);
}

/// The files of its report are for copying; the report itself needs none of them.
#[test]
fn a_tuning_that_cannot_be_written_to_can_be_read() {
    let setup = common::tuning("pairs = 4", "");
    set_mode(setup.dir.path(), 0o755);
    let played = setup.play("tune", "run", &[]);
    assert_eq!(played.code, Some(0), "{}", played.stderr);
    let run = setup.run("run");
    set_modes(&run, 0o555, 0o444);
    let Some(report) = try_it(&["report"], &run) else {
        common::skip::skipped("only the superuser can reach the programs under test");
        return;
    };
    assert_eq!(report.code, Some(0), "{}", report.stderr);
    assert!(report.stdout.contains("QsDeltaMargin"), "{}", report.stdout);
    let warning = "warning: the report's files are not written: ";
    assert!(report.stderr.contains(warning), "{}", report.stderr);
    set_modes(&run, 0o755, 0o644);
}
