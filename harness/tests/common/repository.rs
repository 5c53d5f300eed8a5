//! A git repository with an engine that builds at once and answers at once: a shell script
//! that starts the scripted engine.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

use super::{hone, scripted};

/// Build command that copies the program to `{out}`.
pub(crate) const BUILD: &str = "sh build.sh {out}";

/// An engine that is some 300 Elo weaker than that of the other commits, which loses a tenth
/// of its games.
pub(crate) const WEAK: &str = "--lose 70";

/// An engine that takes its time, so that a run does not play all openings within a time
/// limit of seconds.
pub(crate) const SLOW: &str = "move=late:10";

pub(crate) struct EngineRepository {
    pub(crate) dir: TempDir,
}

impl EngineRepository {
    /// An empty repository.
    pub(crate) fn new() -> Self {
        let repository = Self {
            dir: tempfile::tempdir().expect("a temporary folder"),
        };
        fs::create_dir(repository.path()).expect("made");
        repository.git(&["init", "--quiet", "--initial-branch=main"]);
        repository
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.dir.path().join("engine")
    }

    /// A cache of builds that only this test has.
    pub(crate) fn cache(&self) -> PathBuf {
        self.dir.path().join("cache")
    }

    /// `hone` with that cache, started in the repository.
    pub(crate) fn hone(&self) -> Command {
        let mut command = hone();
        command
            .env("HONE_CACHE", self.cache())
            .current_dir(self.path());
        command
    }

    /// Changes the build: if the shell's `condition` holds, it creates `marker` and waits for
    /// ever. The shell itself waits, because a signal may be lost while it starts another
    /// program.
    #[cfg(unix)]
    pub(crate) fn write_waiting_build(&self, condition: &str, marker: &Path) {
        let build = fs::read_to_string(self.path().join("build.sh")).expect("there");
        let marker = marker.display();
        let wait = format!("mkfifo '{marker}.fifo'; : >'{marker}'; read -r never <'{marker}.fifo'");
        self.write(
            "build.sh",
            &format!("if {condition}; then {wait}; fi\n{build}"),
        );
    }

    pub(crate) fn git(&self, arguments: &[&str]) -> String {
        let output = Command::new("git")
            .arg("-C")
            .arg(self.path())
            .args([
                "-c",
                "user.name=Tester",
                "-c",
                "user.email=tester@localhost",
            ])
            .args(arguments)
            .stdin(Stdio::null())
            .output()
            .expect("git starts");
        let text = String::from_utf8_lossy(&output.stdout).trim().to_string();
        assert!(output.status.success(), "git {arguments:?}: {output:?}");
        text
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        fs::write(self.path().join(name), text).expect("written");
    }

    /// Writes the engine's sources: the scripted engine with `options`, whose `bench` counts
    /// `bench` nodes. Engines with different numbers play different moves.
    pub(crate) fn write_engine(&self, options: &str, bench: u64) {
        self.write("engine.sh", &script(options, bench));
        self.write(
            "build.sh",
            "echo building\ncp engine.sh \"$1\"\nchmod +x \"$1\"\n",
        );
    }

    /// Commits all files; returns the commit's id.
    pub(crate) fn commit(&self, message: &str) -> String {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--allow-empty", "--message", message]);
        self.git(&["rev-parse", "HEAD"])
    }

    /// Commits an engine.
    pub(crate) fn commit_engine(&self, options: &str, bench: u64, message: &str) -> String {
        self.write_engine(options, bench);
        self.commit(message)
    }
}

fn script(options: &str, bench: u64) -> String {
    format!(
        "#!/bin/sh\ncase \" $* \" in *' bench '*) echo '{bench} nodes 1000 nps'; exit;; esac\n\
         exec '{}' --seed {bench} --lose 10 {options} \"$@\"\n",
        scripted()
    )
}
