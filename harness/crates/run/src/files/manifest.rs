//! `run.toml`: everything that defines a run, including the values of all defaults.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use serde::{Deserialize, Serialize};

use super::kind::Kind;
use crate::config::{self, Config, EngineConfig};
pub use crate::ledger::MANIFEST;
use crate::play::repeats::RepeatRule;
use hone_base::platform::{read_text, write_whole};
use hone_builds::short_id;
use hone_experiment::settings::Shard;

/// The identity of an engine: what was really played.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EngineIdentity {
    pub name: String,
    /// Its `id name`.
    pub id: String,
    pub author: String,
    /// The program that was started.
    pub program: PathBuf,
    pub sha256: String,
    /// The commit it was built from; its `tree` too, if there were changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// Who wrote the commit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit_author: Option<String>,
    /// When it was committed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub committed: Option<jiff::Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree: Option<String>,
    /// The node count of its `bench`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bench: Option<u64>,
    /// The defaults of its options `Threads` and `Hash`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub defaults: BTreeMap<String, String>,
}

/// The value of an option of `engine`: the configured one, or else its default, which is
/// known of `Threads` and `Hash` alone.
pub fn option_value<'a>(
    engine: &'a EngineConfig,
    identities: &'a [EngineIdentity],
    name: &str,
) -> Option<&'a str> {
    let default = || {
        let identity = identities.iter().find(|known| known.name == engine.name)?;
        identity.defaults.get(name).map(String::as_str)
    };
    engine.options.get(name).or_else(default)
}

impl EngineIdentity {
    /// Its name, commit and subject, and whether there were changes; without a commit, its
    /// name, and the file name of the program if that differs.
    pub fn description(&self) -> String {
        let Some(commit) = &self.commit else {
            let file = self.program.file_stem().unwrap_or_default();
            let file = file.to_string_lossy();
            return if file == self.name || file.is_empty() {
                self.name.clone()
            } else {
                format!("{} ({file})", self.name)
            };
        };
        let mut text = self.name.clone();
        if !commit.starts_with(&self.name) && !text.contains(short_id(commit)) {
            text += &format!(" {}", short_id(commit));
        }
        if let Some(subject) = &self.subject {
            text += &format!(" ({subject})");
        }
        if self.is_uncommitted() {
            text += " + uncommitted changes";
        }
        text
    }

    /// Whether it was built from changes that are not committed.
    pub fn is_uncommitted(&self) -> bool {
        self.tree.is_some()
    }

    /// Its part of the name of a run's folder.
    pub fn folder_name(&self) -> String {
        let Some(commit) = &self.commit else {
            return self.name.clone();
        };
        let changes = if self.is_uncommitted() { "+" } else { "" };
        if commit.starts_with(&self.name) {
            format!("{}{changes}", short_id(commit))
        } else {
            format!(
                "{}.{}{changes}",
                self.name,
                commit.get(..7).unwrap_or(commit)
            )
        }
    }
}

/// The identity of a book.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BookIdentity {
    /// The file, or the name of the built-in book.
    pub file: PathBuf,
    pub sha256: String,
    pub openings: usize,
    /// Openings that differ in more than their move counters; missing in older runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub distinct: Option<usize>,
}

impl BookIdentity {
    /// Distinct openings; in manifests of earlier versions, which do not have the number, all
    /// openings.
    pub fn distinct_openings(&self) -> usize {
        self.distinct.unwrap_or(self.openings)
    }
}

/// A run whose pairs are in a pool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PooledRun {
    /// Name of its folder.
    pub run: String,
    #[serde(default, skip_serializing_if = "Shard::is_whole")]
    pub shard: Shard,
    pub created: jiff::Timestamp,
    /// Number of its first worker in the pool.
    pub first_worker: usize,
    pub workers: usize,
}

impl PooledRun {
    /// The first number after those of its workers.
    pub fn end_of_workers(&self) -> usize {
        self.first_worker.saturating_add(self.workers)
    }
}

/// A run before this one, whose games are not new evidence: an earlier stage of a test, or the
/// tuning whose values are tested.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EarlierRun {
    /// Its folder, relative to that of this run.
    pub folder: PathBuf,
    /// The first pair (from 0) that is not judged.
    pub pairs: u64,
}

