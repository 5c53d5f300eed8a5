//! What the owner of a run knows of its pairs and of the workers, without any
//! network: which pairs are under way, which results count, which pairs must
//! be sent again.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use jiff::Timestamp;

use super::accept::{Accepted, accept};
use super::lease::RunKey;
use super::presence::Presence;
use crate::executor::PairJob;
use crate::fleet::clock::Reference;
use crate::fleet::ids::{Name, WorkerId};
use crate::fleet::message::{Played, Status};
use crate::settings::OnFailure;

/// A pair that no worker has, and whose job is not in the queue, is sent again
/// this long after it was sent.
const LOST_AFTER: Duration = Duration::from_secs(20);
/// The queue is in order. A pair that no worker has is also sent again once
/// pairs have been played that were sent this much later: longer than a dead
/// worker's job takes to come back into the queue.
const OVERTAKEN_AFTER: Duration = Duration::from_secs(60);
/// Pairs wanted in flight for each slot of a worker: one that is played, one
/// that the worker has at hand, one in the queue.
const AHEAD: usize = 3;
/// The most pairs in flight.
const MOST: usize = 32_768;

/// A pair that was handed out.
#[derive(Debug)]
struct Flight {
    job: PairJob,
    sent: Instant,
    /// Whether its job was put into the queue. It is not if a worker has the
    /// pair from an earlier process of this run.
    is_queued: bool,
    /// Its games cannot have been over before: when it was first sent, in milliseconds
    /// since 1970; 0 if an earlier process sent it.
    earliest_ms: i64,
}

/// What becomes of a result. `R` acknowledges its delivery.
#[derive(Debug)]
pub(crate) enum Judged<R> {
    /// It counts; its delivery is acknowledged when it is on disk.
    Counts(Box<Accepted>, Option<WorkerId>),
    /// It comes before its pair was planned: it is kept.
    Early,
    /// It does not count, and its delivery is to be acknowledged now.
    Dropped(R, Dropped),
    /// It repeats one that is not on disk yet.
    Repeated,
}

/// Why a result does not count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Dropped {
    /// Another delivery of the pair was counted.
    Known,
    /// The worker was not given the pair.
    NotLeased,
    /// The worker is excluded from the run.
    Excluded,
    /// The result contradicts the pair or itself.
    Wrong(String),
}

struct Early<R> {
    worker: WorkerId,
    played: Box<Played>,
    receipt: R,
}

/// The pairs and the workers of a run.
pub(crate) struct Dispatch<R> {
    key: RunKey,
    flights: BTreeMap<u64, Flight>,
    early: BTreeMap<u64, Early<R>>,
    /// Pairs that count and are not on disk yet.
    unrecorded: BTreeMap<u64, Vec<R>>,
    /// Every pair below was submitted, or is in the ledger from before.
    submitted: u64,
    /// When the youngest job was sent that was played.
    newest_played: Option<Instant>,
    /// What time controls are relative to.
    reference: Option<Reference>,
    presence: Presence,
    excluded: BTreeSet<WorkerId>,
}

impl<R> Dispatch<R> {
    /// A run whose games need `threads` threads each.
    pub(crate) fn new(key: RunKey, threads: usize) -> Self {
        Self {
            key,
            flights: BTreeMap::new(),
            early: BTreeMap::new(),
            unrecorded: BTreeMap::new(),
            submitted: 0,
            newest_played: None,
            reference: None,
            presence: Presence::new(threads),
            excluded: BTreeSet::new(),
        }
    }

    /// The same with time controls that are relative to a reference.
    pub(crate) fn scaled_to(mut self, reference: Option<Reference>) -> Self {
        self.reference = reference;
        self
    }

    pub(crate) fn reference(&self) -> Option<Reference> {
        self.reference
    }

    /// Takes no further result of a worker. Returns the pairs that it had:
    /// others are to play them.
    pub(crate) fn exclude(&mut self, worker: &WorkerId) -> Vec<u64> {
        self.excluded.insert(worker.clone());
        let holds = self.presence.dismiss(worker).into_iter();
        holds
            .filter(|pair| self.flights.contains_key(pair))
            .collect()
    }

    pub(crate) fn is_excluded(&self, worker: &WorkerId) -> bool {
        self.excluded.contains(worker)
    }

    pub(crate) fn in_flight(&self) -> u64 {
        self.flights.len() as u64
    }

    /// The job of a pair in flight.
    pub(crate) fn job(&self, pair: u64) -> Option<&PairJob> {
        self.flights.get(&pair).map(|flight| &flight.job)
    }

