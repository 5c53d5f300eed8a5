//! Checks that the engines and the book of an existing run have not changed.

use std::path::Path;
use std::time::Duration;

use anyhow::ensure;

use super::book::open_book;
use super::prepared::PreparedEngines;
use crate::config::Config;
use crate::error::SessionError;
use crate::executor::Player;
use crate::files::manifest::{BookIdentity, EngineIdentity, Manifest};
use hone_base::diagnostic::Diagnostic;
use hone_base::output::Announce;
use hone_experiment::settings::BookSource;
use hone_uci::openings::{Book, Opening};

/// Prepares the engines of an existing run, and checks that their programs have not changed.
/// Also returns how long their builds took.
pub fn same_engines(
    manifest: &Manifest,
    opening: &Opening,
    announce: Announce<'_>,
) -> Result<(Vec<Player>, Duration), SessionError> {
    let mut config = manifest.config.clone();
    remove_finished_builds(&mut config, &manifest.engines);
    let engines = PreparedEngines::prepare(&config, &manifest.base, Some(opening), announce)?;
    check_same_programs(&engines.identities, &manifest.engines)?;
    Ok((engines.players, engines.build_time))
}

/// Removes the build lines of engines whose programs exist: another build could make another
/// program. Engines from commits keep them, because the cache of builds is keyed by them.
pub fn remove_finished_builds(config: &mut Config, engines: &[EngineIdentity]) {
    for (engine, identity) in config.engine.iter_mut().zip(engines) {
        if identity.commit.is_none() && identity.program.exists() {
            engine.build = None;
        }
    }
}

/// Checks that engines have the programs that a run was started with.
///
/// # Errors
/// The first engine with another program.
pub fn check_same_programs(now: &[EngineIdentity], then: &[EngineIdentity]) -> anyhow::Result<()> {
    let mut both = now.iter().zip(then);
    both.try_for_each(|(now, then)| check_same_program(now, &then.sha256))
}

/// Checks that the program of an engine has the sha256 `then`.
///
/// # Errors
/// If it has another one.
pub fn check_same_program(now: &EngineIdentity, then: &str) -> anyhow::Result<()> {
    let short = |sha256: &str| sha256.chars().take(12).collect::<String>();
    ensure!(
        now.sha256 == then,
        "engine `{}` is not the one this run was started with: {} has changed (sha256 {} then, {} now). Start a new run for the new engine",
        now.name,
        now.program.display(),
        short(then),
        short(&now.sha256)
    );
    Ok(())
}

/// Opens the book of an existing run, and checks that it has not changed.
pub fn same_book(manifest: &Manifest, rounds: Option<u64>) -> Result<Option<Book>, SessionError> {
    let book = open_book(&manifest.config, rounds, &manifest.base)?;
    let (now, then) = (book.as_ref().map(Book::sha256), manifest.book.as_ref());
    let Some(then) = then.filter(|then| now != Some(then.sha256.as_str())) else {
        return Ok(book);
    };
    Err(SessionError::Input(other_book(
        &manifest.config,
        then,
        &manifest.hone,
    )))
}

/// Checks that the book of a follow-up run is the one that an earlier run had at the same
/// path. `hone` is the version that started them.
///
/// # Errors
/// If it has changed since.
pub fn check_same_book(
    config: &Config,
    now: Option<&BookIdentity>,
    before: &[BookIdentity],
    base: &Path,
    hone: &str,
) -> anyhow::Result<()> {
    let has_changed = |then: &&BookIdentity| {
        now.is_some_and(|now| {
            base.join(&now.file) == base.join(&then.file) && now.sha256 != then.sha256
        })
    };
    match before.iter().find(has_changed) {
        Some(then) => Err(other_book(config, then, hone)),
        None => Ok(()),
    }
}

/// The error about a book that is not the one of the run's start.
fn other_book(config: &Config, then: &BookIdentity, hone: &str) -> anyhow::Error {
    let file = then.file.display();
    match &config.r#match.openings.file {
        Some(BookSource::BuiltIn) => anyhow::anyhow!(
            Diagnostic::new(format!(
                "the run was started with another built-in book ({file}) than this hone has"
            ))
            .help(format!("resume with the hone {hone} that started it"))
        ),
        _ => anyhow::anyhow!("the book {file} is not the one this run was started with"),
    }
}
