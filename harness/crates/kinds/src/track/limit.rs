//! All nights of a table have the same limit.

use std::path::{Path, PathBuf};

use anyhow::bail;

use super::TABLE;
use super::night::Night;
use super::stuck::unfinished;
use hone_base::diagnostic::Diagnostic;
use hone_run::Manifest;

/// Refuses another `limit` than that of the nights in the folder `out`: its rows, and its runs
/// without a row.
///
/// # Errors
/// The other limit, and where it is.
pub(super) fn check(out: &Path, nights: &[Night], limit: &str) -> anyhow::Result<()> {
    check_rows(&out.join(TABLE), nights, limit)?;
    // Their warnings are printed when they are resumed.
    check_runs(&unfinished(out, nights, |_| ()), !nights.is_empty(), limit)
}

/// Refuses another `limit` than that of the rows of a table.
///
/// # Errors
/// The limit of the rows.
pub(super) fn check_rows(table: &Path, nights: &[Night], limit: &str) -> anyhow::Result<()> {
    if let Some(other) = nights.iter().find(|night| night.limit != limit) {
        bail!(Diagnostic::new(format!("the nightlies of {} were played with {}, but `limit` is {limit}: all nightlies of a table must have the same limit", table.display(), other.limit)).help("restore the limit, or start another table with --out"));
    }
    Ok(())
}

/// Refuses another `limit` than that of the runs without a row, which will be resumed with
/// their own. If the table has rows, these have `limit`.
fn check_runs(runs: &[(PathBuf, Manifest)], has_rows: bool, limit: &str) -> anyhow::Result<()> {
    for (path, manifest) in runs {
        let Some(own) = limit_of(manifest).filter(|own| own != limit) else {
            continue;
        };
        let restore = if has_rows {
            ""
        } else {
            "restore the limit to finish it, or "
        };
        bail!(Diagnostic::new(format!("the unfinished nightly {} is played with {own}, but `limit` is {limit}: all nightlies of a table must have the same limit", path.display())).help(format!("{restore}remove this folder to give it up")));
    }
    Ok(())
}

/// The limit of the night of a run, as its row has it.
fn limit_of(manifest: &Manifest) -> Option<String> {
    let engine = manifest.config.engine.first()?;
    Some(manifest.config.limit_of(engine).to_string())
}
