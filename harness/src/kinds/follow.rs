//! How a run of each kind is read while another process plays it.

use super::following::{Following, Standing};
use crate::experiment::Experiment;
use crate::ledger::Entry;
use crate::report::{Course, MatchReport, Report};
use crate::run::{Fold, RunFiles};

use super::kind::RunKind;

/// A match or a sequential test: each pair is taken in once.
pub(super) struct FollowedMatch<E> {
    files: RunFiles,
    fold: Fold<E>,
    course: Course,
}

impl<E: Experiment> FollowedMatch<E> {
    /// A run before its first pair.
    ///
    /// # Errors
    /// If the manifest's test makes no sense.
    pub(super) fn new(files: RunFiles, experiment: E) -> anyhow::Result<Self> {
        let manifest = &files.manifest;
        Ok(Self {
            fold: Fold::new(experiment, manifest.engines.len(), manifest.repeats),
            course: Course::new(manifest)?,
            files,
        })
    }
}

impl<E: Experiment> Following for FollowedMatch<E> {
    fn absorb(&mut self, entry: &Entry) {
        self.fold.push(entry.result.clone());
        self.course.absorb(entry, &self.fold);
    }

    fn standing(&mut self) -> anyhow::Result<Standing> {
        Ok(Standing::of(&self.fold))
    }

    fn report(&mut self) -> anyhow::Result<Box<dyn Report>> {
        let (files, course) = (self.files.clone(), self.course.clone());
        Ok(Box::new(MatchReport::of(files, &self.fold, course)))
    }
}

/// A run whose experiment depends on more than its ledger, such as the builds
/// of a bisection: its files are read again when pairs have come.
pub(super) struct Reread<K: RunKind> {
    files: RunFiles,
    fold: Option<Fold<K::Experiment>>,
}

impl<K: RunKind> Reread<K> {
    pub(super) fn new(files: RunFiles) -> Self {
        Self { files, fold: None }
    }

    fn fold(&mut self) -> anyhow::Result<Fold<K::Experiment>> {
        if let Some(fold) = self.fold.take() {
            return Ok(fold);
        }
        let dir = self.files.folder.path().to_path_buf();
        self.files = RunFiles::open(&dir)?;
        Ok(self
            .files
            .fold(K::experiment(&dir, &self.files.manifest)?)?)
    }
}

impl<K: RunKind> Following for Reread<K> {
    fn absorb(&mut self, _entry: &Entry) {
        self.fold = None;
    }

    fn standing(&mut self) -> anyhow::Result<Standing> {
        let fold = self.fold()?;
        let standing = Standing::of(&fold);
        self.fold = Some(fold);
        Ok(standing)
    }

    fn report(&mut self) -> anyhow::Result<Box<dyn Report>> {
        let fold = self.fold()?;
        Ok(Box::new(K::report(self.files.clone(), fold)?))
    }
}
