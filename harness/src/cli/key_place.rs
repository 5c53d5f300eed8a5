//! Where the configuration has a value that only an engine or the file system
//! shows to be wrong.

use std::path::Path;

use anyhow::anyhow;

use super::Failure;
use super::common::failure;
use crate::config::{Config, place_of};
use crate::engine::uci::OptionError;
use crate::openings::BookError;
use crate::output::with_causes;
use crate::run::{PrepareError, SessionError};

/// The error as that of the process, with the place of the value in the
/// configuration at `file`, if it is about one that is there.
pub(super) fn located(error: SessionError, config: &Config, file: Option<&Path>) -> Failure {
    let place = file
        .zip(value_of(&error, config))
        .and_then(|(file, (keys, value))| place_of(file, &keys, &value));
    let failure = failure(error);
    match place {
        Some(place) => Failure {
            error: anyhow!("{}\n{place}", with_causes(&failure.error)),
            ..failure
        },
        None => failure,
    }
}

/// The keys and the value that an error is about.
fn value_of(error: &SessionError, config: &Config) -> Option<(Vec<String>, String)> {
    let (keys, value) = match error {
        SessionError::Prepare(error) => return value_of_engine(error, config),
        // The others have places in the book.
        SessionError::Book(
            BookError::Source(_) | BookError::Empty { .. } | BookError::Polyglot { .. },
        ) => {
            let book = config.r#match.openings.file.as_ref()?;
            (["match", "openings", "file"], book.to_string())
        }
        SessionError::Tablebase(_) => {
            let rule = config.adjudication.syzygy.as_ref()?;
            let path = rule.path.display().to_string();
            (["adjudication", "syzygy", "path"], path)
        }
        _ => return None,
    };
    Some((keys.map(str::to_string).to_vec(), value))
}

fn value_of_engine(error: &PrepareError, config: &Config) -> Option<(Vec<String>, String)> {
    let index = |name: &str| config.engine.iter().position(|engine| engine.name == *name);
    let (number, mut keys, value) = match error {
        PrepareError::Option { name, source } => {
            let number = index(name)?;
            let (OptionError::Unknown { name, .. } | OptionError::Value { name, .. }) = source;
            let mut options = config.engine[number].options.0.iter();
            let (name, value) = options.find(|(known, _)| known.eq_ignore_ascii_case(name))?;
            let keys = vec!["options".to_string(), name.clone()];
            (number, keys, value.clone())
        }
        PrepareError::Command { name, .. }
        | PrepareError::Missing { name, .. }
        | PrepareError::Start { name, .. } => {
            let number = index(name)?;
            let cmd = config.engine[number].cmd.clone();
            (number, vec!["cmd".to_string()], cmd)
        }
        _ => return None,
    };
    keys.splice(..0, ["engine".to_string(), number.to_string()]);
    Some((keys, value))
}
