//! `hone tune`: makes an engine stronger by its parameters.

mod simulate;

use std::path::PathBuf;

use clap::Args;

use super::args::conditions::ConditionArgs;
use super::args::ends::EndArgs;
use super::args::place::PlaceArgs;
use super::args::ranges::from_one;
use super::errors::key_place::{located, placed};
use super::play::preparing::interrupted;
use super::play::start;
use super::results::outcome::not_played;
use super::results::progress::announce;
use super::{Exit, Failure};
use hone_base::diagnostic::Diagnostic;
use hone_base::{out, outln};
use hone_experiment::tune::{Space, TuneSection};
use hone_kinds::check_shard;
use hone_kinds::tune::{self, Prepared, Tuning};
use hone_run::Folder;
use hone_run::config::{Config, Draft};

/// What `--max-time` includes differs from other commands.
const MAX_TIME: &str = "Stop after this time, as in 30m or 1h30m. It includes builds, except the first one. \
     A build and pairs in progress are finished. Exit code 3 if the run is undecided";

/// Arguments about engines and games, which `--simulate` does not have.
const WITHOUT_EFFECT: [&str; 17] = [
    "out",
    "verify",
    "max_time",
    "build",
    "cmd",
    "options",
    "hash",
    "threads",
    "limit",
    "book",
    "concurrency",
    "max_memory",
    "draw",
    "resign",
    "max_moves",
    "syzygy",
    "sandbox",
];

/// Tune an engine's parameters by self-play.
///
/// Plays pairs of games between the engine with its parameters perturbed in
/// opposite directions, and updates the values from the results. With
/// `--verify` (or [tune.verify]) an SPRT of the tuned values against the start
/// follows.
#[derive(Debug, Args)]
#[command(mut_arg("max_time", |time| time.help(MAX_TIME)))]
pub(super) struct TuneArgs {
    /// The configuration, in TOML; see configs/tune.toml for one with
    /// comments.
    config: PathBuf,
    /// Override a value of the configuration, as in `tune.method=adaptive`.
    #[arg(long = "set", value_name = "KEY.PATH=VALUE")]
    set: Vec<String>,
    /// The run's folder; by default a new one under results/.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Play this number of pairs.
    #[arg(long, visible_alias = "rounds", value_name = "N", value_parser = from_one::<std::num::NonZeroU32>)]
    pairs: Option<std::num::NonZeroU32>,
    /// Show the plan and the smallest effect that its budget can detect. Plays
    /// no games, except to measure the speed if `max_time` is set without `pairs`.
    #[arg(long)]
    dry_run: bool,
    /// Tune a model of the engine: results are drawn from the model; no engine is
    /// started and no game is played.
    #[arg(long, value_name = "MODEL.toml", conflicts_with_all = WITHOUT_EFFECT)]
    #[cfg_attr(feature = "fleet", arg(conflicts_with_all = ["fleet", "priority"]))]
    simulate: Option<PathBuf>,
    /// Test the tuned values against the start values at the end.
    #[arg(long)]
    verify: bool,
    #[command(flatten)]
    place: PlaceArgs,
    #[command(flatten)]
    ends: EndArgs,
    #[command(flatten)]
    conditions: ConditionArgs,
}

/// Prints the plan of a tuning.
fn plan(section: &TuneSection, space: &Space, json: bool) {
    if json {
        outln!("{}", tune::description_json(section, space));
    } else {
        out!("{}", tune::describe(section, space));
    }
}

impl TuneArgs {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let path = &self.config;
        for (option, is_set) in [
            ("--simulate", self.simulate.is_some()),
            ("--dry-run", self.dry_run),
        ] {
            if is_set {
                self.ends.results.check_without_games(option)?;
            }
        }
        let results = &self.ends.results;
        results.check()?;
        let refused = |failure| not_played(failure, results);
        let mut config = self.config().map_err(|error| refused(error.into()))?;
        let json = results.json;
        let section = config.tune.get_or_insert_default();
        if self.verify {
            section.verify.get_or_insert_default();
        }
        if let Some(model) = &self.simulate {
            return simulate::run(&config, path, model, self.dry_run, json);
        }
        tune::check(&config)
            .and_then(|()| check_shard::<Tuning>(&config))
            .and_then(|()| self.check_budget(&config))
            .map_err(|error| refused(placed(error, &config, Some(path)).into()))?;
        let before = config.clone();
        if !self.dry_run {
            // Before the engine is built and the speed is measured, which may take minutes.
            Folder::check_new(self.out.as_deref())
                .map_err(|error| refused(located(error.into(), &before, Some(path))))?;
        }
        let prepared = tune::prepare(&mut config, &mut announce)
            .map_err(|error| refused(located(error, &before, Some(path))))?;
        if prepared == Prepared::Interrupted {
            return Ok(interrupted(results));
        }
        if self.dry_run {
            let (section, space) = tune::tuned(&config)?;
            plan(&section, &space, json);
            return Ok(Exit::Done);
        }
        let configure = || Ok((config, self.place.place()?));
        start::<Tuning>(configure, Some(path), self.out.as_deref(), &self.ends)
    }

    /// Refuses to compute the budget of a fleet from the speed of this machine.
    ///
    /// # Errors
    /// If a fleet plays and only a time is set.
    fn check_budget(&self, config: &Config) -> anyhow::Result<()> {
        let is_timed = |tune: &TuneSection| tune.max_time.is_some() && tune.pairs.is_none();
        if self.place.is_fleet() && config.tune.as_ref().is_some_and(is_timed) {
            let message = "`max_time` without `pairs` does not work with `--fleet`, because the \
                           speed is measured on this machine: set `pairs` in [tune], or `--pairs`";
            return Err(Diagnostic::new(message).key(&["tune", "max_time"]).into());
        }
        Ok(())
    }

    /// The configuration with the other arguments applied.
    fn config(&self) -> anyhow::Result<Config> {
        let mut draft = Draft::read(Some(&self.config))?;
        let pairs = self.pairs.map(|pairs| i64::from(pairs.get()));
        draft.flag("--pairs", pairs, &["tune", "pairs"]);
        let time = self.ends.max_time.map(|time| time.to_string());
        draft.flag("--max-time", time, &["tune", "max_time"]);
        self.conditions.apply(&mut draft, &self.set)?;
        Ok(draft.finish()?)
    }
}
