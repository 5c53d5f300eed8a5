//! The state of a run's pairs and workers, without any network: which pairs are in
//! flight, which results count, which pairs must be sent again.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use jiff::Timestamp;

use super::accept::{Accepted, accept};
use super::checks::{Checks, Second};
use super::presence::{Overdue, Presence, STATUS_TIMEOUT};
use super::run_key::RunKey;
use crate::clock::Reference;
use crate::ids::{Name, WorkerId};
use crate::message::{PlayedReply, Status};
use hone_experiment::settings::OnFailure;
use hone_run::executor::PairJob;
use hone_uci::rules::{Limit, Stage};

/// A pair that no worker has, and whose job is not in the queue, is sent again
/// this long after it was last sent.
const LOST_AFTER: Duration = Duration::from_secs(20);
/// The queue keeps the order of the jobs. A pair that no worker has is also sent again
/// once a pair has been played that was sent this much later: longer than the server
/// takes to return the job of a dead worker to the queue.
const OVERTAKEN_AFTER: Duration = Duration::from_secs(60);
/// Pairs in flight for each game that a worker can play at a time: one that is played,
/// one that waits at the worker, one in the queue.
const PER_SLOT: usize = 3;
const MAX_IN_FLIGHT: usize = 32_768;
const DAY_S: f64 = 24.0 * 3600.0;

/// A pair in flight.
#[derive(Debug)]
struct Flight {
    job: PairJob,
    sent: Instant,
    /// Whether its job was put into the queue; `false` if a worker has the pair from an
    /// earlier process of this run.
    is_queued: bool,
    /// When it was first sent, in milliseconds since 1970; 0 if by an earlier process.
    /// Its games cannot end before.
    earliest_ms: i64,
}

/// Whether a result counts. `R` acknowledges its delivery.
#[derive(Debug)]
pub(super) enum Judged<R> {
    /// It counts; its delivery is acknowledged when it is on disk. With the worker that
    /// had the pair before, if it was another one.
    Counts(Box<Accepted>, Option<WorkerId>),
    /// It arrives before its pair is planned, and is kept until then.
    Early,
    /// It does not count; its delivery must be acknowledged now.
    Dropped(R, Dropped),
    /// The pair has a result that is not on disk yet.
    Repeated(Second),
}

/// Why a result does not count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Dropped {
    /// A result of the pair has been counted.
    Duplicate(Second),
    /// The lease is not that of the pair.
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
    /// The deliveries of each pair that counts and is not on disk yet.
    unrecorded: BTreeMap<u64, Vec<R>>,
    /// Every pair below this number was submitted, or was in the ledger before.
    submitted: u64,
    /// When the newest of the played jobs was sent.
    newest_played: Option<Instant>,
    /// The speed that scaled time controls refer to.
    reference: Option<Reference>,
    presence: Presence,
    excluded: BTreeSet<WorkerId>,
    checks: Checks,
}

