//! A run that was submitted, and its two files: what was asked for, and its
//! configuration.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use serde::{Deserialize, Serialize};

use crate::run::Kind;

/// What somebody submits.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Submission {
    pub name: String,
    pub kind: Kind,
    #[serde(default)]
    pub priority: i32,
}

/// What its owner wants of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Wanted {
    Played,
    /// Somebody else must approve it before it is played.
    Approval,
    /// It keeps its place, and is continued when that is asked for.
    Paused,
}

/// A run that was submitted and is not finished.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Job {
    pub name: String,
    pub kind: Kind,
    pub priority: i32,
    pub by: String,
    pub submitted: jiff::Timestamp,
    /// Who approved it, where that was needed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approved_by: Option<String>,
    pub wanted: Wanted,
    /// Whether a process of this server plays it.
    #[serde(skip)]
    pub is_running: bool,
    /// Why it ended without a result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
}

impl Job {
    pub(super) fn new(submission: &Submission, by: &str) -> Self {
        Self {
            name: submission.name.clone(),
            kind: submission.kind,
            priority: submission.priority,
            by: by.to_string(),
            submitted: jiff::Timestamp::now(),
            approved_by: None,
            wanted: Wanted::Played,
            is_running: false,
            failure: None,
        }
    }

    /// Whether it is to be started when there is a place.
    pub(crate) fn is_waiting(&self) -> bool {
        self.wanted == Wanted::Played && !self.is_running && self.failure.is_none()
    }

    /// What it is doing, for people.
    pub(crate) fn words(&self) -> String {
        match (&self.failure, self.wanted, self.is_running) {
            (Some(failure), ..) => format!("failed: {failure}"),
            (None, Wanted::Approval, _) => "waiting for approval".to_string(),
            (None, Wanted::Played, true) => "running".to_string(),
            (None, Wanted::Played, false) => "waiting".to_string(),
            (None, Wanted::Paused, true) => {
                "pausing: games in progress are being finished".to_string()
            }
            (None, Wanted::Paused, false) => "paused".to_string(),
        }
    }

    /// Whether somebody must approve it.
    pub(crate) fn needs_approval(&self) -> bool {
        self.wanted == Wanted::Approval
    }

    /// Its configuration, in the folder of the queue.
    pub(super) fn config(&self, folder: &Path) -> PathBuf {
        folder.join(format!("{}.toml", self.name))
    }

    /// What its process printed.
    pub(super) fn log(&self, folder: &Path) -> PathBuf {
        folder.join(format!("{}.log", self.name))
    }

    fn file(&self, folder: &Path) -> PathBuf {
        folder.join(format!("{}.json", self.name))
    }

    /// Writes what is wanted, completely or not at all.
    pub(super) fn save(&self, folder: &Path) -> anyhow::Result<()> {
        let path = self.file(folder);
        let partial = path.with_extension("json.partial");
        let text = serde_json::to_string_pretty(self)? + "\n";
        fs::write(&partial, text)
            .and_then(|()| fs::rename(&partial, &path))
            .with_context(|| format!("cannot write {}", path.display()))
    }

    /// Removes its files.
    pub(super) fn remove(&self, folder: &Path) {
        for path in [self.file(folder), self.config(folder), self.log(folder)] {
            // What is left behind is only noticed by who looks into the folder.
            let _ = fs::remove_file(path);
        }
    }

    /// The jobs in a folder; a file that makes no sense is skipped.
    pub(super) fn read_all(folder: &Path) -> Vec<Self> {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let mut jobs: Vec<Self> = entries
            .map(|entry| entry.path())
            .filter(|path| path.extension().is_some_and(|end| end == "json"))
            .filter_map(|path| {
                let job: Self = serde_json::from_slice(&fs::read(&path).ok()?).ok()?;
                (check_name(&job.name).is_ok() && job.file(folder) == path).then_some(job)
            })
            .collect();
        jobs.sort_by_key(|job| job.submitted);
        jobs
    }
}

/// A name that is safe as a file's on every system.
///
/// # Errors
/// If it is not.
pub(super) fn check_name(name: &str) -> anyhow::Result<()> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-._".contains(c);
    ensure!(
        (1..=100).contains(&name.len())
            && name.starts_with(|c: char| c.is_ascii_alphanumeric())
            && name.chars().all(is_plain),
        "`{name}` is not the name of a run: letters, digits, `-`, `.` and `_`, a letter or digit first, at most 100"
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_nowhere_else() {
        for name in ["a", "2026-01-01-sprt", "x_1.5"] {
            assert!(check_name(name).is_ok(), "{name}");
        }
        for name in ["", "../x", "a/b", ".hidden", "-v", "a b", "a~b", "ü"] {
            assert!(check_name(name).is_err(), "{name}");
        }
        assert!(check_name(&"a".repeat(101)).is_err());
    }

    #[test]
    fn jobs_survive_a_restart() {
        let dir = tempfile::tempdir().expect("a folder");
        let submission = Submission {
            name: "one".to_string(),
            kind: Kind::Match,
            priority: 3,
        };
        let mut job = Job::new(&submission, "ann");
        job.wanted = Wanted::Paused;
        job.save(dir.path()).expect("written");
        fs::write(dir.path().join("bad.json"), "{").expect("written");
        let jobs = Job::read_all(dir.path());
        assert_eq!(jobs.len(), 1);
        assert_eq!((jobs[0].name.as_str(), jobs[0].priority), ("one", 3));
        assert_eq!(jobs[0].words(), "paused");
        job.remove(dir.path());
        assert!(Job::read_all(dir.path()).is_empty());
    }
}
