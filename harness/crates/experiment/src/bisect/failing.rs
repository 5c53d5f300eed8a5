//! Commits whose engines fail in games.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::{PairResult, fails_too_often};

/// The games of a commit, and how many of them it lost by failing, except the time forfeits
/// that the machine caused.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct FailureCounts {
    pub games: u64,
    pub failures: u64,
}

/// The failures of all commits.
#[derive(Debug)]
pub(super) struct Failing {
    commits: BTreeMap<usize, FailureCounts>,
    /// Largest share of its games that a commit may lose by failing, 0 to 1.
    max_share: f64,
}

impl Failing {
    pub(super) fn new(max_share: f64) -> Self {
        Self {
            commits: BTreeMap::new(),
            max_share,
        }
    }

    pub(super) fn count(&mut self, result: &PairResult) {
        let [failures, faults] = [result.failures(), result.faults_of_machine()];
        for (number, commit) in result.engines.into_iter().enumerate() {
            let counts = self.commits.entry(commit).or_default();
            counts.games += result.games.len() as u64;
            counts.failures += failures[number] - faults[number];
        }
    }

    /// The commits that fail too often.
    pub(super) fn commits(&self) -> impl Iterator<Item = usize> {
        let fails = |(_, counts): &(&usize, &FailureCounts)| {
            fails_too_often(counts.failures, counts.games, self.max_share)
        };
        self.commits.iter().filter(fails).map(|(commit, _)| *commit)
    }

    pub(super) fn of(&self, commit: usize) -> FailureCounts {
        self.commits.get(&commit).copied().unwrap_or_default()
    }
}
