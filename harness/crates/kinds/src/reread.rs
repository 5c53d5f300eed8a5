//! A run that is read again when it has grown.

use super::kind::RunKind;
use hone_report::{Breakdown, CurrentResults, Following, Report};
use hone_run::ledger::RecordedPair;
use hone_run::{Fold, RunFiles};

/// A run whose experiment depends on more than its ledger, such as the builds of a bisection:
/// its files are read again when pairs were appended.
pub(super) struct Reread<K: RunKind> {
    files: RunFiles,
    fold: Option<Fold<K::Experiment>>,
    breakdown: Option<Breakdown>,
}

impl<K: RunKind> Reread<K> {
    pub(super) fn new(files: RunFiles) -> Self {
        Self {
            files,
            fold: None,
            breakdown: None,
        }
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

    fn read_breakdown(&mut self) -> anyhow::Result<Breakdown> {
        let fold = self.fold()?;
        let end = fold.absorbed();
        self.fold = Some(fold);
        let shard = self.files.manifest.config.r#match.shard;
        Ok(Breakdown::read(&self.files.pairs, shard, end)?)
    }
}

impl<K: RunKind> Following for Reread<K> {
    fn absorb(&mut self, _entry: &RecordedPair) {
        self.fold = None;
        self.breakdown = None;
    }

    fn results(&mut self) -> anyhow::Result<CurrentResults> {
        let fold = self.fold()?;
        let results = CurrentResults {
            found: K::found(&self.files.manifest, &fold.experiment),
            ..CurrentResults::of(&fold)
        };
        self.fold = Some(fold);
        Ok(results)
    }

    fn report(&mut self) -> anyhow::Result<Box<dyn Report>> {
        let fold = self.fold()?;
        Ok(Box::new(K::report(self.files.clone(), fold)?))
    }

    fn breakdown(&mut self) -> anyhow::Result<&Breakdown> {
        let breakdown = match self.breakdown.take() {
            Some(known) => known,
            None => self.read_breakdown()?,
        };
        Ok(self.breakdown.insert(breakdown))
    }
}
