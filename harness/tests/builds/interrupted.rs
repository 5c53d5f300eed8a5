//! The end of `hone` while an engine is built or its bench runs, before the first game.

use std::fs;
#[cfg(target_os = "linux")]
use std::path::Path;
use std::path::PathBuf;
use std::process::Command;
#[cfg(target_os = "linux")]
use std::process::Stdio;

use crate::common::repository::{BUILD, EngineRepository};
use crate::common::{Finished, finish, interrupted};
#[cfg(target_os = "linux")]
use crate::common::{hone, processes_with, running::Running, signal, wait_until};

/// Two commits. The first build creates `marker` and waits.
struct Waiting {
    repository: EngineRepository,
    marker: PathBuf,
    summary: PathBuf,
}

impl Waiting {
    fn new() -> Self {
        let repository = EngineRepository::new();
        let [marker, summary] =
            ["is-building", "summary.md"].map(|name| repository.dir.path().join(name));
        repository.write_engine("", 1);
        repository.write_waiting_build(&format!("[ ! -e '{}' ]", marker.display()), &marker);
        repository.commit("First");
        repository.write("engine.sh", "#!/bin/sh\n");
        repository.commit("Second");
        Self {
            repository,
            marker,
            summary,
        }
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.repository.hone();
        command.args(arguments).args(["--build", BUILD]);
        command.args(["--limit=nodes=50", "--out=run", "--summary"]);
        command.arg(&self.summary);
        command
    }

    /// Interrupts the command during its first build. Returns its error output and its summary.
    fn interrupted(&self, arguments: &[&str]) -> (String, String) {
        fs::write(&self.summary, "of an earlier run").expect("written");
        let Finished { code, stderr, .. } = interrupted(self.command(arguments), &self.marker);
        assert_eq!(code, Some(130), "{stderr}");
        assert!(!stderr.contains("does not build"), "{stderr}");
        (stderr, fs::read_to_string(&self.summary).expect("there"))
    }
}

#[test]
fn an_interrupted_test_reports_that_nothing_was_played() {
    let waiting = Waiting::new();
    let (stderr, summary) = waiting.interrupted(&["sprt", "--dev=git:HEAD^", "--base=git:HEAD"]);
    let message = "Interrupted before anything was played.";
    for text in [&stderr, &summary] {
        assert!(text.contains(message), "{text}");
    }
    assert!(summary.starts_with("## hone: not played"), "{summary}");
    assert!(!waiting.repository.path().join("run").exists());
}

#[test]
fn an_interrupted_bisection_names_the_run_to_resume() {
    let waiting = Waiting::new();
    let (stderr, summary) = waiting.interrupted(&["bisect", "--good=HEAD^", "--bad=HEAD"]);
    for text in [&stderr, &summary] {
        assert!(text.contains("hone resume run"), "{text}");
    }
    // The interrupted build is not a fault of its commit: only the other one cannot play.
    let mut resume = waiting.repository.hone();
    resume.args(["resume", "run"]);
    let resumed = finish(resume);
    assert_eq!(resumed.code, Some(4), "{}", resumed.stderr);
    let message = "(it builds but does not start)";
    assert!(resumed.stderr.contains(message), "{}", resumed.stderr);
}

/// Starts a command that starts `sleep SECONDS` and makes `marker`, and ends it by a signal
/// that only `hone` gets: the `sleep` ends too.
#[cfg(target_os = "linux")]
fn ends_with_hone(mut command: Command, marker: &Path, seconds: usize, number: i32) {
    let child = Running::start(command.stdout(Stdio::null()).stderr(Stdio::piped()));
    wait_until("the start", || marker.exists());
    signal(&child, number);
    let ended = child.finish();
    let code = (number != libc::SIGKILL).then_some(130);
    assert_eq!(ended.code, code, "{}", ended.stderr);
    let sleep = format!("sleep {seconds}");
    wait_until("the end of all", || processes_with(&sleep).is_empty());
}

#[cfg(target_os = "linux")]
const SIGNALS: [i32; 3] = [libc::SIGINT, libc::SIGTERM, libc::SIGKILL];

/// A shell script that ends only when it is killed. It makes `marker` when `hone` has had time
/// to note that it has started.
#[cfg(target_os = "linux")]
fn sleeping(marker: &Path, seconds: usize) -> String {
    format!(
        "sleep {seconds} &\nsleep 1\n: >'{}'\nwait\n",
        marker.display()
    )
}

/// Builds and benches run in sessions of their own, which Ctrl-C in the terminal does not
/// reach.
#[cfg(target_os = "linux")]
#[test]
fn a_bench_ends_with_hone_however_it_ends() {
    // No other test has a `sleep` of these numbers of seconds.
    for (seconds, number) in (3461..).zip(SIGNALS) {
        let repository = EngineRepository::new();
        let marker = repository.dir.path().join("bench-runs");
        repository.write_engine("", 1);
        let bench = format!("#!/bin/sh\n{}", sleeping(&marker, seconds));
        repository.write("engine.sh", &bench);
        repository.commit("First");
        repository.write("engine.sh", "#!/bin/sh\n");
        repository.commit("Second");
        let mut command = repository.hone();
        command.args(["sprt", "--dev=git:HEAD^", "--base=git:HEAD"]);
        command.args(["--build", BUILD, "--limit=nodes=50", "--out=run"]);
        ends_with_hone(command, &marker, seconds, number);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_build_ends_with_hone_however_it_ends() {
    let commands = [
        &["sprt", "--dev=git:HEAD^", "--base=git:HEAD"][..],
        &["bisect", "--good=HEAD^", "--bad=HEAD"],
    ];
    let cases = commands
        .iter()
        .flat_map(|command| SIGNALS.map(|number| (command, number)));
    for (seconds, (arguments, number)) in (3471..).zip(cases) {
        let repository = EngineRepository::new();
        let marker = repository.dir.path().join("is-building");
        repository.write_engine("", 1);
        repository.write("build.sh", &sleeping(&marker, seconds));
        repository.commit("First");
        repository.commit("Second");
        let mut command = repository.hone();
        command.args(*arguments).args(["--build", BUILD]);
        command.args(["--limit=nodes=50", "--out=run"]);
        ends_with_hone(command, &marker, seconds, number);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_build_in_place_ends_with_hone_however_it_ends() {
    for (seconds, number) in (3481..).zip(SIGNALS) {
        let folder = tempfile::tempdir().expect("a folder");
        let marker = folder.path().join("is-building");
        fs::write(folder.path().join("build.sh"), sleeping(&marker, seconds)).expect("written");
        let engines = "[[engine]]\nname = \"a\"\ncmd = \"./a\"\nbuild = \"sh build.sh\"\n\
                       [[engine]]\nname = \"b\"\ncmd = \"./b\"\n[match]\nlimit = \"nodes=50\"\n";
        fs::write(folder.path().join("match.toml"), engines).expect("written");
        let mut command = hone();
        command
            .args(["match", "match.toml"])
            .current_dir(folder.path());
        ends_with_hone(command, &marker, seconds, number);
    }
}
