//! Builds commits when their turn comes.

use crate::config::Config;
use crate::executor::Player;
use crate::experiment::bisect::BisectExperiment;
use crate::kinds::kind::{Readiness, Waiting};
use crate::openings::Opening;
use crate::run::prepare::setup::check_same_program;
use crate::run::{EngineIdentity, Manifest, PrepareError, PreparedEngines, SessionError};

use super::builds::{self, BuildRow};

/// Builds what the next match needs. A commit that does not build is skipped,
/// which changes the next match. One that was built in this run before must
/// become the same program: its games count already.
pub(super) fn prepare_next(
    waiting: Waiting<'_, BisectExperiment>,
    announce: &mut dyn FnMut(&str),
) -> Result<Readiness, SessionError> {
    let Waiting {
        dir,
        manifest,
        driver,
        is_stop_requested,
    } = waiting;
    let mut readiness = Readiness::Stuck;
    let opening = driver.first_opening();
    while let Some(&commit) = driver.fold.experiment.wanted().first() {
        readiness = Readiness::Ready;
        let prepared = build(manifest, commit, &opening, announce);
        // An interrupted build does not count as a failure of its commit.
        if is_stop_requested() {
            return Ok(Readiness::Stopped);
        }
        let before = builds::program_sha256(dir, commit).map_err(SessionError::AfterStart)?;
        let experiment = &mut driver.fold.experiment;
        let mut row = BuildRow {
            number: commit,
            commit: manifest.config.engine[commit]
                .rev
                .clone()
                .unwrap_or_default(),
            pairs: experiment.pairs(),
            sha256: String::new(),
            bench: None,
            reason: String::new(),
        };
        let player = match prepared {
            Ok((player, identity)) => {
                if let Some(before) = before {
                    check_same_program(&identity, &before).map_err(SessionError::AfterStart)?;
                }
                row.sha256 = identity.sha256;
                row.bench = identity.bench;
                experiment.set_ready(commit);
                Some(player)
            }
            Err(error) if before.is_none() && can_be_skipped(&error, commit, manifest) => {
                announce(&format!("skipped: {error}"));
                row.reason = error.to_string();
                None
            }
            Err(error) => return Err(SessionError::after_start(error)),
        };
        if !experiment.knows(commit) {
            builds::append(dir, &row).map_err(SessionError::AfterStart)?;
            experiment.learn(commit, row.known(is_timed(manifest)));
        }
        if let Some(player) = player {
            driver.set_player(player);
        }
    }
    Ok(readiness)
}

/// Builds a commit and starts its engine once.
fn build(
    manifest: &Manifest,
    commit: usize,
    opening: &Opening,
    announce: &mut dyn FnMut(&str),
) -> Result<(Player, EngineIdentity), PrepareError> {
    let config = Config {
        engine: vec![manifest.config.engine[commit].clone()],
        ..manifest.config.clone()
    };
    let engines = PreparedEngines::prepare(&config, &manifest.base, Some(opening), announce)?;
    let player = Player {
        engine: commit,
        ..engines.players[0].clone()
    };
    Ok((player, engines.identities[0].clone()))
}

/// Whether the games depend on the engine's speed.
pub(super) fn is_timed(manifest: &Manifest) -> bool {
    let config = &manifest.config;
    let own = config
        .engine
        .first()
        .and_then(|engine| engine.limit.as_ref());
    own.unwrap_or(&config.r#match.limit).is_timed()
}

/// Whether the commit itself is at fault, so that bisection can skip it.
fn can_be_skipped(error: &PrepareError, commit: usize, manifest: &Manifest) -> bool {
    let is_end = commit == 0 || commit + 1 == manifest.engines.len();
    let is_its_fault = match error {
        PrepareError::Source { source, .. } => source.is_of_commit(),
        PrepareError::Broken { .. }
        | PrepareError::Option { .. }
        | PrepareError::Chess960 { .. } => true,
        _ => false,
    };
    is_its_fault && !is_end
}
