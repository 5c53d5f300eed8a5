//! The workers of a run by their last statuses: which are alive, how many games they can
//! play, and which pairs they have.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use crate::ids::{Name, WorkerId};
use crate::message::Status;

/// A worker without a status for this long counts as dead.
pub(super) const STATUS_TIMEOUT: Duration = Duration::from_secs(30);
/// A worker without a status for this long is the previous holder of a pair that
/// another worker returns.
pub(super) const LATE: Duration = Duration::from_secs(15);

/// A worker without a status for this long is removed: others have played its pairs.
const REMOVE_AFTER: Duration = Duration::from_secs(60 * 60);
/// A pair is overdue if a worker has it for this many times as long as the slowest one took
/// that was returned, and for [`MIN_OVERDUE`].
const OVERDUE_FACTOR: u32 = 5;
const MIN_OVERDUE: Duration = Duration::from_secs(120);
/// Number of times that a worker's game count must fall, other than to 0 (a
/// restart), before several machines are suspected under its name.
const SHARED_NAME_FALLS: u32 = 2;

/// The state of a worker by its last status.
#[derive(Debug)]
struct WorkerState {
    status_at: Instant,
    /// Number of games that it can play at a time.
    slots: usize,
    /// Games since its process started: 0 after a restart; another smaller number comes
    /// from another machine with its name.
    games: u64,
    /// How often `games` has fallen, other than to 0.
    falls: u32,
    /// The pairs that it has, and since when.
    holds: BTreeMap<u64, Instant>,
    /// When a result of it last counted.
    answered: Option<Instant>,
    /// Why it does not play the run, if it does not.
    refuses: Option<String>,
}

impl WorkerState {
    fn is_alive(&self, now: Instant) -> bool {
        self.age(now) < STATUS_TIMEOUT
    }

    /// Time since its last status.
    fn age(&self, now: Instant) -> Duration {
        now.duration_since(self.status_at)
    }
}

/// The workers of a run.
#[derive(Debug)]
pub(super) struct Presence {
    /// Threads of a game, at least 1.
    threads: usize,
    workers: BTreeMap<WorkerId, WorkerState>,
    /// The workers that have each pair: an index of `workers` by `holds`.
    holders: BTreeMap<u64, BTreeSet<WorkerId>>,
    /// Pairs whose worker was restarted without them.
    dropped: BTreeMap<u64, WorkerId>,
    /// The longest time for which a worker has had a pair whose result it has returned.
    slowest: Option<Duration>,
    /// Pairs that were found to be overdue at a worker.
    overdue: BTreeSet<(u64, WorkerId)>,
}

/// A pair that a worker has had for far longer than others take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Overdue {
    pub pair: u64,
    pub worker: WorkerId,
    pub held: Duration,
    /// See [`Presence::slowest`].
    pub slowest: Option<Duration>,
    /// Whether no result of the worker has counted since it has had the pair.
    pub is_silent: bool,
}

impl Presence {
    pub(super) fn new(threads: usize) -> Self {
        Self {
            threads: threads.max(1),
            workers: BTreeMap::new(),
            holders: BTreeMap::new(),
            dropped: BTreeMap::new(),
            slowest: None,
            overdue: BTreeSet::new(),
        }
    }

