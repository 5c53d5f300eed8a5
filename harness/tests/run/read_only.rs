//! A run in a folder without write permission: an error names the cause, no game is lost,
//! and the run continues once it can be written.
use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::common::running::Running;
use crate::common::{
    self, Finished, Setup, digest, finish, hone, on_run, player, rows, scripted, signal, wait_until,
};

const NOBODY: u32 = 65_534;

/// `hone` for a user to whom permissions apply: not the superuser. `None` if that user
/// cannot execute the programs.
fn hone_as_user() -> Option<Command> {
    let as_user = |mut command: Command| {
        // The owner of /proc/self is the user of this process.
        let uid = fs::metadata("/proc/self").expect("Linux has it").uid();
        if uid == 0 {
            command.uid(NOBODY).gid(NOBODY);
        }
        command
    };
    let mut engine = as_user(Command::new(scripted()));
    let is_executable = engine
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .status()
        .is_ok();
    is_executable.then(|| as_user(hone()))
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).expect("it is ours");
}

/// Sets the modes of a run's folder and of its files.
fn set_modes(run: &Path, folder: u32, files: u32) {
    for entry in fs::read_dir(run).expect("a folder") {
        let path = entry.expect("an entry").path();
        set_mode(&path, files);
        // Only the superuser can, and only there it is needed.
        let _ = chown(&path, Some(NOBODY), Some(NOBODY));
    }
    set_mode(run, folder);
    let _ = chown(run, Some(NOBODY), Some(NOBODY));
}

/// `hone ARGS… PATH` for that user.
fn run_as_user(arguments: &[&str], path: &Path) -> Option<Finished> {
    let mut command = hone_as_user()?;
    command.args(arguments).arg(path);
    Some(finish(command))
}

#[test]
fn a_run_that_cannot_be_written_to_is_left_as_it_is() {
    let folder = tempfile::tempdir().expect("a folder");
    let interrupted = folder.path().join("interrupted");
    // The third pair begins only after the interrupt, also if this test gets no processor.
    let gate = format!("ucinewgame:5=until:{}", interrupted.display());
    let players = player("a", &gate) + &player("b", "");
    let setup = Setup::new(&format!(
        "{players}[match]\nlimit = \"nodes=10\"\npairs = 60\nconcurrency = 1\nstall_ms = 600000\n\
         openings = {{ file = \"books/quick.epd\" }}\n[adjudication]\nmax_moves = 40\n"
    ));
    set_mode(setup.dir.path(), 0o755);
    let run = setup.run("run");
    let mut first = setup.command("match", "run", &[]);
    let child = Running::start(first.stderr(Stdio::null()));
    wait_until("the first games", || rows(&run) >= 4);
    signal(&child, libc::SIGINT);
    fs::write(&interrupted, "").expect("written");
    assert_eq!(child.finish().code, Some(130));

    let games = || ["games.csv", "games.pgn"].map(|name| fs::read(run.join(name)).expect("there"));
    let before = games();
    set_modes(&run, 0o555, 0o444);
    let Some(refused) = run_as_user(&["resume"], &run) else {
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
    let report = run_as_user(&["report"], &run).expect("as above");
    assert_eq!(report.code, Some(0), "{}", report.stderr);

    let config = setup.config.to_str().expect("text");
    let new = run_as_user(&["match", config, "--out"], &run.join("new")).expect("as above");
    assert_eq!(new.code, Some(2), "{}", new.stderr);
    assert!(new.stderr.contains("cannot make"), "{}", new.stderr);

    set_modes(&run, 0o755, 0o644);
    let resumed = on_run("resume", &run);
    assert_eq!(resumed.code, Some(0), "{}", resumed.stderr);
    assert_eq!(rows(&run), 120);
    digest(&run);
}

/// `hone report` also writes files for other programs; it does not need them itself.
#[test]
fn a_tuning_that_cannot_be_written_to_can_be_read() {
    let setup = common::tuning("pairs = 4", "");
    set_mode(setup.dir.path(), 0o755);
    let played = setup.play("tune", "run", &[]);
    assert_eq!(played.code, Some(0), "{}", played.stderr);
    let run = setup.run("run");
    set_modes(&run, 0o555, 0o444);
    let Some(report) = run_as_user(&["report"], &run) else {
        common::skip::skipped("only the superuser can reach the programs under test");
        return;
    };
    assert_eq!(report.code, Some(0), "{}", report.stderr);
    assert!(report.stdout.contains("QsDeltaMargin"), "{}", report.stdout);
    let warning = "warning: the report's files are not written: ";
    assert!(report.stderr.contains(warning), "{}", report.stderr);
    set_modes(&run, 0o755, 0o644);
}
