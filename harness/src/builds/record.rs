//! `build.toml`: what a build in the cache is.

#![cfg_attr(not(test), warn(clippy::unwrap_used, clippy::expect_used))]
#![cfg_attr(not(test), warn(clippy::indexing_slicing, clippy::string_slice))]
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects, clippy::cast_possible_truncation))]

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::bench::{self, BenchError};
use super::{BenchCheck, BuildError, BuildHold, short_id};
use crate::platform::write_whole;

/// An engine that is ready to be started.
#[derive(Debug, Clone, PartialEq)]
pub struct Built {
    pub program: PathBuf,
    /// Arguments that its recipe gives it.
    pub args: Vec<String>,
    /// What it was built from, and the result.
    pub record: BuildRecord,
    /// Whether it was in the cache already.
    pub was_cached: bool,
    /// Keeps it from being pruned.
    pub hold: BuildHold,
}

/// Names of the files beside a build's program.
pub(super) const RECORD: &str = "build.toml";
pub(super) const LOG: &str = "build.log";
pub(super) const BENCH_LOG: &str = "bench.log";

/// The source and the result of a build.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BuildRecord {
    /// The git folder of the repository.
    pub repository: PathBuf,
    /// All 40 digits.
    pub commit: String,
    pub subject: String,
    /// When it was committed.
    pub date: jiff::Timestamp,
    /// The tree that was built, if it is the commit with uncommitted changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub build: Option<String>,
    pub cmd: String,
    /// Of the program.
    pub sha256: String,
    /// What the program's `bench` counts; `None` if it gave no count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bench: Option<u64>,
    /// What the commit's message says that it counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected_bench: Option<u64>,
    pub created: jiff::Timestamp,
}

impl Built {
    /// Makes sure that the bench is what it should be.
    ///
    /// # Errors
    /// [`BuildError::Bench`].
    pub fn check_bench(&mut self, check: BenchCheck, sandbox: bool) -> Result<(), BuildError> {
        let of_message = self.record.expected_bench;
        match check.fault(|| self.bench(sandbox), of_message) {
            None => Ok(()),
            Some(reason) => Err(BuildError::Bench {
                commit: format!(
                    "{} ({})",
                    short_id(&self.record.commit),
                    self.record.subject
                ),
                reason,
            }),
        }
    }

    /// The node count of its bench. If it gave none when the program was built, it
    /// runs again, in a sandbox if `sandbox`: the cause may have been the machine.
    ///
    /// # Errors
    /// [`BenchError`].
    pub(crate) fn bench(&mut self, sandbox: bool) -> Result<u64, BenchError> {
        if let Some(nodes) = self.record.bench {
            return Ok(nodes);
        }
        let folder = self.program.parent().unwrap_or(Path::new(""));
        let log = folder.join(BENCH_LOG);
        let nodes = bench::run(&self.program, &self.args, &log, sandbox)?;
        self.record.bench = Some(nodes);
        // If it cannot be recorded, it runs again the next time.
        let _ = self.record.write(folder);
        Ok(nodes)
    }
}

impl BuildRecord {
    pub(super) fn write(&self, dir: &Path) -> Result<(), BuildError> {
        let path = dir.join(RECORD);
        let text = toml::to_string(self).map_err(std::io::Error::other);
        text.and_then(|text| write_whole(&path, |file| file.write_all(text.as_bytes())))
            .map_err(BuildError::io(&path))
    }

    /// The record in a build's folder; `None` if there is no complete one.
    pub(super) fn read(dir: &Path) -> Option<Self> {
        let text = fs::read_to_string(dir.join(RECORD)).ok()?;
        toml::from_str(&text).ok()
    }
}