impl<R> Dispatch<R> {
    /// A run whose games need `threads` threads each.
    pub(super) fn new(key: RunKey, threads: usize) -> Self {
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
            checks: Checks::default(),
        }
    }

    /// Scales time controls relative to a reference, if there is one.
    pub(crate) fn scaled_to(mut self, reference: Option<Reference>) -> Self {
        self.reference = reference;
        self
    }

    pub(super) fn reference(&self) -> Option<Reference> {
        self.reference
    }

    /// Refuses all further results of a worker. Returns the pairs in flight that it had,
    /// which other workers must play.
    pub(super) fn exclude(&mut self, worker: &WorkerId) -> Vec<u64> {
        self.excluded.insert(worker.clone());
        let holds = self.presence.remove(worker).into_iter();
        holds
            .filter(|pair| self.flights.contains_key(pair))
            .collect()
    }

    pub(crate) fn is_excluded(&self, worker: &WorkerId) -> bool {
        self.excluded.contains(worker)
    }

    pub(super) fn in_flight(&self) -> u64 {
        self.flights.len() as u64
    }

    /// The job of a pair, and the workers that must not play it: a pair in flight, or one of
    /// the last, which is sent to another worker too.
    pub(super) fn job(&self, pair: u64) -> Option<(&PairJob, Vec<String>)> {
        if let Some(flight) = self.flights.get(&pair) {
            return Some((&flight.job, Vec::new()));
        }
        let players = self.checks.players(pair).map(ToString::to_string);
        Some((self.checks.job(pair)?, players.collect()))
    }

    /// The pairs that are sent to another worker now, besides the one that has played them.
    pub(super) fn checks(&mut self, now: Instant) -> Vec<u64> {
        if !self.checks.is_open() {
            return Vec::new();
        }
        let present: Vec<_> = self.presence.present(now).collect();
        self.checks.due(&present, &self.presence.held(now), now)
    }

    /// Whether the run's own rules stop the run when an engine fails in this pair. `false`
    /// if the pair is not in flight.
    pub(crate) fn stops_at_failure(&self, pair: u64) -> bool {
        let flight = self.flights.get(&pair);
        flight.is_some_and(|flight| flight.job.rules.on_failure == OnFailure::Stop)
    }

    /// Adds a job. Returns the deliveries of early results that are now obsolete, and the
    /// job's own early result, if it has one, with its worker.
    pub(super) fn submit(
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

    /// Judges the result of a worker.
    pub(super) fn take(
        &mut self,
        worker: &WorkerId,
        played: Box<PlayedReply>,
        receipt: R,
    ) -> Judged<R> {
        let pair = played.pair;
        if !self.key.is_lease(pair, &played.lease) {
            return Judged::Dropped(receipt, Dropped::NotLeased);
        }
        let now = Instant::now();
        self.presence.pair_returned(worker, pair, now);
        if let Some(receipts) = self.unrecorded.get_mut(&pair) {
            // It may be the same message: if it were acknowledged before the result is on
            // disk, a crash would lose the result.
            receipts.push(receipt);
            return Judged::Repeated(self.second(worker, *played));
        }
        if self.excluded.contains(worker) {
            return Judged::Dropped(receipt, Dropped::Excluded);
        }
        let Some(flight) = self.flights.get(&pair) else {
            if pair < self.submitted {
                let second = self.second(worker, *played);
                return Judged::Dropped(receipt, Dropped::Duplicate(second));
            }
            let early = Early {
                worker: worker.clone(),
                played,
                receipt,
            };
            return match self.early.insert(pair, early) {
                None => Judged::Early,
                Some(first) => Judged::Dropped(first.receipt, Dropped::Duplicate(Second::Unknown)),
            };
        };
        match accept(&flight.job, self.reference, *played) {
            Ok(mut accepted) => {
                // A worker's clock may be behind.
                let finished_ms = &mut accepted.played.finished_ms;
                *finished_ms = flight.earliest_ms.max(*finished_ms);
                if let Some(flight) = self.flights.remove(&pair) {
                    self.newest_played = self.newest_played.max(Some(flight.sent));
                    let is_spot = self.key.is_spot(pair);
                    let result = &accepted.played.result;
                    self.checks.counted(flight.job, worker, result, is_spot);
                }
                self.unrecorded.insert(pair, vec![receipt]);
                self.presence.answered(worker, now);
                let before = self.presence.previous_holder(pair, worker, now);
                Judged::Counts(Box::new(accepted), before)
            }
            Err(why) => Judged::Dropped(receipt, Dropped::Wrong(why)),
        }
    }

    /// Compares a further result of a pair with the one that counts.
    fn second(&mut self, worker: &WorkerId, played: PlayedReply) -> Second {
        let Some(job) = self.checks.job(played.pair) else {
            return Second::Unknown;
        };
        if self.excluded.contains(worker) {
            return Second::Unknown;
        }
        match accept(job, self.reference, played) {
            Ok(accepted) => self.checks.second(worker, &accepted.played.result),
            Err(why) => Second::Wrong(why),
        }
    }

    /// Sends the pairs again that a worker has held for too long. Returns them with their
    /// workers.
    pub(super) fn overdue(&mut self, now: Instant) -> Vec<Overdue> {
        let slowest = self
            .flights
            .values()
            .next()
            .map(|flight| longest(&flight.job));
        let overdue = self.presence.overdue(slowest.unwrap_or_default(), now);
        for late in &overdue {
            if let Some(flight) = self.flights.get_mut(&late.pair) {
                flight.sent = now;
                flight.is_queued = true;
            }
        }
        let flights = &self.flights;
        let in_flight = overdue.into_iter();
        in_flight
            .filter(|late| flights.contains_key(&late.pair))
            .collect()
    }

    /// Deliveries that can be acknowledged now that these pairs are on disk.
    pub(super) fn recorded(&mut self, pairs: &[u64]) -> Vec<R> {
        let receipts = pairs.iter().filter_map(|pair| self.unrecorded.remove(pair));
        receipts.flatten().collect()
    }

    /// Updates a worker by its status. Returns whether the worker is new.
    pub(super) fn update(&mut self, worker: WorkerId, status: &Status, now: Instant) -> bool {
        if self.excluded.contains(&worker) {
            return false;
        }
        self.presence.update(&self.key.run, worker, status, now)
    }

    pub(super) fn presence(&mut self) -> &mut Presence {
        &mut self.presence
    }

    /// Number of workers that are alive and take part.
    pub(super) fn workers(&self, now: Instant) -> usize {
        self.presence.count(now)
    }

    /// Number of pairs that the run should keep in flight, at least 1.
    pub(super) fn capacity(&self, now: Instant) -> usize {
        (self.presence.slots(now) * PER_SLOT).clamp(1, MAX_IN_FLIGHT)
    }

    /// Whether a living worker has the pair.
    pub(crate) fn is_held(&self, pair: u64, now: Instant) -> bool {
        self.presence.is_held(pair, now)
    }

    /// Leaves a pair with the worker that has it from an earlier process. Its job is not
    /// in the queue.
    pub(crate) fn leave_with_worker(&mut self, pair: u64) {
        if let Some(flight) = self.flights.get_mut(&pair) {
            flight.is_queued = false;
            flight.earliest_ms = 0;
        }
    }

    /// The first pair in flight and where it is, in words.
    pub(super) fn oldest(&self, now: Instant) -> Option<(u64, String)> {
        let (pair, _) = self.flights.first_key_value()?;
        let place = match self.presence.holder(*pair, now) {
            None => "in the queue".to_string(),
            Some((worker, silent)) if silent < STATUS_TIMEOUT => format!("of {worker}"),
            Some((worker, silent)) => {
                format!("of {worker}, silent for {} s", silent.as_secs())
            }
        };
        Some((*pair, place))
    }

    /// Whether a queue of this many jobs has none of pairs in flight.
    pub(super) fn is_without_jobs(&self, backlog: u64) -> bool {
        backlog <= self.checks.unanswered()
    }

    /// Pairs that must be sent again: no living worker holds them, and their jobs are not
    /// in the queue, because they never were, the queue is empty, or later jobs were
    /// played. They count as sent now.
    pub(super) fn lost(&mut self, queue_is_empty: bool, now: Instant) -> Vec<u64> {
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

    /// Whether every living worker has sent a status since `since` and none holds a pair
    /// in flight.
    pub(crate) fn is_drained(&self, since: Instant, now: Instant) -> bool {
        let held = self.presence.held(now);
        self.presence.all_reported(since, now)
            && !self.flights.keys().any(|pair| held.contains(pair))
    }

    pub(super) fn run(&self) -> &Name {
        &self.key.run
    }

    pub(super) fn lease(&self, pair: u64) -> String {
        self.key.lease(pair)
    }
}

/// A time that hardly any pair of these limits takes, for a run without a finished pair.
fn longest(job: &PairJob) -> Duration {
    let seconds: f64 = job
        .players
        .iter()
        .map(|player| longest_s(&player.limit))
        .sum();
    Duration::from_secs_f64(seconds.min(DAY_S))
}

/// The seconds of one player.
fn longest_s(limit: &Limit) -> f64 {
    /// Moves of a player in the two games of a pair, of which few have as many.
    const MOVES: f64 = 400.0;
    /// Nodes per second of a slow engine.
    const SLOW: f64 = 10_000.0;
    if let Some(ms) = limit.movetime {
        return MOVES * ms as f64 / 1000.0;
    }
    let of_stage = |stage: &Stage| {
        let times = stage
            .moves
            .map_or(2.0, |moves| MOVES / f64::from(moves) + 2.0);
        (times * stage.base as f64 + MOVES * stage.increment as f64) / 1000.0
    };
    match (limit.stages(), limit.nodes) {
        ([], Some(nodes)) => MOVES * nodes as f64 / SLOW,
        ([], None) => DAY_S,
        (stages, _) => stages.iter().map(of_stage).sum(),
    }
}

#[cfg(test)]
mod tests;
