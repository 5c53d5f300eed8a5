//! Runs of nights that have no row yet.

use std::path::{Path, PathBuf};

use super::RUNS;
use super::night::Night;
use super::stuck::is_replaced;
use hone_base::text::with_causes;
use hone_run::{Manifest, list_runs};

/// Runs without a row in the folder `out`, oldest first, except those that `--force` has
/// replaced. `announce` gets a warning about each that cannot be read.
pub(super) fn unfinished(
    out: &Path,
    nights: &[Night],
    announce: fn(&str),
) -> Vec<(PathBuf, Manifest)> {
    let mut runs = Vec::new();
    for (path, manifest) in list_runs(&out.join(RUNS)) {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if nights.iter().any(|night| night.run == name) {
            continue;
        }
        match manifest {
            Ok(manifest) if is_replaced(&manifest, nights) => {
                tracing::info!("{} is replaced by a later run", path.display());
            }
            Ok(manifest) => runs.push((path, manifest)),
            Err(error) => announce(&format!("warning: skipped: {}", with_causes(&error))),
        }
    }
    runs
}
