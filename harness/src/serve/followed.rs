//! One ledger as it grows: of a run, or of a later stage of it.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

use super::summary::{Circumstances, RunSummary};
use crate::experiment::Verdict;
use crate::kinds::{self, Following};
use crate::ledger::{Entry, Grown, Tail};
use crate::report::{Breakdown, WorkerFacts};
use crate::run::{Folder, Manifest, RunFiles};

/// Pairs from which the speed is taken.
const RECENT: usize = 200;

/// A ledger and what its pairs have come to.
pub(super) struct Followed {
    pub dir: PathBuf,
    manifest: Manifest,
    pub following: Box<dyn Following>,
    pub breakdown: Breakdown,
    tail: Tail,
    /// When the last pairs were finished: milliseconds since 1970.
    recent: VecDeque<i64>,
}

impl Followed {
    /// Before the first pair.
    ///
    /// # Errors
    /// If the manifest does not make sense.
    pub(super) fn new(dir: &Path, manifest: Manifest) -> anyhow::Result<Self> {
        let files = RunFiles::of(Folder::open(dir), manifest.clone())?;
        Ok(Self {
            dir: dir.to_path_buf(),
            following: kinds::of(manifest.kind).follow(files)?,
            breakdown: Breakdown::default(),
            tail: Tail::new(dir, &manifest.names()),
            recent: VecDeque::new(),
            manifest,
        })
    }

    /// Takes in pairs that have come, unless the ledger was cut.
    ///
    /// # Errors
    /// If the ledger cannot be read.
    pub(super) fn read(&mut self) -> anyhow::Result<Grown> {
        let grown = self.tail.read()?;
        if !grown.is_cut {
            grown.entries.iter().for_each(|entry| self.absorb(entry));
        }
        Ok(grown)
    }

    fn absorb(&mut self, entry: &Entry) {
        self.following.absorb(entry);
        self.breakdown.absorb(entry);
        self.recent.push_back(entry.finished_ms);
        if self.recent.len() > RECENT {
            self.recent.pop_front();
        }
    }

    /// Where the run that the live pages call `run` stands, if this is its
    /// ledger or that of its last stage so far.
    ///
    /// # Errors
    /// If the run's files cannot be read.
    pub(super) fn summary(
        &mut self,
        run: &str,
        is_running: bool,
        has_next_stage: bool,
    ) -> anyhow::Result<RunSummary> {
        let mut standing = self.following.standing()?;
        if has_next_stage {
            standing.verdict = standing.verdict.filter(|verdict| *verdict != Verdict::H1);
        }
        let circumstances = Circumstances {
            is_running,
            last_pair_ms: self.recent.back().copied(),
            pairs_per_second: self.pairs_per_second(),
            machines: match is_running {
                true => self.machines(),
                false => Vec::new(),
            },
        };
        Ok(RunSummary::new(
            run,
            &self.manifest,
            &standing,
            circumstances,
        ))
    }

    /// What the machines of a fleet have played.
    fn machines(&self) -> Vec<WorkerFacts> {
        let workers = &self.breakdown.workers;
        let mut facts = workers.facts(&self.manifest, &self.dir);
        facts.retain(|worker| worker.machine.is_some());
        facts
    }

    /// The speed at which the last pairs came.
    fn pairs_per_second(&self) -> Option<f64> {
        let (first, last) = (self.recent.front()?, self.recent.back()?);
        let seconds = (last - first) as f64 / 1000.0;
        (seconds > 0.0).then(|| (self.recent.len() - 1) as f64 / seconds)
    }
}
