//! `hone sprt` and `hone match`.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use anyhow::{anyhow, ensure};
use clap::Args;

use super::common::announce;
use super::conditions::ConditionArgs;
use super::ends::{EndArgs, repeating};
use super::gate::GateArgs;
use super::key_place::{located, placed};
use super::outcome::{conclude, not_played, stopped};
use super::place::PlaceArgs;
use super::preparing::Preparing;
use super::ranges::from_one;
use super::repeat::keep;
use super::{Exit, Failure};
use crate::builds::Spec;
use crate::config::{Config, Draft};
use crate::kinds::{Match, Place, RunKind, Session, Test};
use crate::output::numbered;
use crate::run::SessionError;
use crate::settings::Shard;

/// Test whether the first engine is stronger than the second.
///
/// Plays pairs of games until the sequential probability ratio test (SPRT) of
/// [sprt] decides. Exit code 0: H1 accepted; 1: H0 accepted; 3: undecided at
/// the end of the budget, the time or a shard, or because games only repeat; 4:
/// an engine does not build, or fails too often.
#[derive(Debug, Args)]
pub(super) struct SprtArgs {
    /// The configuration, in TOML; see configs/sprt.toml for one with
    /// comments. Optional with --dev and --base.
    config: Option<PathBuf>,
    #[command(flatten)]
    gate: GateArgs,
    #[command(flatten)]
    run: RunArgs,
}

/// Play a match, a gauntlet or a round robin.
///
/// Give a configuration, or two or more engines: FILE, git:REV,
/// git:REPOSITORY@REV or worktree: (the uncommitted changes). Each engine plays
/// each other one; with `--set match.tournament=gauntlet` only the first plays
/// all others.
#[derive(Debug, Args)]
pub(super) struct MatchArgs {
    /// The configuration, in TOML (configs/sprt.toml is one with comments), or
    /// two or more engines.
    #[arg(required = true, value_name = "CONFIG.toml | ENGINE")]
    operands: Vec<String>,
    /// Pairs of each pairing.
    #[arg(long, visible_alias = "rounds", value_name = "N", value_parser = from_one::<std::num::NonZeroU32>)]
    pairs: Option<std::num::NonZeroU32>,
    #[command(flatten)]
    conditions: ConditionArgs,
    #[command(flatten)]
    run: RunArgs,
}

#[derive(Debug, Args)]
struct RunArgs {
    /// Override a value of the configuration, as in `match.limit=nodes=5000`
    /// or `engine.dev.options.Hash=32`.
    #[arg(long = "set", value_name = "KEY.PATH=VALUE")]
    set: Vec<String>,
    /// The run's folder; by default a new one under results/.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Play only shard K of N: pairs K, K + N, K + 2N, … of the same schedule.
    /// It ends when its pairs are played; `hone pool` judges all shards
    /// together.
    #[arg(long, value_name = "K/N")]
    shard: Option<Shard>,
    #[command(flatten)]
    place: PlaceArgs,
    #[command(flatten)]
    ends: EndArgs,
}

impl SprtArgs {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let file = self.config.as_deref();
        let configure = || {
            let mut draft = self.gate.draft(file)?;
            self.run.apply(&mut draft);
            let mut config = self.gate.finish(draft, &self.run.set)?;
            self.gate.check_stages(&config)?;
            config.enter_first_stage();
            Ok(config)
        };
        self.run.start::<Test>(configure, file)
    }
}

impl MatchArgs {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let file = match &self.operands[..] {
            [file] => Some(Path::new(file)),
            _ => None,
        };
        let configure = || {
            let mut draft = match file {
                Some(file) => self.configured(file)?,
                None => named(&self.operands)?,
            };
            let pairs = self.pairs.map(|pairs| i64::from(pairs.get()));
            draft.flag("--pairs", pairs, &["match", "pairs"]);
            self.run.apply(&mut draft);
            self.conditions.apply(&mut draft, &self.run.set)?;
            Ok(draft.finish()?)
        };
        self.run.start::<Match>(configure, file)
    }

    fn configured(&self, file: &Path) -> anyhow::Result<Draft> {
        let draft = Draft::read(Some(file));
        if file
            .extension()
            .is_some_and(|extension| extension == "toml")
        {
            return Ok(draft?);
        }
        draft.map_err(|error| {
            anyhow!("one operand is a configuration: {error}\nhelp: give two or more engines, as in `hone match ./new ./old`")
        })
    }
}

/// A draft with the engines of the command line.
fn named(operands: &[String]) -> anyhow::Result<Draft> {
    let mut draft = Draft::read(None)?;
    let mut taken = HashSet::new();
    for (index, operand) in operands.iter().enumerate() {
        ensure!(
            !operand.ends_with(".toml"),
            "`{operand}` is a configuration: give it alone, or engines alone"
        );
        let spec: Spec = operand.parse()?;
        let name = numbered(&spec.short_name(), |name| taken.insert(name.clone()));
        draft.take_engine(index, &name, &spec, operand);
    }
    Ok(draft)
}

impl RunArgs {
    /// Applies them to a draft, except `--set`.
    fn apply(&self, draft: &mut Draft) {
        self.ends.apply(draft);
        let shard = self.shard.map(|shard| shard.to_string());
        draft.flag("--shard", shard, &["match", "shard"]);
    }

    fn start<K: RunKind>(
        &self,
        configure: impl FnOnce() -> anyhow::Result<Config>,
        file: Option<&Path>,
    ) -> Result<Exit, Failure> {
        let configure = || Ok((configure()?, self.place.place()?));
        start::<K>(configure, file, self.out.as_deref(), &self.ends)
    }
}

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
    let refused = |failure| not_played(failure, Some(&repeating(None)), results);
    let (config, place) = configure().map_err(|error| refused(error.into()))?;
    K::check(&config).map_err(|error| refused(placed(error, &config, file).into()))?;
    let preparing = Preparing::begin(results.clone())?;
    let session = Session::<K>::create(config.clone(), out, place, &mut announce);
    preparing.end(session.is_err());
    let session = session.map_err(|error| refused(located(error, &config, file)))?;
    let folder = session.folder.path().to_path_buf();
    let played = keep(&folder, &repeating(Some(&session.manifest)))
        .map_err(SessionError::AfterStart)
        .and_then(|()| session.limited(ends.max_time()).run(&mut announce));
    match played {
        Ok(conclusion) => conclude(conclusion.boxed(), results),
        Err(error) => Err(stopped(error, &folder, results)),
    }
}