    /// Updates a worker by its status. Returns whether the worker is new.
    pub(super) fn update(
        &mut self,
        run: &Name,
        worker: WorkerId,
        status: &Status,
        now: Instant,
    ) -> bool {
        let refuses = status.refusal(run).map(str::to_string);
        let takes_part = !status.leaving && refuses.is_none();
        let holds = status.holds.get(run).into_iter().flatten();
        let mut state = WorkerState {
            status_at: now,
            games: status.games,
            falls: 0,
            slots: usize::from(takes_part) * (status.cores / self.threads),
            holds: holds.map(|pair| (*pair, now)).collect(),
            answered: None,
            refuses,
        };
        let before = self.take(&worker);
        if let Some(before) = &before {
            state.answered = before.answered;
            // A machine that slept has not held its pairs meanwhile.
            for (pair, since) in state.holds.iter_mut().filter(|_| before.is_alive(now)) {
                *since = before.holds.get(pair).copied().unwrap_or(now);
            }
            let is_fall = (1..before.games).contains(&state.games);
            state.falls = before.falls + u32::from(is_fall);
        }
        let is_restart = |before: &&WorkerState| before.games > 0 && status.games == 0;
        if let Some(before) = before.as_ref().filter(is_restart) {
            let held = before.holds.keys().map(|pair| (*pair, worker.clone()));
            self.dropped.extend(held);
        }
        for pair in state.holds.keys() {
            self.holders
                .entry(*pair)
                .or_default()
                .insert(worker.clone());
        }
        self.workers.insert(worker, state);
        before.is_none()
    }

    /// Whether several machines seem to use the name of a worker.
    pub(super) fn shares_name(&self, worker: &WorkerId) -> bool {
        let state = self.workers.get(worker);
        state.is_some_and(|state| state.falls >= SHARED_NAME_FALLS)
    }

    pub(super) fn contains(&self, worker: &WorkerId) -> bool {
        self.workers.contains_key(worker)
    }

    /// Removes the workers whose last status is older than [`REMOVE_AFTER`].
    pub(super) fn remove_gone(&mut self, now: Instant) {
        let workers = self.workers.iter();
        let gone = workers.filter(|(_, state)| state.age(now) >= REMOVE_AFTER);
        for worker in gone.map(|(id, _)| id.clone()).collect::<Vec<_>>() {
            self.take(&worker);
        }
    }

    /// Removes a worker. Returns the pairs that it had.
    pub(super) fn remove(&mut self, worker: &WorkerId) -> BTreeSet<u64> {
        let state = self.take(worker);
        let holds = state.map(|state| state.holds).unwrap_or_default();
        holds.into_keys().collect()
    }

    fn take(&mut self, worker: &WorkerId) -> Option<WorkerState> {
        let state = self.workers.remove(worker)?;
        for pair in state.holds.keys() {
            self.remove_holder(worker, *pair);
        }
        Some(state)
    }

    fn remove_holder(&mut self, worker: &WorkerId, pair: u64) {
        if let Entry::Occupied(mut holders) = self.holders.entry(pair) {
            holders.get_mut().remove(worker);
            if holders.get().is_empty() {
                holders.remove();
            }
        }
    }

    /// Records that a worker has returned a pair.
    pub(super) fn pair_returned(&mut self, worker: &WorkerId, pair: u64, now: Instant) {
        let Some(state) = self.workers.get_mut(worker) else {
            return;
        };
        let since = state.holds.remove(&pair);
        self.remove_holder(worker, pair);
        if self.overdue.remove(&(pair, worker.clone())) {
            return;
        }
        let held = since.map(|since| now.duration_since(since));
        self.slowest = self.slowest.max(held);
    }

    /// Records that a result of a worker counts.
    pub(super) fn answered(&mut self, worker: &WorkerId, now: Instant) {
        if let Some(state) = self.workers.get_mut(worker) {
            state.answered = Some(now);
        }
    }

    /// The pairs that living workers have had for far longer than the slowest one that was
    /// returned took, each once. `longest` is a time that hardly any pair takes, for a run
    /// without a returned pair.
    pub(super) fn overdue(&mut self, longest: Duration, now: Instant) -> Vec<Overdue> {
        let slowest = self.slowest;
        let limit = match slowest {
            Some(slowest) => slowest.saturating_mul(OVERDUE_FACTOR),
            None => longest.saturating_mul(2),
        };
        let limit = limit.max(MIN_OVERDUE);
        let workers = self.workers.iter();
        let alive = workers.filter(|(_, state)| state.is_alive(now));
        let overdue = alive.flat_map(|(worker, state)| {
            state.holds.iter().map(move |(pair, since)| Overdue {
                pair: *pair,
                worker: worker.clone(),
                held: now.duration_since(*since),
                slowest,
                is_silent: state.answered.is_none_or(|answered| answered < *since),
            })
        });
        let new = overdue.filter(|late| late.held >= limit);
        let new = new.filter(|late| !self.overdue.contains(&(late.pair, late.worker.clone())));
        let new: Vec<_> = new.collect();
        let known = new.iter().map(|late| (late.pair, late.worker.clone()));
        self.overdue.extend(known);
        new
    }

