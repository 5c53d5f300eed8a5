//! [`RunKind`]: what differs between the kinds of runs.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::ensure;

use super::place::Place;
use super::reread::Reread;
use hone_base::output::Announce;
use hone_experiment::Experiment;
use hone_experiment::settings::TimeSpan;
use hone_report::{Following, Report, counted};
use hone_run::config::Config;
use hone_run::executor::Player;
use hone_run::ledger::Recovery;
use hone_run::{
    Driver, Ended, EngineIdentity, Fold, Kind, Manifest, PreparedEngines, RepeatRule, RunFiles,
    SessionError, StopRequests, View, prepare::unchanged,
};
use hone_uci::openings::Opening;

/// A kind of run: what a session needs besides the experiment. `hone resume`,
/// `report`, `verify` and `runs` work on every kind through this trait.
pub trait RunKind: Sized + 'static {
    type Experiment: Experiment + 'static;
    type Report: Report + 'static;

    /// Its name in manifests.
    const KIND: Kind;

    /// The help line of the error about an engine that fails too often.
    const REMEDY: &str =
        "fix the engine and start a new run (`hone resume` refuses a changed engine)";

    /// Refuses a configuration that lacks what this kind needs.
    ///
    /// # Errors
    /// What is missing.
    fn check(config: &Config) -> anyhow::Result<()> {
        check_engines(config)
    }

    /// Checks a submitted configuration as the command of this kind checks one before it
    /// prepares an engine, after the same changes to it.
    ///
    /// # Errors
    /// As [`Self::check`].
    fn check_submitted(config: &mut Config) -> anyhow::Result<()> {
        Self::check(config)
    }

    /// Maximum number of openings that a run can use; `None` if it is unlimited.
    fn openings(config: &Config) -> Option<u64>;

    /// Maximum number of openings that a run and its follow-up runs together can use of the
    /// same book; `None` if it has no follow-up runs with that book.
    fn shared_openings(_config: &Config) -> Option<u64> {
        None
    }

    /// The rule for pairs that repeat earlier games: with a time control they are evidence
    /// like any other.
    fn repeats(config: &Config) -> RepeatRule {
        if config.is_timed() {
            RepeatRule::Count
        } else {
            RepeatRule::Drop
        }
    }

    /// The time limit of one process, which includes builds, except the first one of a tuning.
    fn max_time(config: &Config) -> Option<TimeSpan> {
        config.r#match.max_time
    }

    /// Prepares the engines of a new run, and adds what was built to the configuration.
    /// Relative paths start from `base`; `opening` is the run's first.
    ///
    /// # Errors
    /// If an engine cannot play.
    fn engines(
        config: &mut Config,
        base: &Path,
        opening: &Opening,
        announce: Announce<'_>,
    ) -> Result<Engines, SessionError> {
        prepared::<Self>(config, base, opening, announce)
    }

    /// Names of the engines in the name of the run's folder.
    fn folder_names(identities: &[EngineIdentity]) -> Vec<String> {
        identities.iter().map(EngineIdentity::folder_name).collect()
    }

    /// Prepares the engines of an existing run. Also returns how long their builds took.
    ///
    /// # Errors
    /// If an engine cannot play or is another than the run was started with.
    fn same_engines(
        manifest: &Manifest,
        opening: &Opening,
        announce: Announce<'_>,
    ) -> Result<(Vec<Player>, Duration), SessionError> {
        unchanged::same_engines(manifest, opening, announce)
    }

    /// The experiment before its results, from the run's folder.
    ///
    /// # Errors
    /// If the manifest, or a file next to it, is invalid.
    fn experiment(dir: &Path, manifest: &Manifest) -> anyhow::Result<Self::Experiment>;

    /// The message when a process starts to play. `at_a_time`: pairs that can be played at
    /// a time; `None` on a fleet.
    ///
    /// # Errors
    /// If the manifest is not valid.
    fn introduction(
        manifest: &Manifest,
        at_a_time: Option<usize>,
        dir: &Path,
    ) -> anyhow::Result<String> {
        Ok(introduction(manifest, at_a_time, dir))
    }

    /// The live view. `at_a_time` as in [`Self::introduction`].
    fn view(manifest: &Manifest, at_a_time: Option<usize>) -> impl View<Self::Experiment>;

    /// Prepares what the plan waits for when no pair is in flight, such as a build.
    ///
    /// # Errors
    /// If that fails and the run needs it.
    fn prepare_next(
        _waiting: Waiting<'_, Self::Experiment>,
        _announce: Announce<'_>,
    ) -> Result<Readiness, SessionError> {
        Ok(Readiness::Stuck)
    }

    /// The results, finished or not.
    ///
    /// # Errors
    /// If the ledger cannot be read.
    fn report(files: RunFiles, fold: Fold<Self::Experiment>) -> anyhow::Result<Self::Report>;

    /// The results so far of a run's files.
    ///
    /// # Errors
    /// If a file is not valid or cannot be read.
    fn read_report(files: RunFiles) -> anyhow::Result<Self::Report> {
        let fold = files.fold(Self::experiment(files.folder.path(), &files.manifest)?)?;
        Self::report(files, fold)
    }

    /// The results, updated as the ledger grows.
    ///
    /// # Errors
    /// If the manifest is not valid.
    fn follow(files: RunFiles) -> anyhow::Result<Box<dyn Following>> {
        Ok(Box::new(Reread::<Self>::new(files)))
    }

    /// The result in words, if the verdict alone does not show it.
    fn found(_manifest: &Manifest, _experiment: &Self::Experiment) -> Option<String> {
        None
    }

    /// Plays the follow-up runs of a run after its verdict, and adds them to the report.
    /// Returns how they ended, in place of the run's own end; `None` if there are none.
    ///
    /// # Errors
    /// [`SessionError`].
    fn follow_up(
        _report: &mut Self::Report,
        _options: &mut FollowUpOptions<'_>,
        _announce: Announce<'_>,
    ) -> Result<Option<Ended>, SessionError> {
        Ok(None)
    }
}