/// Contents of `run.toml`: written at the start of a run; of a pool, when a run is added.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// Version of the program that started the run.
    pub hone: String,
    pub kind: Kind,
    pub created: jiff::Timestamp,
    /// The folder that relative paths of the configuration start from.
    pub base: PathBuf,
    /// Pairs in flight at once, with the default filled in.
    pub concurrency: usize,
    /// Pairs that `hone resume --pairs` has set in place of the configured number: of
    /// each pairing of a match, or at most of a test.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pairs: Option<u64>,
    /// Which processors each worker's engines are bound to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub placement: Vec<Vec<usize>>,
    /// What keeps engines from reading and signalling other processes on the machine that has
    /// started the run, by [`hone_base::platform::Isolation::name`], or `sandbox`; empty in
    /// older runs.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub isolation: String,
    pub engines: Vec<EngineIdentity>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub book: Option<BookIdentity>,
    /// Of a pool, the runs that it is made of.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pooled: Vec<PooledRun>,
    /// The runs before this one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub earlier: Vec<EarlierRun>,
    /// What is done with pairs that repeat earlier games.
    #[serde(default)]
    pub repeats: RepeatRule,
    pub config: Config,
}

impl Manifest {
    /// Reads the manifest of the run in `dir`.
    ///
    /// # Errors
    /// If there is none, or it cannot be read. A wrong value has its place, because some keys
    /// may be edited.
    pub fn read(dir: &Path) -> anyhow::Result<Self> {
        let path = dir.join(MANIFEST);
        let text = read_text(&path).with_context(|| {
            format!(
                "{} is not a run: cannot read {}",
                dir.display(),
                path.display()
            )
        })?;
        let manifest: Self = match toml::from_str(&text) {
            Ok(manifest) => manifest,
            Err(error) => {
                config::document(&path, &text)
                    .with_context(|| format!("{} is damaged", path.display()))?;
                return Err(config::of_value(&path, &text, &error).into());
            }
        };
        let identities = manifest.engines.iter().map(|engine| &engine.name);
        let configured = manifest.config.engine.iter().map(|engine| &engine.name);
        ensure!(
            identities.eq(configured),
            "{} is damaged: [[engines]] and [[config.engine]] do not list the same engines",
            path.display()
        );
        Ok(manifest)
    }

    /// Writes the manifest into `dir`, completely or not at all.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn write(&self, dir: &Path) -> anyhow::Result<()> {
        let text = toml::to_string(self).context("the manifest cannot be put into TOML")?;
        let path = dir.join(MANIFEST);
        write_whole(&path, |file| file.write_all(text.as_bytes()))
            .with_context(|| format!("cannot write {}", path.display()))
    }

    /// Whether a match plays the pairs that it was planned with, whatever its results.
    pub fn plays_as_planned(&self) -> bool {
        self.config.r#match.stop.is_none() && self.pairs.is_none()
    }

    /// The pairs that a match plays of each pairing, or a test at most; `None` of other
    /// kinds.
    pub fn planned_pairs(&self) -> Option<u64> {
        let configured = match self.kind {
            Kind::Match => self.config.r#match.pairs,
            Kind::Sprt => self.config.sprt.unwrap_or_default().max_pairs,
            Kind::Tune | Kind::Bisect => return None,
        };
        Some(self.pairs.unwrap_or(configured))
    }

    /// The configuration that repeats the run, with the pairs that `hone resume --pairs` has
    /// added.
    pub fn repeatable_config(&self) -> Config {
        let mut config = self.config.clone();
        match (self.kind, self.pairs) {
            (Kind::Tune | Kind::Bisect, _) | (_, None) => {}
            (Kind::Match, Some(pairs)) => config.r#match.pairs = pairs,
            (Kind::Sprt, Some(pairs)) => {
                config.sprt.get_or_insert_default().max_pairs = pairs;
                let stage = config.stage.first_mut();
                if let Some(test) = stage.and_then(|stage| stage.sprt.as_mut()) {
                    test.max_pairs = pairs;
                }
            }
        }
        config
    }

    /// Names of the engines, in the order of the configuration.
    pub fn names(&self) -> Vec<String> {
        self.config
            .engine
            .iter()
            .map(|engine| engine.name.clone())
            .collect()
    }
}
