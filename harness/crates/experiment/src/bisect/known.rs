//! The results of building commits.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

/// What identifies a built engine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fingerprint {
    pub sha256: String,
    /// The node count of its `bench`; `None` if games depend on its speed.
    pub bench: Option<u64>,
}

impl Fingerprint {
    /// Whether both have a `bench`, and the same one: they probably play the same moves.
    fn has_bench_of(&self, other: &Self) -> bool {
        self.bench.is_some() && self.bench == other.bench
    }
}

/// The result of building a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BuildOutcome {
    /// It does not build, or does not play.
    Skipped,
    Built(Fingerprint),
}

/// The result of building a commit, and when it was known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownBuild {
    /// Number of pairs that had been played.
    pub after_pairs: u64,
    pub commit: usize,
    pub outcome: BuildOutcome,
}

/// The results of all builds.
#[derive(Debug, Default)]
pub(super) struct Builds {
    built: BTreeMap<usize, Fingerprint>,
    /// Commits that are left out of matches.
    pub(super) skipped: BTreeSet<usize>,
    /// Commits between two that are the same engine: the same program, or the same
    /// moves in games.
    same_engine: BTreeSet<usize>,
    /// Commits between two with the same `bench`.
    same_bench: BTreeSet<usize>,
}

impl Builds {
    /// Whether the result of a commit's build is known.
    pub(super) fn contains(&self, commit: usize) -> bool {
        self.built.contains_key(&commit) || self.skipped.contains(&commit)
    }

    /// Takes the result of a commit's build, unless one is known. Returns whether
    /// another commit is skipped or lies between two equal ones.
    pub(super) fn add(&mut self, commit: usize, outcome: BuildOutcome) -> bool {
        if self.contains(commit) {
            return false;
        }
        match outcome {
            BuildOutcome::Skipped => self.skipped.insert(commit),
            BuildOutcome::Built(fingerprint) => {
                let before = self.same_engine.len() + self.same_bench.len();
                for (other, known) in &self.built {
                    let between = commit.min(*other) + 1..=commit.max(*other);
                    if known.sha256 == fingerprint.sha256 {
                        self.same_engine.extend(between);
                    } else if known.has_bench_of(&fingerprint) {
                        self.same_bench.extend(between);
                    }
                }
                self.built.insert(commit, fingerprint);
                self.same_engine.len() + self.same_bench.len() > before
            }
        }
    }

    /// Two commits have played the same moves in many games. With the same `bench`
    /// they are the same engine.
    pub(super) fn add_same_moves(&mut self, (earlier, later): (usize, usize)) {
        if let (Some(one), Some(other)) = (self.built.get(&earlier), self.built.get(&later))
            && one.has_bench_of(other)
        {
            self.same_engine.extend(earlier + 1..=later);
        }
    }

    /// The commits up to `last` that are cleared only by an equal `bench`. Empty if no
    /// other commit would be left: a `bench` searches a few positions only, so it does not
    /// decide without games.
    pub(super) fn cleared_by_bench(&self, last: usize) -> BTreeSet<usize> {
        let by_bench = self.same_bench.difference(&self.same_engine).copied();
        let by_bench: BTreeSet<usize> = by_bench.collect();
        let leaves_none = self.same_engine.len() + by_bench.len() == last;
        if leaves_none {
            BTreeSet::new()
        } else {
            by_bench
        }
    }

    /// The commits up to `last` that are not the culprit.
    pub(super) fn cleared(&self, last: usize) -> BTreeSet<usize> {
        &self.same_engine | &self.cleared_by_bench(last)
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
