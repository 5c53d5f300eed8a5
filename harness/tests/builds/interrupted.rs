//! The end of `hone` while an engine is built or its bench runs, before the first game.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
#[cfg(target_os = "linux")]
use std::process::Stdio;

use crate::common::repository::{BUILD, EngineRepository};
use crate::common::{Finished, finish, interrupted};
#[cfg(target_os = "linux")]
use crate::common::{processes_with, running::Running, signal, wait_until};

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
    let message = "Interrupted before anything was played; a build may still be running.";
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

/// A bench runs in a process group of its own, which Ctrl-C in the terminal does not reach.
#[cfg(target_os = "linux")]
#[test]
fn a_bench_ends_with_hone_however_it_ends() {
    // No other test has a `sleep` of these numbers of seconds.
    for (number, seconds, code) in [
        (libc::SIGINT, 3461, Some(130)),
        (libc::SIGTERM, 3462, Some(130)),
        (libc::SIGKILL, 3463, None),
    ] {
        let repository = EngineRepository::new();
        let marker = repository.dir.path().join("bench-runs");
        repository.write_engine("", 1);
        let bench = format!(
            "#!/bin/sh\nsleep {seconds} &\n: >'{}'\nwait\n",
            marker.display()
        );
        repository.write("engine.sh", &bench);
        repository.commit("First");
        repository.write("engine.sh", "#!/bin/sh\n");
        repository.commit("Second");
        let mut command = repository.hone();
        command.args([
            "sprt",
            "--dev=git:HEAD^",
            "--base=git:HEAD",
            "--build",
            BUILD,
        ]);
        command.args(["--limit=nodes=50", "--out=run"]);
        command.stdout(Stdio::null()).stderr(Stdio::piped());
        let child = Running::start(&mut command);
        wait_until("the bench", || marker.exists());
        signal(&child, number);
        let ended = child.finish();
        assert_eq!(ended.code, code, "{}", ended.stderr);
        let sleep = format!("sleep {seconds}");
        wait_until("the end of the bench", || processes_with(&sleep).is_empty());
    }
}
