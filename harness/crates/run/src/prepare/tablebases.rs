//! The endgame tables of a run.

use std::env;
use std::path::{Path, PathBuf};

use anyhow::Context;

use crate::config::Config;
use crate::error::SessionError;
use hone_uci::rules::tablebase::Tables;

/// Checks the endgame tables, if any are configured, and makes their paths absolute.
pub fn open_tables(config: &mut Config, base: &Path) -> Result<(), SessionError> {
    if let Some(rule) = &mut config.adjudication.syzygy {
        rule.path = absolute_paths(&rule.path, base)?;
        Tables::open(rule)?;
    }
    Ok(())
}

/// A list of folders as in `PATH`; relative ones start from `base`.
fn absolute_paths(list: &Path, base: &Path) -> anyhow::Result<PathBuf> {
    let folders = env::split_paths(list).map(|folder| base.join(folder));
    let joined = env::join_paths(folders).context("`syzygy` in [adjudication]")?;
    Ok(PathBuf::from(joined))
}
