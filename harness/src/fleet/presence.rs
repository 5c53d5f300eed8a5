//! Which workers of a run are present: who is alive, how many games they can
//! play, and which pairs they have, by the last status of each.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use super::ids::{Name, WorkerId};
use super::message::Status;

/// A worker that has not been heard of for this long is taken for dead.
pub(super) const SILENCE: Duration = Duration::from_secs(30);
/// A worker that has not told of itself for this long had been given up when
/// another returned its pair.
pub(super) const LATE: Duration = Duration::from_secs(15);

/// A worker as it was last heard of.
#[derive(Debug)]
struct Seen {
    at: Instant,
    slots: usize,
    /// Games since it joined: fewer than before are those of a new process.
    games: u64,
    holds: BTreeSet<u64>,
}

impl Seen {
    fn is_alive(&self, now: Instant) -> bool {
        now.duration_since(self.at) < SILENCE
    }
}

/// The workers of a run whose games need a number of threads each.
#[derive(Debug)]
pub(super) struct Presence {
    threads: usize,
    seen: BTreeMap<WorkerId, Seen>,
    /// The workers that have a pair, by their `holds`: an index of `seen`.
    holders: BTreeMap<u64, BTreeSet<WorkerId>>,
    /// Pairs whose worker was started again without them.
    dropped: BTreeMap<u64, WorkerId>,
}

impl Presence {
    pub(super) fn new(threads: usize) -> Self {
        Self {
            threads: threads.max(1),
            seen: BTreeMap::new(),
            holders: BTreeMap::new(),
            dropped: BTreeMap::new(),
        }
    }

    /// Takes what a worker tells of itself. Returns whether it is new.
    pub(super) fn heard(
        &mut self,
        run: &Name,
        worker: WorkerId,
        status: &Status,
        now: Instant,
    ) -> bool {
        let takes_part = !status.leaving && !status.refuses.contains_key(run);
        let holds = status.holds.get(run).into_iter().flatten();
        let seen = Seen {
            at: now,
            games: status.games,
            slots: usize::from(takes_part) * (status.cores / self.threads),
            holds: holds.copied().collect(),
        };
        let before = self.remove(&worker);
        if let Some(before) = before.as_ref().filter(|seen| seen.games > status.games) {
            let held = before.holds.iter().map(|pair| (*pair, worker.clone()));
            self.dropped.extend(held);
        }
        for pair in &seen.holds {
            self.holders
                .entry(*pair)
                .or_default()
                .insert(worker.clone());
        }
        self.seen.insert(worker, seen);
        before.is_none()
    }

    /// Forgets a worker. Returns the pairs that it had.
    pub(super) fn dismiss(&mut self, worker: &WorkerId) -> BTreeSet<u64> {
        let seen = self.remove(worker);
        seen.map(|seen| seen.holds).unwrap_or_default()
    }

    fn remove(&mut self, worker: &WorkerId) -> Option<Seen> {
        let seen = self.seen.remove(worker)?;
        for pair in &seen.holds {
            self.let_go(worker, *pair);
        }
        Some(seen)
    }

    fn let_go(&mut self, worker: &WorkerId, pair: u64) {
        if let Entry::Occupied(mut holders) = self.holders.entry(pair) {
            holders.get_mut().remove(worker);
            if holders.get().is_empty() {
                holders.remove();
            }
        }
    }

    /// A worker has returned a pair.
    pub(super) fn returned(&mut self, worker: &WorkerId, pair: u64) {
        if let Some(seen) = self.seen.get_mut(worker) {
            seen.holds.remove(&pair);
            self.let_go(worker, pair);
        }
    }

    /// The worker that had a pair before another returned it.
    pub(super) fn given_up(
        &mut self,
        pair: u64,
        player: &WorkerId,
        now: Instant,
    ) -> Option<WorkerId> {
        if let Some(worker) = self.dropped.remove(&pair) {
            return Some(worker);
        }
        let is_late = |seen: &Seen| now.saturating_duration_since(seen.at) >= LATE;
        let mut holders = self.holders.get(&pair)?.iter();
        holders
            .find(|id| *id != player && self.seen.get(*id).is_some_and(is_late))
            .cloned()
    }

    /// Workers that are alive and take part.
    pub(super) fn count(&self, now: Instant) -> usize {
        self.alive(now).filter(|seen| seen.slots > 0).count()
    }

    /// Games that those who are alive can play at a time.
    pub(super) fn slots(&self, now: Instant) -> usize {
        self.alive(now).map(|seen| seen.slots).sum()
    }

    fn alive(&self, now: Instant) -> impl Iterator<Item = &Seen> {
        self.seen.values().filter(move |seen| seen.is_alive(now))
    }

    /// The pairs that living workers have.
    pub(super) fn held(&self, now: Instant) -> BTreeSet<u64> {
        let holds = self.alive(now).flat_map(|seen| &seen.holds);
        holds.copied().collect()
    }

    /// Whether a living worker has the pair.
    pub(super) fn is_held(&self, pair: u64, now: Instant) -> bool {
        let mut holders = self.holders.get(&pair).into_iter().flatten();
        holders.any(|id| self.seen.get(id).is_some_and(|seen| seen.is_alive(now)))
    }

    /// Whether every living worker has been heard since `since`.
    pub(super) fn all_heard(&self, since: Instant, now: Instant) -> bool {
        self.alive(now).all(|seen| seen.at >= since)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::message::samples::status;
    use super::*;

    fn worker(number: u8) -> WorkerId {
        WorkerId {
            credential: Name::new("all").expect("a name"),
            machine: Name::new(&format!("w{number}")).expect("a name"),
        }
    }

    #[test]
    fn a_pair_that_two_have_is_held_until_both_have_returned_it() {
        let run = Name::random();
        let mut presence = Presence::new(1);
        let now = Instant::now();
        for number in [1, 2] {
            presence.heard(&run, worker(number), &status(&run, &[7]), now);
        }
        presence.returned(&worker(1), 7);
        assert!(presence.is_held(7, now));
        presence.returned(&worker(2), 7);
        assert!(!presence.is_held(7, now));
    }

    proptest! {
        /// Whatever is heard, returned and dismissed: the index of who has a pair
        /// agrees with what the workers have.
        #[test]
        fn the_index_of_holders_agrees_with_the_workers(
            steps in proptest::collection::vec((0u8..4, 0u8..4, proptest::collection::vec(0u64..6, 0..4)), 1..60),
        ) {
            let run = Name::random();
            let mut presence = Presence::new(1);
            let start = Instant::now();
            let mut now = start;
            for (kind, number, pairs) in steps {
                now += SILENCE / 4;
                let id = worker(number);
                match kind {
                    0 => { presence.dismiss(&id); }
                    1 => pairs.iter().for_each(|pair| presence.returned(&id, *pair)),
                    _ => { presence.heard(&run, id, &status(&run, &pairs), now); }
                }
                let held = presence.held(now);
                for pair in 0..6 {
                    prop_assert_eq!(presence.is_held(pair, now), held.contains(&pair));
                }
            }
            for number in 0..4 {
                presence.dismiss(&worker(number));
            }
            prop_assert!(presence.holders.is_empty());
        }
    }
}
