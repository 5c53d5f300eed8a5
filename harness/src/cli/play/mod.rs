//! Plays the run of a configuration, for all commands that start one.

pub(super) mod preparing;

use std::path::Path;

use self::preparing::Preparing;
use super::args::ends::EndArgs;
use super::errors::key_place::{located, placed};
use super::results::outcome::{conclude, not_played, stopped};
use super::results::progress::announce;
use super::{Exit, Failure};
use hone_kinds::{NewRun, Place, RunKind};
use hone_run::StopRequests;
use hone_run::config::Config;

/// Plays the run of a configuration, which may come from `file`. If the run is refused, or an
/// engine does not build or start, the summary contains the error.
pub(super) fn start<K: RunKind>(
    configure: impl FnOnce() -> anyhow::Result<(Config, Place)>,
    file: Option<&Path>,
    out: Option<&Path>,
    ends: &EndArgs,
) -> Result<Exit, Failure> {
    let results = &ends.results;
    results.check()?;
    let refused = |failure| not_played(failure, results);
    let (config, place) = configure().map_err(|error| refused(error.into()))?;
    K::check(&config).map_err(|error| refused(placed(error, &config, file).into()))?;
    // From before the end of `preparing`, so that no request is lost between them.
    let mut stop = StopRequests::listen()?;
    let preparing = Preparing::begin(results.clone())?;
    let prepared = NewRun::<K>::prepare(config.clone(), out, place, &mut announce);
    preparing.end(prepared.is_err());
    let session = prepared.and_then(|run| run.start(&mut announce));
    let session = session.map_err(|error| refused(located(error, &config, file)))?;
    let folder = session.folder.path().to_path_buf();
    let played = session
        .limited(ends.max_time())
        .run(&mut stop, &mut announce);
    match played {
        Ok(conclusion) => conclude(conclusion.boxed(), results),
        Err(error) => Err(stopped(error, &folder, results)),
    }
}
