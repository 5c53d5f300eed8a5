//! Which workers of a run are present: who is alive, how many games they can
//! play, and which pairs they have, by the last status of each.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use crate::fleet::ids::{Name, WorkerId};
use crate::fleet::message::Status;

/// A worker that has been silent for this long is taken for dead.
pub(super) const SILENCE: Duration = Duration::from_secs(30);
/// A worker that has been silent for this long when another returns its pair had
/// been given up.
pub(super) const LATE: Duration = Duration::from_secs(15);

/// A worker that has been silent for this long is forgotten: others have played
/// its pairs long ago.
const GONE: Duration = Duration::from_secs(60 * 60);
/// Number of times that a worker's game count must fall, other than to 0 (a
/// restart), before several machines are suspected under its name.
const SHARED_NAME_FALLS: u32 = 2;

/// What a worker's last status shows.
#[derive(Debug)]
struct Seen {
    at: Instant,
    slots: usize,
    /// Games since it joined: none are those of a new process, fewer than before
    /// those of another machine with its name.
    games: u64,
    /// How often they were fewer than before.
    falls: u32,
    holds: BTreeSet<u64>,
    /// Why it does not play the run, if it does not.
    refuses: Option<String>,
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

    /// Takes a worker's status. Returns whether the worker is new.
    pub(super) fn heard(
        &mut self,
        run: &Name,
        worker: WorkerId,
        status: &Status,
        now: Instant,
    ) -> bool {
        let refuses = status.refusal(run).map(str::to_string);
        let takes_part = !status.leaving && refuses.is_none();
        let holds = status.holds.get(run).into_iter().flatten();
        let mut seen = Seen {
            at: now,
            games: status.games,
            falls: 0,
            slots: usize::from(takes_part) * (status.cores / self.threads),
            holds: holds.copied().collect(),
            refuses,
        };
        let before = self.remove(&worker);
        if let Some(before) = &before {
            let is_fall = (1..before.games).contains(&seen.games);
            seen.falls = before.falls + u32::from(is_fall);
        }
        let is_restart = |before: &&Seen| before.games > 0 && status.games == 0;
        if let Some(before) = before.as_ref().filter(is_restart) {
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

    /// Whether several machines seem to work under the name of a worker.
    pub(super) fn shares_name(&self, worker: &WorkerId) -> bool {
        let seen = self.seen.get(worker);
        seen.is_some_and(|seen| seen.falls >= SHARED_NAME_FALLS)
    }

    /// Whether a worker has sent a status, and not long ago.
    pub(super) fn knows(&self, worker: &WorkerId) -> bool {
        self.seen.contains_key(worker)
    }

    /// Forgets the workers that have been gone for long.
    pub(super) fn forget_gone(&mut self, now: Instant) {
        let is_gone = |seen: &Seen| now.saturating_duration_since(seen.at) >= GONE;
        let seen = self.seen.iter().filter(|(_, seen)| is_gone(seen));
        for worker in seen.map(|(id, _)| id.clone()).collect::<Vec<_>>() {
            self.remove(&worker);
        }
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

    /// A worker that is alive and does not play the run, and why.
    pub(super) fn refusal(&self, now: Instant) -> Option<(&WorkerId, &str)> {
        let mut alive = self.seen.iter().filter(|(_, seen)| seen.is_alive(now));
        alive.find_map(|(worker, seen)| Some((worker, seen.refuses.as_deref()?)))
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

    use super::*;
    use crate::fleet::message::samples::status;
    use crate::fleet::samples;

    fn worker(number: u8) -> WorkerId {
        samples::worker(&format!("w{number}"))
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

    #[test]
    fn two_machines_of_one_name_are_not_taken_for_one_that_is_started_again() {
        let run = Name::random();
        let mut presence = Presence::new(1);
        let now = Instant::now();
        let mut hear = |games, holds: &[u64]| {
            let mut status = status(&run, holds);
            status.games = games;
            presence.heard(&run, worker(1), &status, now);
            presence.shares_name(&worker(1))
        };
        assert!(!hear(10, &[1]) && !hear(8, &[2]) && !hear(10, &[1]));
        assert!(hear(8, &[2]) && hear(12, &[1]));
        assert_eq!(presence.given_up(2, &worker(2), now), None);
        // One that is started again has played nothing.
        let mut presence = Presence::new(1);
        for games in [10, 0, 6, 0, 4, 0] {
            let mut status = status(&run, &[games]);
            status.games = games;
            presence.heard(&run, worker(1), &status, now);
        }
        assert!(!presence.shares_name(&worker(1)));
        assert_eq!(presence.given_up(6, &worker(2), now), Some(worker(1)));
    }

    #[test]
    fn workers_that_have_been_gone_for_long_are_forgotten() {
        let run = Name::random();
        let mut presence = Presence::new(1);
        let now = Instant::now();
        presence.heard(&run, worker(1), &status(&run, &[7]), now);
        presence.heard(&run, worker(2), &status(&run, &[8]), now + GONE / 2);
        presence.forget_gone(now + GONE - LATE);
        let other = worker(3);
        let late = now + GONE;
        assert_eq!(presence.given_up(7, &other, late), Some(worker(1)));
        presence.forget_gone(late);
        assert!(!presence.knows(&worker(1)) && presence.knows(&worker(2)));
        assert!(!presence.holders.contains_key(&7));
        assert_eq!(presence.given_up(8, &other, late), Some(worker(2)));
    }

    #[test]
    fn a_worker_that_does_not_play_the_run_is_named_while_it_is_alive() {
        let run = Name::random();
        let mut presence = Presence::new(1);
        let now = Instant::now();
        presence.heard(&run, worker(1), &status(&run, &[]), now);
        assert_eq!(presence.refusal(now), None);
        let mut refusing = status(&run, &[]);
        let why = "its disk is full; next try in 5 min".to_string();
        refusing.refuses.insert(run.clone(), why);
        presence.heard(&run, worker(2), &refusing, now);
        let named = presence.refusal(now);
        assert_eq!(named, Some((&worker(2), "its disk is full")));
        assert_eq!(presence.count(now), 1);
        assert_eq!(presence.refusal(now + SILENCE), None);
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
