//! The commits that are bisected, as engines.

use std::path::Path;

use anyhow::{Context, ensure};

use hone_base::diagnostic::{Advise, Diagnostic};
use hone_builds::{BenchCheck, Commit, Repository};
use hone_run::config::{Config, EngineConfig};
use hone_run::{EngineIdentity, Manifest};

fn repository(config: &Config, base: &Path) -> anyhow::Result<Repository> {
    let engine = &config.engine[0];
    let repository = engine.git.as_ref();
    let repository = repository.context("the engine has no `git`")?;
    Repository::open(&base.join(repository)).diagnosed(|| {
        let name = format!("engine `{}`", engine.name);
        Diagnostic::new(name).key(&["engine", "0", "git"])
    })
}

/// An error about a commit of [bisect].
fn faulty(end: &str, message: impl Into<String>) -> Diagnostic {
    Diagnostic::new(message).key(&["bisect", end])
}

/// The commits from the good one to the bad one, both included.
pub(super) fn history(config: &Config, base: &Path) -> anyhow::Result<Vec<Commit>> {
    let section = config.bisect.clone().unwrap_or_default();
    let repository = repository(config, base)?;
    let good = repository
        .commit(&section.good)
        .diagnosed(|| faulty("good", "the good commit"))?;
    let later = repository
        .first_parents(&good.id, &section.bad)
        .diagnosed(|| faulty("bad", "the bad commit"))?;
    let first = later.first().ok_or_else(|| {
        let message = format!(
            "no commits from {} to {}: the bad commit must come after the good one",
            section.good, section.bad
        );
        faulty("bad", message)
    })?;
    let before = repository.commit(&format!("{}^", first.id)).map_err(|_| {
        let message = format!(
            "{} is not in the known history of {}: the branches are unrelated, or the clone is \
                 shallow (`git fetch --unshallow` completes it)",
            section.good, section.bad
        );
        faulty("good", message)
    })?;
    ensure!(before.id == good.id, {
        let message = format!(
            "{} is not in the first-parent history of {}: choose a good commit on the same branch, as {}",
            section.good,
            section.bad,
            before.describe()
        );
        faulty("good", message)
    });
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
    let id = |(index, rev): (usize, &String)| -> anyhow::Result<String> {
        let refused = |reason: &str| {
            let message = format!("{rev} cannot be skipped{reason}");
            Diagnostic::new(message).key(&["bisect", "skip", &index.to_string()])
        };
        let commit = repository.commit(rev).diagnosed(|| refused(""))?;
        let number = commits.iter().position(|other| other.id == commit.id);
        match number {
            Some(number) if number > 0 && number + 1 < commits.len() => Ok(commit.id),
            Some(_) => Err(refused(": the good and the bad commit must play").into()),
            None => {
                let (good, bad) = (&section.good, &section.bad);
                Err(refused(&format!(": it is not between {good} and {bad}")).into())
            }
        }
    };
    section.skip.iter().enumerate().map(id).collect()
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
        // A wrong node count in a commit message is not a reason to skip the commit.
        bench: BenchCheck::Record,
        ..engine.clone()
    }
}

/// The identity of an engine that is not built yet.
pub(super) fn identity(commit: &Commit) -> EngineIdentity {
    EngineIdentity {
        name: commit.short().to_string(),
        commit: Some(commit.id.clone()),
        subject: Some(commit.subject.clone()),
        commit_author: Some(commit.author.clone()),
        committed: Some(commit.date),
        ..EngineIdentity::default()
    }
}
