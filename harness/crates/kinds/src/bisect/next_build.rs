//! Builds commits when they are needed.

use crate::kind::{Readiness, Waiting};
use hone_base::diagnostic::shown;
use hone_base::output::Announce;
use hone_experiment::bisect::BisectExperiment;
use hone_run::config::Config;
use hone_run::executor::Player;
use hone_run::prepare::unchanged::check_same_program;
use hone_run::{EngineIdentity, Manifest, PrepareError, PreparedEngines, SessionError};
use hone_uci::openings::Opening;

use super::builds::{self, BuildRow};

/// Builds the commits of the next match. One that does not build is skipped, which changes the
/// next match. One that was built in this run before must become the same program, because its
/// games count already.
pub(super) fn prepare_next(
    waiting: Waiting<'_, BisectExperiment>,
    announce: Announce<'_>,
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
                row.reason = shown(&error);
                announce(&format!("skipped: {}", row.reason));
                None
            }
            Err(error) => return Err(SessionError::after_start(error)),
        };
        if !experiment.has_build(commit) {
            builds::append(dir, &row).map_err(SessionError::AfterStart)?;
            experiment.add_build(commit, row.outcome(manifest.config.is_timed()));
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
    announce: Announce<'_>,
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

/// Whether the error comes from the commit itself, so that it can be skipped.
fn can_be_skipped(error: &PrepareError, commit: usize, manifest: &Manifest) -> bool {
    let is_end = commit == 0 || commit + 1 == manifest.engines.len();
    let is_of_commit = match error {
        PrepareError::Source { source, .. } => source.is_of_commit(),
        PrepareError::Broken { .. } => true,
        // The good and the bad commit support the configuration: they start first.
        error => error.without_support().is_some(),
    };
    is_of_commit && !is_end
}