    /// Whether the run itself is to stop when an engine fails in this pair, which is
    /// in flight: not because a worker says so.
    pub(crate) fn stops_at_failure(&self, pair: u64) -> bool {
        self.job(pair)
            .is_some_and(|job| job.rules.on_failure == OnFailure::Stop)
    }

    /// Takes a job. Returns what early results make of it: the deliveries that
    /// are of no use any more, and its own result, if that was there before.
    pub(crate) fn submit(
        &mut self,
        job: PairJob,
        now: Instant,
    ) -> (Vec<R>, Option<(WorkerId, Judged<R>)>) {
        let pair = job.pair;
        self.submitted = self.submitted.max(pair + 1);
        let later = self.early.split_off(&(pair + 1));
        let mut before = std::mem::replace(&mut self.early, later);
        let own = before.remove(&pair);
        let flight = Flight {
            job,
            sent: now,
            is_queued: true,
            earliest_ms: match own {
                Some(_) => 0,
                None => Timestamp::now().as_millisecond(),
            },
        };
        self.flights.insert(pair, flight);
        let stale = before.into_values().map(|early| early.receipt).collect();
        let judged = own.map(|early| {
            let judged = self.take(&early.worker, early.played, early.receipt);
            (early.worker, judged)
        });
        (stale, judged)
    }

    /// Judges a result.
    pub(crate) fn take(&mut self, worker: &WorkerId, played: Box<Played>, receipt: R) -> Judged<R> {
        let pair = played.pair;
        if !self.key.is_lease(pair, &played.lease) {
            return Judged::Dropped(receipt, Dropped::NotLeased);
        }
        self.presence.returned(worker, pair);
        if let Some(receipts) = self.unrecorded.get_mut(&pair) {
            // It may be the same message once more: acknowledged before the
            // result is on disk, it would be lost.
            receipts.push(receipt);
            return Judged::Repeated;
        }
        if self.excluded.contains(worker) {
            return Judged::Dropped(receipt, Dropped::Excluded);
        }
        let Some(flight) = self.flights.get(&pair) else {
            if pair < self.submitted {
                return Judged::Dropped(receipt, Dropped::Known);
            }
            let early = Early {
                worker: worker.clone(),
                played,
                receipt,
            };
            return match self.early.insert(pair, early) {
                None => Judged::Early,
                Some(first) => Judged::Dropped(first.receipt, Dropped::Known),
            };
        };
        match accept(&flight.job, self.reference, *played) {
            Ok(mut accepted) => {
                // A worker's clock may be behind.
                let finished_ms = &mut accepted.played.finished_ms;
                *finished_ms = flight.earliest_ms.max(*finished_ms);
                let sent = self.flights.remove(&pair).map(|flight| flight.sent);
                self.newest_played = self.newest_played.max(sent);
                self.unrecorded.insert(pair, vec![receipt]);
                let before = self.presence.given_up(pair, worker, Instant::now());
                Judged::Counts(Box::new(accepted), before)
            }
            Err(why) => Judged::Dropped(receipt, Dropped::Wrong(why)),
        }
    }

    /// Deliveries that can be acknowledged now that these pairs are on disk.
    pub(crate) fn recorded(&mut self, pairs: &[u64]) -> Vec<R> {
        let receipts = pairs.iter().filter_map(|pair| self.unrecorded.remove(pair));
        receipts.flatten().collect()
    }

    /// Takes what a worker tells of itself. Returns whether it is new.
    pub(crate) fn heard(&mut self, worker: WorkerId, status: &Status, now: Instant) -> bool {
        if self.excluded.contains(&worker) {
            return false;
        }
        self.presence.heard(&self.key.run, worker, status, now)
    }

    /// Which workers are present.
    pub(super) fn presence(&mut self) -> &mut Presence {
        &mut self.presence
    }

    /// Workers that are alive and take part.
    pub(crate) fn workers(&self, now: Instant) -> usize {
        self.presence.count(now)
    }

    /// Jobs wanted at hand.
    pub(crate) fn capacity(&self, now: Instant) -> usize {
        (self.presence.slots(now) * AHEAD).clamp(1, MOST)
    }

    /// Whether a living worker has the pair.
    pub(crate) fn is_held(&self, pair: u64, now: Instant) -> bool {
        self.presence.is_held(pair, now)
    }

