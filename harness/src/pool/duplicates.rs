//! Pairs that several runs have: they must be the same games.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry as Place;
use std::sync::Arc;

use anyhow::ensure;

use crate::ledger::Entry;
use crate::rules::Outcome;

/// The pairs of all runs, and where each was seen first.
#[derive(Debug, Default)]
pub(super) struct SeenPairs {
    pairs: BTreeMap<u64, (Games, Arc<str>)>,
}

/// What two runs must agree on: times and nodes may differ.
#[derive(Debug, PartialEq, Eq)]
struct Games {
    engines: [usize; 2],
    opening: u64,
    outcomes: [Outcome; 2],
    digests: [u64; 2],
}

impl Games {
    fn of(entry: &Entry) -> Self {
        let games = &entry.result.games;
        Self {
            engines: entry.result.engines,
            opening: entry.opening_number,
            outcomes: [0, 1].map(|game: usize| games[game].outcome),
            digests: [0, 1].map(|game: usize| games[game].digest),
        }
    }
}

impl SeenPairs {
    /// Adds a pair of a run.
    ///
    /// # Errors
    /// If it is known with other games.
    pub(super) fn add(&mut self, entry: &Entry, run: &Arc<str>) -> anyhow::Result<()> {
        let games = Games::of(entry);
        match self.pairs.entry(entry.result.pair) {
            Place::Vacant(place) => {
                place.insert((games, Arc::clone(run)));
            }
            Place::Occupied(place) => {
                let (known, first) = place.get();
                ensure!(
                    *known == games,
                    "pair {} has other games in {run} than in {first}\nhelp: with a clock the same pair is never played the same way twice: give each machine its own shard, and leave one of these runs out",
                    entry.result.pair + 1
                );
            }
        }
        Ok(())
    }
}
