//! Commits whose engines fail in games.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::experiment::{PairResult, fails_too_often};

/// The games of a commit and those of them that it lost by failing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Record {
    pub(crate) games: u64,
    pub(crate) failures: u64,
}

/// The records of all commits.
#[derive(Debug)]
pub(super) struct Failing {
    records: BTreeMap<usize, Record>,
    /// Largest share of its games that a commit may lose by failing, 0 to 1.
    max_share: f64,
}

impl Failing {
    pub(super) fn new(max_share: f64) -> Self {
        Self {
            records: BTreeMap::new(),
            max_share,
        }
    }

    pub(super) fn count(&mut self, result: &PairResult) {
        for (commit, failures) in result.engines.into_iter().zip(result.failures()) {
            let record = self.records.entry(commit).or_default();
            record.games += result.games.len() as u64;
            record.failures += failures;
        }
    }

    /// The commits that fail too often.
    pub(super) fn commits(&self) -> impl Iterator<Item = usize> {
        let records = self.records.iter();
        let fails = |(_, record): &(&usize, &Record)| {
            fails_too_often(record.failures, record.games, self.max_share)
        };
        records.filter(fails).map(|(commit, _)| *commit)
    }

    pub(super) fn record(&self, commit: usize) -> Record {
        self.records.get(&commit).copied().unwrap_or_default()
    }
}
