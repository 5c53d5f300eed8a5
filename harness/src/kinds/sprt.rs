//! `hone sprt`: a sequential test.

use crate::experiment::SprtExperiment;
use crate::run::Manifest;
use crate::stats::SprtError;

/// The experiment of a run, before its results.
///
/// # Errors
/// [`SprtError`] if the hypotheses or error rates make no sense.
pub(crate) fn experiment(manifest: &Manifest) -> Result<SprtExperiment, SprtError> {
    let section = manifest.config.sprt.unwrap_or_default();
    SprtExperiment::new(section.test(), section.max_pairs)
}
