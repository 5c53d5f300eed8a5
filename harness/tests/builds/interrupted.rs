//! Ctrl-C while an engine is built, before the first game.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::common::repository::{BUILD, EngineRepository};
use crate::common::{Finished, finish, interrupted};

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