    /// Leaves a pair with the worker that has it from an earlier process: its
    /// job is not in the queue any more.
    pub(crate) fn leave_with_worker(&mut self, pair: u64) {
        if let Some(flight) = self.flights.get_mut(&pair) {
            flight.is_queued = false;
            flight.earliest_ms = 0;
        }
    }

    /// Pairs to be sent again, because no living worker holds them and they are
    /// not in the queue: they never were, it is empty, or they have been
    /// overtaken. Their time starts anew.
    pub(crate) fn lost(&mut self, queue_is_empty: bool, now: Instant) -> Vec<u64> {
        let held = self.presence.held(now);
        let mut lost = Vec::new();
        for (pair, flight) in &mut self.flights {
            let is_out = match queue_is_empty {
                _ if !flight.is_queued => true,
                true => now.duration_since(flight.sent) >= LOST_AFTER,
                false => self.newest_played >= Some(flight.sent + OVERTAKEN_AFTER),
            };
            if is_out && !held.contains(pair) {
                flight.sent = now;
                flight.is_queued = true;
                lost.push(*pair);
            }
        }
        lost
    }

    /// Whether every living worker has been heard since `since` and none holds
    /// a pair in flight.
    pub(crate) fn is_drained(&self, since: Instant, now: Instant) -> bool {
        let held = self.presence.held(now);
        self.presence.all_heard(since, now) && !self.flights.keys().any(|pair| held.contains(pair))
    }

    pub(crate) fn run(&self) -> &Name {
        &self.key.run
    }

