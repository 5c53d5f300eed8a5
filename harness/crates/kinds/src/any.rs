//! A kind of run that is only known from a manifest.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::kind::RunKind;
use super::place::Place;
use super::session::check_submitted;
use super::session::{Conclusion, Session};
use hone_base::output::Announce;
use hone_experiment::Experiment;
use hone_report::{Following, Report};
use hone_run::config::Config;
use hone_run::ledger::Recovery;
use hone_run::{Manifest, RunFiles, SessionError, StopRequests};

/// [`RunKind`] with its types hidden.
pub trait AnyKind {
    /// Refuses a submitted configuration that the command of this kind would refuse before it
    /// prepares an engine.
    ///
    /// # Errors
    /// What is refused.
    fn check_submitted(&self, config: Config) -> anyhow::Result<()>;

    /// Continues a run.
    ///
    /// # Errors
    /// [`SessionError`].
    fn resume(
        &self,
        dir: &Path,
        recovery: Recovery,
        max_time: Option<Duration>,
        place: Place,
        announce: Announce<'_>,
    ) -> Result<Conclusion<Box<dyn Report>>, SessionError>;

    /// The experiment before its results.
    ///
    /// # Errors
    /// If the manifest, or a file next to it, is invalid.
    fn experiment(&self, dir: &Path, manifest: &Manifest) -> anyhow::Result<Box<dyn Experiment>>;

    /// The folders of the follow-up runs that have been started.
    fn later(&self, manifest: &Manifest, dir: &Path) -> Vec<PathBuf>;

    /// The results so far.
    ///
    /// # Errors
    /// If the run's files cannot be read.
    fn report(&self, files: RunFiles) -> anyhow::Result<Box<dyn Report>>;

    /// Whether `hone report` writes the report's files into the run's folder too.
    fn report_writes_files(&self) -> bool;

    /// The results, updated as the ledger grows.
    ///
    /// # Errors
    /// If the manifest is not valid.
    fn follow(&self, files: RunFiles) -> anyhow::Result<Box<dyn Following>>;
}

impl<K: RunKind> AnyKind for K {
    fn check_submitted(&self, config: Config) -> anyhow::Result<()> {
        check_submitted::<K>(config)
    }

    fn resume(
        &self,
        dir: &Path,
        recovery: Recovery,
        max_time: Option<Duration>,
        place: Place,
        announce: Announce<'_>,
    ) -> Result<Conclusion<Box<dyn Report>>, SessionError> {
        let session = Session::<K>::resume(dir, recovery, announce)?;
        let session = session.limited(max_time).at(place);
        Ok(session.run(&mut StopRequests::listen()?, announce)?.boxed())
    }

    fn experiment(&self, dir: &Path, manifest: &Manifest) -> anyhow::Result<Box<dyn Experiment>> {
        Ok(Box::new(K::experiment(dir, manifest)?))
    }

    fn later(&self, manifest: &Manifest, dir: &Path) -> Vec<PathBuf> {
        K::later(manifest, dir)
    }

    fn report(&self, files: RunFiles) -> anyhow::Result<Box<dyn Report>> {
        Ok(Box::new(K::read_report(files)?))
    }

    fn report_writes_files(&self) -> bool {
        K::REPORT_WRITES_FILES
    }

    fn follow(&self, files: RunFiles) -> anyhow::Result<Box<dyn Following>> {
        K::follow(files)
    }
}
