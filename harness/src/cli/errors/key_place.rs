//! The place in the configuration of a value that only an engine, the file system or another
//! key proves wrong.

use std::path::Path;

use super::exit::{Failure, failure};
use hone_base::diagnostic::{Diagnostic, faulty_key};
use hone_run::config::{Config, EngineOptions, place_of};
use hone_run::{PrepareError, SessionError};
use hone_uci::openings::BookError;

/// The error of the process, with the place of the faulty value in the configuration at
/// `file`, if it is there.
pub(in crate::cli) fn located(
    error: SessionError,
    config: &Config,
    file: Option<&Path>,
) -> Failure {
    let key = key_of(&error, config);
    let place = file
        .zip(key)
        .and_then(|(file, key)| place_of(file, &key, config));
    let failure = failure(error);
    match place {
        Some(place) => Failure {
            error: Diagnostic::of(failure.error).at(place).into(),
            ..failure
        },
        None => failure,
    }
}

/// The error of a configuration at `file` with the place of the faulty value, or else with the
/// name of the file.
pub(in crate::cli) fn placed(
    error: anyhow::Error,
    config: &Config,
    file: Option<&Path>,
) -> anyhow::Error {
    let place = file
        .zip(key_in(&error))
        .and_then(|(file, key)| place_of(file, &key, config));
    match place {
        Some(place) => Diagnostic::of(error).at(place).into(),
        None => error.context(file.map_or("the command line".to_string(), |file| {
            file.display().to_string()
        })),
    }
}

/// The key whose value causes an error.
fn key_of(error: &SessionError, config: &Config) -> Option<Vec<String>> {
    match error {
        SessionError::Prepare(error) => key_of_engine(error, config),
        SessionError::Input(error) => key_in(error),
        SessionError::Book(error) if is_of_file(error) => {
            // The first stage replaces the book of [match].
            let stage = config.stage.first();
            Some(if stage.is_some_and(|stage| stage.openings.is_some()) {
                path(&["stage", "0", "openings", "file"])
            } else {
                path(&["match", "openings", "file"])
            })
        }
        SessionError::Tablebase(_) => Some(path(&["adjudication", "syzygy", "path"])),
        _ => None,
    }
}

/// The key that an error names.
fn key_in(error: &anyhow::Error) -> Option<Vec<String>> {
    let mut causes = error.chain();
    let book = causes.find_map(|cause| cause.downcast_ref::<BookError>());
    let key = faulty_key(error)?;
    book.is_none_or(is_of_file).then(|| key.to_vec())
}

/// Whether a book is wrong as a whole. The other errors have places in the book.
fn is_of_file(error: &BookError) -> bool {
    matches!(
        error,
        BookError::Source(_) | BookError::Empty { .. } | BookError::Polyglot(_)
    )
}

fn path(keys: &[&str]) -> Vec<String> {
    keys.iter().map(|key| (*key).to_string()).collect()
}

/// The key whose value an engine refuses, or with which it cannot be built or started.
fn key_of_engine(error: &PrepareError, config: &Config) -> Option<Vec<String>> {
    let index = |name: &str| config.engine.iter().position(|engine| engine.name == *name);
    let (number, keys) = match error {
        PrepareError::Option {
            name,
            error: refused,
            ..
        } => {
            let number = index(name)?;
            let of = |options: &EngineOptions| {
                let mut names = options.0.iter().map(|(name, _)| name);
                names
                    .find(|name| name.eq_ignore_ascii_case(refused.option()))
                    .cloned()
            };
            let stage = config.stage.first();
            if let Some(option) = stage.and_then(|stage| of(&stage.options)) {
                return Some(path(&["stage", "0", "options", &option]));
            }
            (
                number,
                vec!["options".to_string(), of(&config.engine[number].options)?],
            )
        }
        PrepareError::Source { name, source } => {
            let number = index(name)?;
            let is_commit = config.engine[number].git.is_some();
            let key = match (source.is_of_revision(), source.is_of_repository()) {
                (true, _) => "rev",
                (_, true) if is_commit => "git",
                (_, true) => "worktree",
                _ => return None,
            };
            (number, path(&[key]))
        }
        // What starts an engine from a repository is made there, not by `cmd`.
        PrepareError::Broken { name, error } => {
            let engine = &config.engine[index(name)?];
            let is_local = engine.git.is_none() && engine.worktree.is_none();
            return is_local.then(|| key_of_engine(error, config)).flatten();
        }
        PrepareError::Command { name, .. }
        | PrepareError::Missing { name, .. }
        | PrepareError::Start { name, .. } => (index(name)?, path(&["cmd"])),
        _ => return None,
    };
    Some([path(&["engine", &number.to_string()]), keys].concat())
}