    pub(crate) fn lease(&self, pair: u64) -> String {
        self.key.lease(pair)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::super::presence::{LATE, SILENCE};
    use super::*;
    use crate::fleet::message::samples::{played, status};
    use crate::fleet::samples::pair_job;

    fn worker(name: &str) -> WorkerId {
        WorkerId {
            credential: Name::new("all").expect("a name"),
            machine: Name::new(name).expect("a name"),
        }
    }

    fn result(key: &RunKey, pair: u64) -> Box<Played> {
        Box::new(played(pair, key.lease(pair)))
    }

    #[test]
    fn a_pair_is_not_over_before_it_was_sent_whatever_its_worker_s_clock_shows() {
        let key = RunKey::random();
        let mut dispatch = Dispatch::new(key.clone(), 1);
        let now = Instant::now();
        let a = worker("a");
        let of_pair = |dispatch: &mut Dispatch<u64>, pair| {
            let judged = dispatch.take(&a, result(&key, pair), pair);
            let Judged::Counts(accepted, _) = judged else {
                panic!("{judged:?}");
            };
            accepted.played.finished_ms
        };
        let before = Timestamp::now().as_millisecond();
        dispatch.submit(pair_job(0), now);
        assert!(of_pair(&mut dispatch, 0) >= before);
        // A worker had this one before the run was continued.
        dispatch.submit(pair_job(1), now);
        dispatch.leave_with_worker(1);
        assert_eq!(of_pair(&mut dispatch, 1), 5);
        // This one was over before.
        let judged = dispatch.take(&a, result(&key, 2), 2);
        assert!(matches!(judged, Judged::Early), "{judged:?}");
        let (_, own) = dispatch.submit(pair_job(2), now);
        let Some((_, Judged::Counts(accepted, _))) = own else {
            panic!("{own:?}");
        };
        assert_eq!(accepted.played.finished_ms, 5);
    }

    #[test]
    fn a_result_counts_once_and_is_acknowledged_when_it_is_on_disk() {
        let key = RunKey::random();
        let mut dispatch = Dispatch::new(key.clone(), 1);
        let now = Instant::now();
        dispatch.submit(pair_job(0), now);
        let a = worker("a");
        let judged = dispatch.take(&a, result(&key, 0), 1);
        assert!(matches!(judged, Judged::Counts(..)), "{judged:?}");
        // Delivered again before it is on disk: perhaps the same message.
        let judged = dispatch.take(&a, result(&key, 0), 2);
        assert!(matches!(judged, Judged::Repeated), "{judged:?}");
        assert_eq!(dispatch.recorded(&[0]), [1, 2]);
        let judged = dispatch.take(&worker("b"), result(&key, 0), 3);
        assert!(
            matches!(judged, Judged::Dropped(3, Dropped::Known)),
            "{judged:?}"
        );
    }

    #[test]
    fn a_result_without_the_lease_or_with_other_moves_does_not_count() {
        let key = RunKey::random();
        let mut dispatch = Dispatch::new(key.clone(), 1);
        dispatch.submit(pair_job(0), Instant::now());
        let a = worker("a");
        let forged = Box::new(played(0, key.lease(1)));
        let judged = dispatch.take(&a, forged, 1);
        assert!(
            matches!(judged, Judged::Dropped(1, Dropped::NotLeased)),
            "{judged:?}"
        );
        let mut altered = result(&key, 0);
        altered.games[0].outcome = crate::rules::Outcome::White;
        let judged = dispatch.take(&a, altered, 2);
        assert!(
            matches!(judged, Judged::Dropped(2, Dropped::Wrong(_))),
            "{judged:?}"
        );
        // An honest result still counts afterwards.
        let judged = dispatch.take(&a, result(&key, 0), 3);
        assert!(matches!(judged, Judged::Counts(..)), "{judged:?}");
    }

    #[test]
    fn results_from_before_a_restart_wait_for_their_pairs() {
        let key = RunKey::random();
        let mut dispatch = Dispatch::new(key.clone(), 1);
        let a = worker("a");
        for pair in [3, 5] {
            let judged = dispatch.take(&a, result(&key, pair), pair);
            assert!(matches!(judged, Judged::Early), "{judged:?}");
        }
        // The ledger had pair 3, and the plan continues with pair 4.
        let (stale, own) = dispatch.submit(pair_job(4), Instant::now());
        assert_eq!(stale, [3]);
        assert!(own.is_none());
        let (_, own) = dispatch.submit(pair_job(5), Instant::now());
        assert!(matches!(own, Some((_, Judged::Counts(..)))), "{own:?}");
        assert_eq!(dispatch.recorded(&[5]), [5]);
    }

    #[test]
    fn pairs_of_a_silent_worker_are_lost_and_held_ones_are_not() {
        let key = RunKey::random();
        let mut dispatch = Dispatch::<u64>::new(key.clone(), 2);
        let start = Instant::now();
        for pair in 0..3 {
            dispatch.submit(pair_job(pair), start);
        }
        assert!(dispatch.heard(worker("a"), &status(&key.run, &[0]), start));
        assert!(!dispatch.heard(worker("a"), &status(&key.run, &[0, 1]), start));
        // Four cores, two threads a game.
        assert_eq!(dispatch.capacity(start), 2 * AHEAD);
        assert!(dispatch.lost(true, start).is_empty());
        let later = start + LOST_AFTER;
        assert!(dispatch.lost(false, later).is_empty());
        assert_eq!(dispatch.lost(true, later), [2]);
        assert!(dispatch.lost(true, later).is_empty());
        assert!(!dispatch.is_drained(start, later));
        let late = start + SILENCE;
        assert_eq!(dispatch.lost(true, late), [0, 1]);
        assert_eq!(dispatch.capacity(late), 1);
        assert!(dispatch.is_drained(start, late));
    }

    #[test]
    fn a_pair_of_an_earlier_process_is_lost_with_its_worker() {
        let key = RunKey::random();
        let mut dispatch = Dispatch::<u64>::new(key.clone(), 1);
        let start = Instant::now();
        dispatch.heard(worker("a"), &status(&key.run, &[0]), start);
        dispatch.submit(pair_job(0), start);
        dispatch.leave_with_worker(0);
        assert!(dispatch.lost(false, start).is_empty());
        // Its job is not delivered to another worker.
        assert_eq!(dispatch.lost(false, start + SILENCE), [0]);
        assert!(dispatch.lost(false, start + SILENCE).is_empty());
    }

    #[test]
    fn who_had_a_pair_before_is_known() {
        let key = RunKey::random();
        let mut dispatch = Dispatch::new(key.clone(), 1);
        let start = Instant::now();
        let before = start.checked_sub(LATE).expect("a later time");
        for pair in 0..3 {
            dispatch.submit(pair_job(pair), start);
        }
        // One has gone, one was started again, one is there.
        dispatch.heard(worker("gone"), &status(&key.run, &[0]), before);
        let mut of_again = status(&key.run, &[1]);
        of_again.games = 10;
        dispatch.heard(worker("again"), &of_again, start);
        dispatch.heard(worker("again"), &status(&key.run, &[]), start);
        dispatch.heard(worker("there"), &status(&key.run, &[2]), start);
        for (pair, expected) in [(0, Some("gone")), (1, Some("again")), (2, None)] {
            let judged = dispatch.take(&worker("other"), result(&key, pair), pair);
            let Judged::Counts(_, before) = judged else {
                panic!("{judged:?}");
            };
            assert_eq!(before, expected.map(worker), "pair {pair}");
        }
    }

    #[test]
    fn pairs_of_an_excluded_worker_are_for_others() {
        let key = RunKey::random();
        let mut dispatch = Dispatch::new(key.clone(), 1);
        let now = Instant::now();
        dispatch.submit(pair_job(0), now);
        dispatch.heard(worker("bad"), &status(&key.run, &[0, 9]), now);
        assert_eq!(dispatch.exclude(&worker("bad")), [0]);
        let judged = dispatch.take(&worker("bad"), result(&key, 0), 1);
        assert!(
            matches!(judged, Judged::Dropped(1, Dropped::Excluded)),
            "{judged:?}"
        );
        dispatch.heard(worker("bad"), &status(&key.run, &[]), now);
        assert_eq!(dispatch.workers(now), 0);
        let judged = dispatch.take(&worker("good"), result(&key, 0), 2);
        assert!(matches!(judged, Judged::Counts(..)), "{judged:?}");
    }

    #[test]
    fn whether_a_failure_stops_the_run_is_the_runs_own_rule() {
        let mut dispatch = Dispatch::<u64>::new(RunKey::random(), 1);
        let mut strict = pair_job(1);
        Arc::make_mut(&mut strict.rules).on_failure = OnFailure::Stop;
        for job in [pair_job(0), strict] {
            dispatch.submit(job, Instant::now());
        }
        let stops = [0, 1, 2].map(|pair| dispatch.stops_at_failure(pair));
        assert_eq!(stops, [false, true, false]);
    }

    #[test]
    fn a_pair_that_the_others_have_overtaken_is_lost() {
        let key = RunKey::random();
        let mut dispatch = Dispatch::new(key.clone(), 1);
        let start = Instant::now();
        dispatch.submit(pair_job(0), start);
        let late = start + OVERTAKEN_AFTER;
        dispatch.submit(pair_job(1), late);
        assert!(dispatch.lost(false, late).is_empty());
        dispatch.take(&worker("a"), result(&key, 1), 1);
        assert_eq!(dispatch.lost(false, late), [0]);
    }

    proptest! {
        /// However often results are delivered and in whatever order: each pair
        /// counts exactly once, and every delivery is acknowledged once.
        #[test]
        fn each_pair_counts_once(
            deliveries in proptest::collection::vec(0u64..8, 1..60),
            records in proptest::collection::vec(any::<bool>(), 60),
        ) {
            let key = RunKey::random();
            let mut dispatch = Dispatch::new(key.clone(), 1);
            let now = Instant::now();
            let mut counted = BTreeMap::<u64, u32>::new();
            let mut acknowledged = Vec::new();
            let mut planned = 0;
            let mut note = |judged: Judged<usize>, acknowledged: &mut Vec<usize>| match judged {
                Judged::Counts(accepted, _) => {
                    *counted.entry(accepted.played.result.pair).or_default() += 1;
                }
                Judged::Dropped(receipt, _) => acknowledged.push(receipt),
                Judged::Early | Judged::Repeated => {}
            };
            for (receipt, pair) in deliveries.iter().enumerate() {
                if records[receipt] && planned < 8 {
                    let (stale, own) = dispatch.submit(pair_job(planned), now);
                    acknowledged.extend(stale);
                    if let Some((_, judged)) = own {
                        note(judged, &mut acknowledged);
                    }
                    planned += 1;
                }
                let judged = dispatch.take(&worker("a"), result(&key, *pair), receipt);
                note(judged, &mut acknowledged);
                if records[59 - receipt] {
                    acknowledged.extend(dispatch.recorded(&[*pair]));
                }
            }
            while planned < 8 {
                let (stale, own) = dispatch.submit(pair_job(planned), now);
                acknowledged.extend(stale);
                if let Some((_, judged)) = own {
                    note(judged, &mut acknowledged);
                }
                planned += 1;
            }
            acknowledged.extend(dispatch.recorded(&(0..8).collect::<Vec<_>>()));
            let delivered: BTreeSet<u64> = deliveries.iter().copied().collect();
            prop_assert_eq!(counted.keys().copied().collect::<BTreeSet<_>>(), delivered);
            prop_assert!(counted.values().all(|times| *times == 1));
            acknowledged.sort_unstable();
            prop_assert_eq!(acknowledged, (0..deliveries.len()).collect::<Vec<_>>());
        }
    }
}
