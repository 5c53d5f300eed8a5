//! The arguments that `hone sprt` and `hone match` share.

use std::path::{Path, PathBuf};

use clap::Args;

use super::ends::EndArgs;
use super::place::PlaceArgs;
use crate::cli::play::start;
use crate::cli::{Exit, Failure};
use hone_experiment::settings::Shard;
use hone_kinds::RunKind;
use hone_run::config::{Config, Draft};

/// Overrides of a configuration, and where and how long its run is played.
#[derive(Debug, Args)]
pub(in crate::cli) struct RunArgs {
    /// Override a value of the configuration, as in `match.limit=nodes=5000`
    /// or `engine.dev.options.Hash=32`.
    #[arg(long = "set", value_name = "KEY.PATH=VALUE")]
    pub(in crate::cli) set: Vec<String>,
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

impl RunArgs {
    /// Applies them to a draft, except `--set`.
    pub(in crate::cli) fn apply(&self, draft: &mut Draft) {
        self.ends.apply(draft);
        let shard = self.shard.map(|shard| shard.to_string());
        draft.flag("--shard", shard, &["match", "shard"]);
    }

    /// Plays the run of a configuration, which may come from `file`.
    pub(in crate::cli) fn start<K: RunKind>(
        &self,
        configure: impl FnOnce() -> anyhow::Result<Config>,
        file: Option<&Path>,
    ) -> Result<Exit, Failure> {
        let configure = || Ok((configure()?, self.place.place()?));
        start::<K>(configure, file, self.out.as_deref(), &self.ends)
    }
}
