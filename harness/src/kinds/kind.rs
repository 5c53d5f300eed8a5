//! What a kind of run is.

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::ensure;

#[cfg(feature = "serve")]
use super::follow::Following;
use super::place::Place;
use crate::config::Config;
use crate::executor::Player;
use crate::experiment::Experiment;
use crate::ledger::Recovery;
use crate::openings::Opening;
use crate::report::{Report, counted};
use crate::run::{
    Driver, Ended, EngineIdentity, Fold, Kind, Manifest, PreparedEngines, RepeatRule, RunFiles,
    SessionError, View, prepare::setup,
};
use crate::settings::TimeSpan;

/// A kind of run: what a session needs besides the experiment. `hone resume`,
/// `report`, `verify` and `runs` work on every kind through this trait.
pub(crate) trait RunKind: 'static {
    type Experiment: Experiment + 'static;
    type Report: Report + 'static;

    /// As manifests name it.
    const KIND: Kind;

    /// Whether it can be played in shards: no pair's plan depends on earlier
    /// results.
    const IS_DIVISIBLE: bool = false;

    /// Whether `hone report` writes the report's files into the run's folder
    /// too, because they hold what the text does not.
    const REPORT_WRITES_FILES: bool = false;

    /// What helps if an engine fails too often.
    const REMEDY: &str =
        "fix the engine, or raise `max_failures` in [config.match] of the run's run.toml";

    /// Refuses a configuration that lacks what this kind needs.
    ///
    /// # Errors
    /// What is missing.
    fn check(config: &Config) -> anyhow::Result<()> {
        ensure!(
            config.engine.len() >= 2,
            "{} engines are configured: at least two are needed, each in an [[engine]] table",
            config.engine.len()
        );
        Ok(())
    }

    /// The most openings that a run can use; `None` if there is no limit.
    fn openings(config: &Config) -> Option<u64>;

    /// What is done with pairs that repeat earlier games: under a clock they
    /// are evidence like any other.
    fn repeats(config: &Config) -> RepeatRule {
        match config.is_timed() {
            true => RepeatRule::Count,
            false => RepeatRule::Drop,
        }
    }

    /// How long one process may play.
    fn max_time(config: &Config) -> Option<TimeSpan> {
        config.r#match.max_time
    }

    /// Prepares the engines of a new run, and completes the configuration with
    /// the results. Relative paths start from `base`; `opening` is the run's
    /// first.
    ///
    /// # Errors
    /// If an engine cannot play.
    fn engines(
        config: &mut Config,
        base: &Path,
        opening: &Opening,
        announce: &mut dyn FnMut(&str),
    ) -> Result<Engines, SessionError> {
        let mut engines = prepared(config, base, opening, announce)?;
        engines.folder_names = Self::folder_names(&engines.identities);
        Ok(engines)
    }

    /// What the run's folder is named after.
    fn folder_names(identities: &[EngineIdentity]) -> Vec<String> {
        identities.iter().map(EngineIdentity::folder_name).collect()
    }

    /// Prepares the engines of an existing run.
    ///
    /// # Errors
    /// If an engine cannot play or is another than the run was started with.
    fn same_engines(
        manifest: &Manifest,
        opening: &Opening,
        announce: &mut dyn FnMut(&str),
    ) -> Result<Vec<Player>, SessionError> {
        setup::same_engines(manifest, opening, announce)
    }

    /// The experiment before its results, from the run's folder.
    ///
    /// # Errors
    /// If the manifest, or a file beside it, does not make sense.
    fn experiment(dir: &Path, manifest: &Manifest) -> anyhow::Result<Self::Experiment>;

    /// The message when a process starts to play. `at_a_time`: pairs that can be played at
    /// a time; `None` on a fleet.
    ///
    /// # Errors
    /// If the manifest does not make sense.
    fn introduction(
        manifest: &Manifest,
        at_a_time: Option<usize>,
        dir: &Path,
    ) -> anyhow::Result<String> {
        Ok(introduction(manifest, at_a_time, dir))
    }

    /// What is shown while it plays, at most `at_a_time` pairs.
    fn view(manifest: &Manifest, at_a_time: Option<usize>) -> impl View<Self::Experiment>;

    /// Prepares what the plan waits for when no pair is in flight, as a build.
    ///
    /// # Errors
    /// If that fails and the run needs it.
    fn prepare_next(
        _waiting: Waiting<'_, Self::Experiment>,
        _announce: &mut dyn FnMut(&str),
    ) -> Result<Readiness, SessionError> {
        Ok(Readiness::Stuck)
    }

    /// The results, finished or not.
    ///
    /// # Errors
    /// If the ledger cannot be read.
    fn report(files: RunFiles, fold: Fold<Self::Experiment>) -> anyhow::Result<Self::Report>;

    /// The results as its ledger grows.
    ///
    /// # Errors
    /// If the manifest does not make sense.
    #[cfg(feature = "serve")]
    fn follow(files: RunFiles) -> anyhow::Result<Box<dyn Following>>;

    /// What it has found, in words, if its verdict is not a result by itself.
    #[cfg(feature = "serve")]
    fn found(_manifest: &Manifest, _experiment: &Self::Experiment) -> Option<String> {
        None
    }

    /// Plays what belongs to a run after its verdict, and adds it to the report.
    /// The result takes the place of the run's own end.
    ///
    /// # Errors
    /// [`SessionError`].
    fn follow_up(
        _report: &mut Self::Report,
        _terms: &Terms,
        _announce: &mut dyn FnMut(&str),
    ) -> Result<Option<Ended>, SessionError> {
        Ok(None)
    }

    /// The folders of the runs that have followed this one, and whose verdict
    /// takes the place of its own.
    fn later(_manifest: &Manifest, _dir: &Path) -> Vec<PathBuf> {
        Vec::new()
    }
}

