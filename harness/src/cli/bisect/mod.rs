//! `hone bisect`: which commit changed an engine's strength.

use std::path::{Path, PathBuf};

use clap::Args;
use toml_edit::Value;

use super::args::conditions::ConditionArgs;
use super::args::ends::EndArgs;
use super::args::place::PlaceArgs;
use super::play::start;
use super::results::progress::announce;
use super::{Exit, Failure};
use hone_builds::Spec;
use hone_kinds::bisect::Bisection;
use hone_run::config::{Config, Draft, Level};

/// Find the commit that lost (or gained) Elo.
///
/// Plays matches between commits of the first-parent history from --good to
/// --bad. Each pair is between the two commits with the largest expected
/// information, until one commit is the culprit with the given probability.
/// Commits that do not build are skipped, and those given with --skip.
#[derive(Debug, Args)]
pub(super) struct BisectArgs {
    /// The configuration, in TOML: one [[engine]] with `git`, how it is built,
    /// and how games are played. Without it configs/bisect.toml if that exists,
    /// or else the repository of the working directory is bisected.
    config: Option<PathBuf>,
    /// A commit, tag or branch before the change.
    #[arg(long, value_name = "REV")]
    good: Option<String>,
    /// A commit, tag or branch after the change.
    #[arg(long, value_name = "REV")]
    bad: Option<String>,
    /// Look for a gain: the bad commit is the stronger one.
    #[arg(long)]
    gained: bool,
    /// Skip this commit, because its engine fails in games; repeatable.
    #[arg(long, value_name = "REV")]
    skip: Vec<String>,
    /// Override a value of the configuration, as in
    /// `bisect.probability=0.99` or `match.limit=nodes=5000`.
    #[arg(long = "set", value_name = "KEY.PATH=VALUE")]
    set: Vec<String>,
    /// The run's folder; by default a new one under results/.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    ends: EndArgs,
    #[command(flatten)]
    place: PlaceArgs,
    #[command(flatten)]
    conditions: ConditionArgs,
}

/// The default configuration.
const USUAL: &str = "configs/bisect.toml";

impl BisectArgs {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let usual = Path::new(USUAL);
        let file = match &self.config {
            Some(file) => Some(file.as_path()),
            None if usual.is_file() => {
                announce(&format!("using the configuration {USUAL}"));
                Some(usual)
            }
            None => None,
        };
        let configure = || Ok((self.configured(file)?, self.place.place()?));
        start::<Bisection>(configure, file, self.out.as_deref(), &self.ends)
    }

    /// The configuration with the other arguments applied.
    fn configured(&self, file: Option<&Path>) -> anyhow::Result<Config> {
        let mut draft = Draft::read_or_usual(file)?;
        if file.is_none() {
            // The build command is derived from the newest commit.
            let rev = self.bad.clone().unwrap_or_else(|| "HEAD".to_string());
            let here = Spec::Commit {
                repository: ".".into(),
                rev,
            };
            draft.take_engine(0, &here, "hone bisect");
        }
        draft.flag("--good", self.good.as_ref(), &["bisect", "good"]);
        draft.flag("--bad", self.bad.as_ref(), &["bisect", "bad"]);
        if self.gained {
            draft.set(Level::Key, &["bisect", "gained"], true, "--gained");
        }
        if !self.skip.is_empty() {
            let flag = format!("--skip {}", self.skip.join(" --skip "));
            let revs: Value = self.skip.iter().collect();
            draft.set(Level::Key, &["bisect", "skip"], revs, &flag);
        }
        self.ends.apply(&mut draft);
        self.conditions.apply(&mut draft, &self.set)?;
        let mut config = draft.finish()?;
        config.bisect.get_or_insert_default();
        Ok(config)
    }
}
