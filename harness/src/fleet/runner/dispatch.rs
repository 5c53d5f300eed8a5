//! What the runner of a run knows of its pairs and of the workers, without any
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
use crate::fleet::message::{PlayedReply, Status};
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
const MAX_IN_FLIGHT: usize = 32_768;

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
    played: Box<PlayedReply>,
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
    pub(crate) fn take(
        &mut self,
        worker: &WorkerId,
        played: Box<PlayedReply>,
        receipt: R,
    ) -> Judged<R> {
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

    /// Takes a worker's status. Returns whether the worker is new.
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
        (self.presence.slots(now) * AHEAD).clamp(1, MAX_IN_FLIGHT)
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
mod tests;