/// Prepares the engines that a configuration names.
///
/// # Errors
/// If one cannot play.
pub(super) fn prepared(
    config: &mut Config,
    base: &Path,
    opening: &Opening,
    announce: &mut dyn FnMut(&str),
) -> Result<Engines, SessionError> {
    let engines = PreparedEngines::prepare(config, base, Some(opening), announce)?;
    engines.pin(config);
    Ok(Engines {
        folder_names: engines.identities.iter().map(|e| e.folder_name()).collect(),
        players: engines.players,
        identities: engines.identities,
    })
}

/// What is played, and where.
pub(super) fn introduction(manifest: &Manifest, at_a_time: Option<usize>, dir: &Path) -> String {
    let shard = manifest.config.r#match.shard;
    let part = match shard.is_whole() {
        true => String::new(),
        false => format!("{}: ", shard.words()),
    };
    format!("{part}{} in {}", playing(at_a_time), dir.display())
}

/// How many pairs are played at a time, or that a fleet plays them.
pub(super) fn playing(at_a_time: Option<usize>) -> String {
    match at_a_time {
        Some(pairs) => format!("playing {} at a time", counted(pairs as u64, "pair")),
        None => "playing on a fleet".to_string(),
    }
}

/// Engines of a new run.
pub(crate) struct Engines {
    /// Those that can play from the start.
    pub players: Vec<Player>,
    pub identities: Vec<EngineIdentity>,
    /// Names for the run's folder.
    pub folder_names: Vec<String>,
}

/// How the runs that follow one are played: as that one.
pub(crate) struct Terms {
    pub place: Place,
    /// What is done with damage.
    pub recovery: Recovery,
    /// The end of `--max-time`.
    pub deadline: Option<Instant>,
}

/// A run whose plan waits for something other than results.
pub(crate) struct Waiting<'a, E> {
    pub dir: &'a Path,
    pub manifest: &'a Manifest,
    pub driver: &'a mut Driver<E>,
    /// Whether the user has asked to stop.
    pub is_stop_requested: &'a mut dyn FnMut() -> bool,
}

/// What [`RunKind::prepare_next`] has done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Readiness {
    Ready,
    /// There is nothing that it can prepare.
    Stuck,
    /// The user has asked to stop.
    Stopped,
}
