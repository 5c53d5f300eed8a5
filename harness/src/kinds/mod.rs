//! The kinds of runs: for each what a run of it needs beside the experiment,
//! and how its results are shown.
//!
//! [`experiment_of`] is where a manifest is mapped to its kind.

pub(crate) mod bisect;
mod match_;
mod sprt;
pub(crate) mod tune;

use crate::experiment::Experiment;
use crate::run::{Folder, Kind, Manifest};

/// The experiment a run's manifest describes, before its results.
///
/// # Errors
/// If the manifest, or a file beside it, does not make sense.
pub(crate) fn experiment_of(
    folder: &Folder,
    manifest: &Manifest,
) -> anyhow::Result<Box<dyn Experiment>> {
    Ok(match manifest.kind {
        Kind::Match => Box::new(match_::experiment(manifest)),
        Kind::Sprt => Box::new(sprt::experiment(manifest)?),
        Kind::Tune => Box::new(tune::experiment(manifest)?),
        Kind::Bisect => Box::new(bisect::experiment_of(folder.path(), manifest)?),
    })
}
