//! `hone bisect`: which commit changed an engine's strength.

mod simulate;

use std::path::PathBuf;

use clap::Args;

use super::ends::EndArgs;
use super::play::start;
use super::{Exit, Failure};
use crate::config;
use crate::kinds::bisect::Bisection;

/// Find the commit that lost (or gained) Elo.
///
/// Plays matches between commits of the first-parent history from --good to
/// --bad. Each pair is between the two commits with the largest expected
/// information, until one commit is the culprit with the given probability.
/// Commits that do not build are skipped. Exit code 0: found; 3: budget used
/// up, or no change.
#[derive(Debug, Args)]
pub(super) struct BisectArgs {
    /// The configuration, in TOML: one [[engine]] with `git`, how it is built,
    /// and how games are played.
    #[arg(default_value = "configs/bisect.toml")]
    config: PathBuf,
    /// A commit, tag or branch before the change.
    #[arg(long, value_name = "REV")]
    good: Option<String>,
    /// A commit, tag or branch after the change.
    #[arg(long, value_name = "REV")]
    bad: Option<String>,
    /// Look for a gain: the bad commit is the stronger one.
    #[arg(long)]
    gained: bool,
    /// Override a value of the configuration, as in
    /// `bisect.probability=0.99` or `match.limit=nodes=5000`.
    #[arg(long = "set", value_name = "KEY.PATH=VALUE")]
    set: Vec<String>,
    /// The run's folder; by default a new one under results/.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    ends: EndArgs,
    /// Play nothing: bisect N planted histories for each size of the loss, and
    /// compare with plain bisection by sequential tests.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    #[arg(conflicts_with_all = ["good", "bad", "gained", "out"])]
    simulate: Option<u64>,
}

impl BisectArgs {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        if let Some(histories) = self.simulate {
            return simulate::run(histories, self.ends.json);
        }
        let mut config = config::load(&self.config, &self.set)?;
        let section = config.bisect.get_or_insert_default();
        section.gained |= self.gained;
        for (end, given) in [(&mut section.good, self.good), (&mut section.bad, self.bad)] {
            if let Some(given) = given {
                *end = given;
            }
        }
        let (file, out) = (Some(&*self.config), self.out.as_deref());
        start::<Bisection>(config, file, out, &self.ends)
    }
}