    /// The workers that are alive and take part.
    pub(super) fn present(&self, now: Instant) -> impl Iterator<Item = &WorkerId> {
        let takes_part = move |state: &WorkerState| state.is_alive(now) && state.slots > 0;
        let workers = self.workers.iter();
        workers.filter_map(move |(id, state)| takes_part(state).then_some(id))
    }

    /// The worker that had a pair before `player` returned it: one that was restarted, or
    /// another whose last status is older than [`LATE`].
    pub(super) fn previous_holder(
        &mut self,
        pair: u64,
        player: &WorkerId,
        now: Instant,
    ) -> Option<WorkerId> {
        if let Some(worker) = self.dropped.remove(&pair) {
            return Some(worker);
        }
        let is_late = |state: &WorkerState| state.age(now) >= LATE;
        let mut holders = self.holders.get(&pair)?.iter();
        holders
            .find(|id| *id != player && self.workers.get(*id).is_some_and(is_late))
            .cloned()
    }

    /// Number of workers that are alive and take part.
    pub(super) fn count(&self, now: Instant) -> usize {
        self.alive(now).filter(|state| state.slots > 0).count()
    }

    /// A worker that is alive and does not play the run, and why.
    pub(super) fn refusal(&self, now: Instant) -> Option<(&WorkerId, &str)> {
        let mut alive = self.workers.iter().filter(|(_, one)| one.is_alive(now));
        alive.find_map(|(worker, state)| Some((worker, state.refuses.as_deref()?)))
    }

    /// Number of games that the living workers can play at a time.
    pub(super) fn slots(&self, now: Instant) -> usize {
        self.alive(now).map(|state| state.slots).sum()
    }

    fn alive(&self, now: Instant) -> impl Iterator<Item = &WorkerState> {
        let workers = self.workers.values();
        workers.filter(move |state| state.is_alive(now))
    }

    /// The pairs that living workers have.
    pub(super) fn held(&self, now: Instant) -> BTreeSet<u64> {
        let holds = self.alive(now).flat_map(|state| state.holds.keys());
        holds.copied().collect()
    }

    /// Whether a living worker has the pair.
    pub(super) fn is_held(&self, pair: u64, now: Instant) -> bool {
        let mut holders = self.holders.get(&pair).into_iter().flatten();
        holders.any(|id| self.workers.get(id).is_some_and(|one| one.is_alive(now)))
    }

    /// The worker that has a pair, and the time since its last status: of several, the one
    /// that sent the last status.
    pub(super) fn holder(&self, pair: u64, now: Instant) -> Option<(&WorkerId, Duration)> {
        let holders = self.holders.get(&pair)?.iter();
        let holders = holders.filter_map(|id| Some((id, self.workers.get(id)?.age(now))));
        holders.min_by_key(|(_, age)| *age)
    }