/// Refuses fewer than two engines.
///
/// # Errors
/// The number of engines.
pub(super) fn check_engines(config: &Config) -> anyhow::Result<()> {
    let engines = config.engine.len();
    ensure!(
        engines >= 2,
        "{} configured: at least two are needed, each in an [[engine]] table",
        counted(engines as u64, "engine")
    );
    Ok(())
}

/// Prepares the engines of a configuration.
///
/// # Errors
/// If one cannot play.
pub(super) fn prepared<K: RunKind>(
    config: &mut Config,
    base: &Path,
    opening: &Opening,
    announce: Announce<'_>,
) -> Result<Engines, SessionError> {
    let engines = PreparedEngines::prepare(config, base, Some(opening), announce)?;
    engines.pin(config);
    Ok(Engines {
        folder_names: K::folder_names(&engines.identities),
        players: engines.players,
        identities: engines.identities,
        build_time: engines.build_time,
    })
}

/// The message about what is played, and where.
pub(super) fn introduction(manifest: &Manifest, at_a_time: Option<usize>, dir: &Path) -> String {
    let shard = manifest.config.r#match.shard;
    let part = if shard.is_whole() {
        String::new()
    } else {
        format!("{}: ", shard.words())
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
pub struct Engines {
    /// Those that can play from the start.
    pub players: Vec<Player>,
    pub identities: Vec<EngineIdentity>,
    /// Names for the run's folder.
    pub folder_names: Vec<String>,
    /// How long the builds took.
    pub build_time: Duration,
}

/// How the follow-up runs of a run are played: like the run itself.
pub struct FollowUpOptions<'a> {
    pub place: Place,
    /// How a damaged ledger is treated.
    pub recovery: Recovery,
    /// The end of `--max-time`.
    pub deadline: Option<Instant>,
    pub stop: &'a mut StopRequests,
}

/// A run whose plan waits for something other than results.
pub struct Waiting<'a, E> {
    pub dir: &'a Path,
    pub manifest: &'a Manifest,
    pub driver: &'a mut Driver<E>,
    /// Whether a stop was requested.
    pub is_stop_requested: &'a mut dyn FnMut() -> bool,
}

/// The result of [`RunKind::prepare_next`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Readiness {
    Ready,
    /// It cannot prepare anything.
    Stuck,
    /// A stop was requested.
    Stopped,
}
