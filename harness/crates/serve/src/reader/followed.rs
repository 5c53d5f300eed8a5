//! Follows one ledger: that of a run or of a later stage.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

use crate::kinds::Kinds;
use crate::summary::{Circumstances, RunSummary};
use hone_experiment::Verdict;
use hone_report::{Following, WorkerFacts};
use hone_run::files::machines::WORKERS;
use hone_run::ledger::{Grown, RecordedPair, Tail};
use hone_run::{Folder, Manifest, RunFiles};

/// Number of recent pairs from which the speed is computed.
const RECENT: usize = 200;

/// A gap between pairs counts as a pause of the run if it is at least this many milliseconds
/// and this many times the mean time between its pairs.
const PAUSE_MS: i64 = 60_000;
const PAUSE_FACTOR: f64 = 10.0;

/// A ledger and the results of its pairs.
pub(super) struct Followed {
    pub dir: PathBuf,
    manifest: Manifest,
    pub following: Box<dyn Following>,
    tail: Tail,
    recent: Recent,
}

impl Followed {
    /// Starts before the first pair.
    ///
    /// # Errors
    /// If the manifest is invalid.
    pub(super) fn new(kinds: Kinds, dir: &Path, manifest: Manifest) -> anyhow::Result<Self> {
        let files = RunFiles::of(Folder::open(dir), manifest.clone())?;
        Ok(Self {
            dir: dir.to_path_buf(),
            following: (kinds.follow)(files)?,
            tail: Tail::new(dir, &manifest.names()),
            recent: Recent::default(),
            manifest,
        })
    }

    /// Absorbs new pairs, unless the ledger was truncated.
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

    fn absorb(&mut self, entry: &RecordedPair) {
        self.following.absorb(entry);
        self.recent.push(entry.finished_ms);
    }

    /// The summary of the run with the name `run` on the live pages, if this is its ledger or
    /// that of its last started stage.
    ///
    /// # Errors
    /// If the run's files cannot be read.
    pub(super) fn summary(
        &mut self,
        run: &str,
        is_running: bool,
        has_next_stage: bool,
    ) -> anyhow::Result<RunSummary> {
        let mut results = self.following.results()?;
        if has_next_stage {
            results.verdict = results.verdict.filter(|verdict| *verdict != Verdict::H1);
        }
        let circumstances = Circumstances {
            is_running,
            last_pair_ms: self.recent.0.back().copied(),
            pairs_per_second: self.recent.pairs_per_second(),
            machines: if is_running {
                self.machines()?
            } else {
                Vec::new()
            },
        };
        Ok(RunSummary::new(
            run,
            &self.manifest,
            &results,
            circumstances,
        ))
    }

    /// What the machines of a fleet have played.
    fn machines(&mut self) -> anyhow::Result<Vec<WorkerFacts>> {
        // Most runs have none; their results by worker are not needed for the summary.
        if !self.dir.join(WORKERS).exists() {
            return Ok(Vec::new());
        }
        let workers = &self.following.breakdown()?.workers;
        let mut facts = workers.facts(&self.manifest, &self.dir);
        facts.retain(|worker| worker.machine.is_some());
        Ok(facts)
    }
}

/// Times of the last finished pairs since the last pause, in milliseconds since 1970.
#[derive(Debug, Default)]
struct Recent(VecDeque<i64>);

impl Recent {
    fn push(&mut self, finished_ms: i64) {
        if self.is_pause_before(finished_ms) {
            self.0.clear();
        }
        self.0.push_back(finished_ms);
        if self.0.len() > RECENT {
            self.0.pop_front();
        }
    }

    fn is_pause_before(&self, finished_ms: i64) -> bool {
        let gap = self.0.back().map_or(0, |last| finished_ms - last);
        let pairs = self
            .pairs_per_second()
            .map(|rate| rate * gap as f64 / 1000.0);
        gap > PAUSE_MS && pairs.is_some_and(|pairs| pairs > PAUSE_FACTOR)
    }

    /// Pairs per second.
    fn pairs_per_second(&self) -> Option<f64> {
        let (first, last) = (self.0.front()?, self.0.back()?);
        let seconds = (last - first) as f64 / 1000.0;
        (seconds > 0.0).then(|| (self.0.len() - 1) as f64 / seconds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A second between pairs, as many as `minutes` between the two halves.
    fn speed(minutes: i64, between_ms: i64) -> Option<f64> {
        let mut recent = Recent::default();
        for half in 0..2 {
            for pair in 0..20 {
                recent.push(half * minutes * 60_000 + (20 * half + pair) * between_ms);
            }
        }
        recent.pairs_per_second()
    }

    #[test]
    fn a_pause_does_not_count_for_the_speed() {
        for minutes in [0, 2, 600] {
            assert_eq!(speed(minutes, 1_000), Some(1.0), "{minutes}");
        }
        // If pairs take a quarter of an hour, a gap of that length is not a pause.
        let slow = speed(15, 900_000).expect("two pairs");
        assert!((slow - 39.0 / (40.0 * 900.0)).abs() < 1e-9, "{slow}");
    }
}
