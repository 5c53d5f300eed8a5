//! What the builds of commits have shown.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

/// What a built engine is known by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fingerprint {
    pub sha256: String,
    /// The node count of its `bench`, where games do not depend on its speed.
    pub bench: Option<u64>,
}

impl Fingerprint {
    /// Whether both play the same moves.
    fn is_same_engine(&self, other: &Self) -> bool {
        let same_bench = self.bench.is_some() && self.bench == other.bench;
        same_bench || self.sha256 == other.sha256
    }
}

/// What a try to build a commit has shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Known {
    /// It does not build, or does not play.
    Skipped,
    Built(Fingerprint),
}

/// What is known of all commits.
#[derive(Debug, Default)]
pub(super) struct Builds {
    built: BTreeMap<usize, Fingerprint>,
    /// Commits that are left out of matches.
    pub(super) skipped: BTreeSet<usize>,
    /// Commits between two that are the same engine.
    pub(super) innocent: BTreeSet<usize>,
}

impl Builds {
    /// Whether the result of a commit's build is known.
    pub(super) fn knows(&self, commit: usize) -> bool {
        self.built.contains_key(&commit) || self.skipped.contains(&commit)
    }

    /// Takes in the result of a commit's build, unless one is known. Returns
    /// whether one commit more is skipped or innocent.
    pub(super) fn learn(&mut self, commit: usize, known: Known) -> bool {
        if self.knows(commit) {
            return false;
        }
        match known {
            Known::Skipped => self.skipped.insert(commit),
            Known::Built(fingerprint) => {
                let before = self.innocent.len();
                for (other, known) in &self.built {
                    if known.is_same_engine(&fingerprint) {
                        let (low, high) = (commit.min(*other), commit.max(*other));
                        self.innocent.extend(low + 1..=high);
                    }
                }
                self.built.insert(commit, fingerprint);
                self.innocent.len() > before
            }
        }
    }

    /// The commits up to `last` in groups that matches can tell apart.
    pub(super) fn groups(&self, last: usize) -> Vec<RangeInclusive<usize>> {
        let mut groups = Vec::new();
        let mut first = 1;
        for commit in 1..=last {
            if !self.skipped.contains(&commit) {
                groups.push(first..=commit);
                first = commit + 1;
            }
        }
        groups
    }
}
