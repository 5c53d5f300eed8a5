//! `build.toml`: the record of a build in the cache.

#![cfg_attr(not(test), warn(clippy::expect_used, clippy::indexing_slicing))]
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects, clippy::cast_possible_truncation))]

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::bench::{self, BenchError};
use super::{BenchCheck, BuildError, BuildHold, Recipe, Revision, short_id};
use hone_base::diagnostic::Diagnostic;
use hone_base::platform::write_whole;

/// A built engine.
#[derive(Debug, Clone, PartialEq)]
pub struct Built {
    pub program: PathBuf,
    /// Arguments from its recipe.
    pub args: Vec<String>,
    /// Its source and its result.
    pub record: BuildRecord,
    /// Whether it was in the cache already.
    pub was_cached: bool,
    /// Protects it from pruning.
    pub hold: BuildHold,
}

/// Names of the files next to a build's program.
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
    /// Committer date.
    pub date: jiff::Timestamp,
    /// The tree that was built, if it is the commit with uncommitted changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub build: Option<String>,
    pub cmd: String,
    /// SHA-256 of the program.
    pub sha256: String,
    /// Node count of the program's `bench`; `None` if it did not print one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bench: Option<u64>,
    /// Node count in the commit's message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected_bench: Option<u64>,
    pub created: jiff::Timestamp,
}

impl Built {
    /// The folder of the build.
    fn folder(&self) -> &Path {
        let mut folders = self.program.ancestors().skip(1);
        let is_of_build = |folder: &&Path| self.record.program_in(folder) == self.program;
        folders.find(is_of_build).unwrap_or(Path::new(""))
    }

    /// Checks the node count of the bench.
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
                help: Diagnostic::default(),
            }),
        }
    }

    /// The node count of its bench. If it failed when the program was built, it runs again (in
    /// a sandbox if `sandbox`), because the machine may have been the cause.
    ///
    /// # Errors
    /// [`BenchError`].
    pub fn bench(&mut self, sandbox: bool) -> Result<u64, BenchError> {
        if let Some(nodes) = self.record.bench {
            return Ok(nodes);
        }
        let folder = self.folder().to_path_buf();
        let log = folder.join(BENCH_LOG);
        let nodes = bench::run(&self.program, &self.args, &log, sandbox)?;
        self.record.bench = Some(nodes);
        // If the count cannot be recorded, the bench runs again next time.
        let _ = self.record.write(&folder);
        Ok(nodes)
    }
}

impl BuildRecord {
    /// The program's path in the folder of the build.
    pub(super) fn program_in(&self, build: &Path) -> PathBuf {
        let recipe = Recipe {
            repository: self.repository.clone(),
            revision: Revision::Commit(self.commit.clone()),
            build: self.build.clone(),
            cmd: self.cmd.clone(),
        };
        recipe.program_in(build)
    }

    pub(super) fn write(&self, dir: &Path) -> Result<(), BuildError> {
        let path = dir.join(RECORD);
        let text = toml::to_string(self).map_err(std::io::Error::other);
        text.and_then(|text| write_whole(&path, |file| file.write_all(text.as_bytes())))
            .map_err(BuildError::io(&path))
    }

    /// The record in a build's folder; `None` if it is missing or incomplete.
    pub(super) fn read(dir: &Path) -> Option<Self> {
        let text = fs::read_to_string(dir.join(RECORD)).ok()?;
        toml::from_str(&text).ok()
    }
}