    /// Whether every living worker has sent a status since `since`.
    pub(super) fn all_reported(&self, since: Instant, now: Instant) -> bool {
        self.alive(now).all(|state| state.status_at >= since)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::message::samples::status;
    use crate::samples;

    fn worker(number: u8) -> WorkerId {
        samples::worker(&format!("w{number}"))
    }

    #[test]
    fn a_pair_of_two_workers_is_held_until_both_have_returned_it() {
        let run = Name::random();
        let mut presence = Presence::new(1);
        let now = Instant::now();
        for number in [1, 2] {
            presence.update(&run, worker(number), &status(&run, &[7]), now);
        }
        presence.pair_returned(&worker(1), 7, now);
        assert!(presence.is_held(7, now));
        presence.pair_returned(&worker(2), 7, now);
        assert!(!presence.is_held(7, now));
    }

    #[test]
    fn two_machines_of_one_name_differ_from_one_that_restarts() {
        let run = Name::random();
        let mut presence = Presence::new(1);
        let now = Instant::now();
        let mut update = |games, holds: &[u64]| {
            let mut status = status(&run, holds);
            status.games = games;
            presence.update(&run, worker(1), &status, now);
            presence.shares_name(&worker(1))
        };
        assert!(!update(10, &[1]) && !update(8, &[2]) && !update(10, &[1]));
        assert!(update(8, &[2]) && update(12, &[1]));
        assert_eq!(presence.previous_holder(2, &worker(2), now), None);
        // A worker has played no games after a restart.
        let mut presence = Presence::new(1);
        for games in [10, 0, 6, 0, 4, 0] {
            let mut status = status(&run, &[games]);
            status.games = games;
            presence.update(&run, worker(1), &status, now);
        }
        assert!(!presence.shares_name(&worker(1)));
        assert_eq!(
            presence.previous_holder(6, &worker(2), now),
            Some(worker(1))
        );
    }

    #[test]
    fn workers_without_a_status_for_an_hour_are_removed() {
        let run = Name::random();
        let mut presence = Presence::new(1);
        let now = Instant::now();
        presence.update(&run, worker(1), &status(&run, &[7]), now);
        presence.update(&run, worker(2), &status(&run, &[8]), now + REMOVE_AFTER / 2);
        presence.remove_gone(now + REMOVE_AFTER - LATE);
        let other = worker(3);
        let late = now + REMOVE_AFTER;
        assert_eq!(presence.previous_holder(7, &other, late), Some(worker(1)));
        presence.remove_gone(late);
        assert!(!presence.contains(&worker(1)) && presence.contains(&worker(2)));
        assert!(!presence.holders.contains_key(&7));
        assert_eq!(presence.previous_holder(8, &other, late), Some(worker(2)));
    }

    #[test]
    fn a_worker_that_does_not_play_the_run_is_named_while_it_is_alive() {
        let run = Name::random();
        let mut presence = Presence::new(1);
        let now = Instant::now();
        presence.update(&run, worker(1), &status(&run, &[]), now);
        assert_eq!(presence.refusal(now), None);
        let mut refusing = status(&run, &[]);
        let why = "its disk is full; next try in 5 min".to_string();
        refusing.refuses.insert(run.clone(), why);
        presence.update(&run, worker(2), &refusing, now);
        let named = presence.refusal(now);
        assert_eq!(named, Some((&worker(2), "its disk is full")));
        assert_eq!(presence.count(now), 1);
        assert_eq!(presence.refusal(now + STATUS_TIMEOUT), None);
    }

    proptest! {
        /// After any updates, returned pairs and removals, `holders` agrees with the pairs
        /// of the workers.
        #[test]
        fn the_index_of_holders_agrees_with_the_workers(
            steps in proptest::collection::vec((0u8..4, 0u8..4, proptest::collection::vec(0u64..6, 0..4)), 1..60),
        ) {
            let run = Name::random();
            let mut presence = Presence::new(1);
            let start = Instant::now();
            let mut now = start;
            for (kind, number, pairs) in steps {
                now += STATUS_TIMEOUT / 4;
                let id = worker(number);
                match kind {
                    0 => { presence.remove(&id); }
                    1 => pairs.iter().for_each(|pair| presence.pair_returned(&id, *pair, now)),
                    _ => { presence.update(&run, id, &status(&run, &pairs), now); }
                }
                let held = presence.held(now);
                for pair in 0..6 {
                    prop_assert_eq!(presence.is_held(pair, now), held.contains(&pair));
                }
            }
            for number in 0..4 {
                presence.remove(&worker(number));
            }
            prop_assert!(presence.holders.is_empty());
        }
    }
}
