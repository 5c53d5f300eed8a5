//! Pairs that several runs contain: their games must be equal.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry as MapEntry;
use std::sync::Arc;

use anyhow::ensure;

use crate::ledger::RecordedPair;
use hone_base::diagnostic::Diagnostic;
use hone_uci::rules::Outcome;

/// The pairs of all runs, each with the name of the run that had it first.
#[derive(Debug, Default)]
pub(super) struct SeenPairs {
    pairs: BTreeMap<u64, (PairContent, Arc<str>)>,
}

/// What must be equal in two runs: times and nodes may differ.
#[derive(Debug, PartialEq, Eq)]
struct PairContent {
    engines: [usize; 2],
    opening: u64,
    outcomes: [Outcome; 2],
    digests: [u64; 2],
}

impl PairContent {
    fn of(entry: &RecordedPair) -> Self {
        let games = entry.result.games.each_ref();
        Self {
            engines: entry.result.engines,
            opening: entry.opening_number,
            outcomes: games.map(|game| game.outcome),
            digests: games.map(|game| game.digest),
        }
    }
}

impl SeenPairs {
    /// Adds a pair of a run.
    ///
    /// # Errors
    /// If another run has other games for it.
    pub(super) fn add(&mut self, entry: &RecordedPair, run: &Arc<str>) -> anyhow::Result<()> {
        let content = PairContent::of(entry);
        let pair = entry.result.pair;
        match self.pairs.entry(pair) {
            MapEntry::Vacant(entry) => {
                entry.insert((content, Arc::clone(run)));
            }
            MapEntry::Occupied(entry) => {
                let (known, first) = entry.get();
                ensure!(
                    *known == content,
                    Diagnostic::new(format!("pair {} has other games in {run} than in {first}", pair + 1))
                        .help("with a clock the same pair is never played the same way twice: give each machine its own shard, and leave one of these runs out")
                );
            }
        }
        Ok(())
    }
}
