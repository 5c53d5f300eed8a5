//! A run's folder opened to be read: what reporting, verifying and listing
//! start from.

use std::path::Path;

use super::folder::Folder;
use super::manifest::Manifest;
use super::play_time::PlayTime;
use crate::ledger::{LedgerError, Pairs};
use crate::play::fold::Fold;
use hone_experiment::Experiment;

/// The files of a run, finished or not.
#[derive(Clone)]
pub struct RunFiles {
    pub folder: Folder,
    pub manifest: Manifest,
    pub pairs: Pairs,
}

impl RunFiles {
    /// Opens the run in `dir`.
    ///
    /// # Errors
    /// If `dir` is not a run's folder or its files cannot be read.
    pub fn open(dir: &Path) -> anyhow::Result<Self> {
        let manifest = Manifest::read(dir)?;
        Ok(Self::of(Folder::open(dir), manifest)?)
    }

    /// The files of a run whose manifest is known.
    ///
    /// # Errors
    /// If the ledger cannot be read.
    pub fn of(folder: Folder, manifest: Manifest) -> Result<Self, LedgerError> {
        let pairs = Pairs::open(folder.path(), &manifest.names())?;
        Ok(Self {
            folder,
            manifest,
            pairs,
        })
    }

    /// Whether a pair is finished.
    ///
    /// # Errors
    /// If the ledger cannot be read.
    pub fn has_pairs(&self) -> Result<bool, LedgerError> {
        Ok(self.pairs.by_arrival()?.next().transpose()?.is_some())
    }

    /// The run's experiment after all results in the ledger.
    ///
    /// # Errors
    /// If the ledger cannot be read.
    pub fn fold<E: Experiment>(&self, experiment: E) -> Result<Fold<E>, LedgerError> {
        Fold::of(experiment, &self.manifest, self.folder.path(), &self.pairs)
    }

    /// Seconds the run has been playing; see [`PlayTime`].
    ///
    /// # Errors
    /// If the ledger cannot be read.
    pub fn seconds_played(&self) -> Result<f64, LedgerError> {
        let mut time = PlayTime::new(&self.manifest);
        for entry in self.pairs.by_arrival()? {
            time.absorb(&entry?);
        }
        Ok(time.seconds())
    }
}
