//! A run's folder opened to be read: what reporting, verifying and listing
//! start from.

use std::path::Path;

use super::fold::Fold;
use super::folder::Folder;
use super::manifest::Manifest;
use crate::experiment::Experiment;
use crate::ledger::{LedgerError, Pairs};

/// The files of a run, finished or not.
pub(crate) struct RunFiles {
    pub folder: Folder,
    pub manifest: Manifest,
    pub pairs: Pairs,
}

impl RunFiles {
    /// Opens the run in `dir`.
    ///
    /// # Errors
    /// If `dir` is not a run's folder or its files cannot be read.
    pub(crate) fn open(dir: &Path) -> anyhow::Result<Self> {
        let manifest = Manifest::read(dir)?;
        Ok(Self::of(Folder::open(dir), manifest)?)
    }

    /// The files of a run whose manifest is known.
    ///
    /// # Errors
    /// If the ledger cannot be read.
    pub(crate) fn of(folder: Folder, manifest: Manifest) -> Result<Self, LedgerError> {
        let pairs = Pairs::open(folder.path(), &manifest.names())?;
        Ok(Self {
            folder,
            manifest,
            pairs,
        })
    }

    /// The run's experiment after all results in the ledger.
    ///
    /// # Errors
    /// If the ledger cannot be read.
    pub(crate) fn fold<E: Experiment>(&self, experiment: E) -> Result<Fold<E>, LedgerError> {
        let manifest = &self.manifest;
        Fold::of(
            experiment,
            manifest.engines.len(),
            manifest.repeats,
            &self.pairs,
        )
    }

    /// Seconds the run has been playing, by its ledger: from its start to its
    /// last pair, breaks of more than ten minutes between two pairs left out.
    ///
    /// # Errors
    /// If the ledger cannot be read.
    pub(crate) fn seconds_played(&self) -> Result<f64, LedgerError> {
        const BREAK_MS: i64 = 10 * 60 * 1000;
        let mut last = self.manifest.created.as_millisecond();
        let mut total = 0;
        for entry in self.pairs.by_arrival()? {
            let finished = entry?.finished_ms;
            let gap = finished - last;
            if (0..BREAK_MS).contains(&gap) {
                total += gap;
            }
            last = finished;
        }
        Ok(total as f64 / 1000.0)
    }
}
