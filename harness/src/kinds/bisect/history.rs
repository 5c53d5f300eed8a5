//! The commits that are bisected, as engines.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};

use crate::builds::{BenchCheck, Commit, Repository};
use crate::config::{Config, EngineConfig};
use crate::run::{EngineIdentity, Manifest};

fn repository(config: &Config, base: &Path) -> anyhow::Result<Repository> {
    let repository = config.engine[0].git.as_ref();
    let repository = repository.context("the engine has no `git`")?;
    Ok(Repository::open(&base.join(repository))?)
}

/// The commits from the good one to the bad one, both among them.
pub(super) fn history(config: &Config, base: &Path) -> anyhow::Result<Vec<Commit>> {
    let section = config.bisect.clone().unwrap_or_default();
    let repository = repository(config, base)?;
    let good = repository.commit(&section.good)?;
    let later = repository.first_parents(&good.id, &section.bad)?;
    let Some(first) = later.first() else {
        bail!(
            "no commits from {} to {}: the bad commit must come after the good one",
            section.good,
            section.bad
        );
    };
    let before = repository
        .commit(&format!("{}^", first.id))
        .ok()
        .with_context(|| {
            format!(
                "{} is not in the known history of {}: the branches are unrelated, or the clone is \
                 shallow (`git fetch --unshallow` completes it)",
                section.good, section.bad
            )
        })?;
    ensure!(
        before.id == good.id,
        "{} is not in the first-parent history of {}: choose a good commit on the same branch, as {}",
        section.good,
        section.bad,
        before.describe()
    );
    let mut commits = vec![good];
    commits.extend(later);
    Ok(commits)
}

/// The ids of the commits that the configuration skips.
pub(super) fn skipped(
    config: &Config,
    base: &Path,
    commits: &[Commit],
) -> anyhow::Result<Vec<String>> {
    let section = config.bisect.clone().unwrap_or_default();
    let repository = repository(config, base)?;
    let id = |rev: &String| {
        let commit = repository.commit(rev)?;
        let number = commits.iter().position(|other| other.id == commit.id);
        match number {
            Some(number) if number > 0 && number + 1 < commits.len() => Ok(commit.id),
            Some(_) => bail!("{rev} cannot be skipped: the good and the bad commit must play"),
            None => bail!(
                "{rev} cannot be skipped: it is not between {} and {}",
                section.good,
                section.bad
            ),
        }
    };
    section.skip.iter().map(id).collect()
}

/// The branch that a commit has merged: the commit at which it begins, and its last one.
/// `None` if the commit is not a merge, its branch has only one commit, or the repository
/// is not on this machine.
pub(super) fn merged_branch(manifest: &Manifest, commit: &str) -> Option<[Commit; 2]> {
    let repository = repository(&manifest.config, &manifest.base).ok()?;
    let last = repository.commit(&format!("{commit}^2")).ok()?;
    let before = format!("{commit}^1");
    let commits = repository.first_parents(&before, &last.id).ok()?;
    let first = commits.first().filter(|_| commits.len() > 1)?;
    let start = repository.commit(&format!("{}^", first.id)).ok()?;
    Some([start, last])
}

/// The engine at a commit.
pub(super) fn at(engine: &EngineConfig, commit: &Commit) -> EngineConfig {
    EngineConfig {
        name: commit.short().to_string(),
        rev: Some(commit.id.clone()),
        // A wrong count in a message is not a reason to skip a commit.
        bench: BenchCheck::Record,
        ..engine.clone()
    }
}

pub(super) fn identity(commit: &Commit) -> EngineIdentity {
    EngineIdentity {
        name: commit.short().to_string(),
        id: String::new(),
        author: String::new(),
        program: PathBuf::new(),
        sha256: String::new(),
        commit: Some(commit.id.clone()),
        subject: Some(commit.subject.clone()),
        commit_author: Some(commit.author.clone()),
        committed: Some(commit.date),
        tree: None,
        bench: None,
        defaults: BTreeMap::new(),
    }
}
