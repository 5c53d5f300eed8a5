//! The jobs of a worker: taken, made ready, played, answered.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::abilities::Room;
use super::builder::EngineBuilder;
use super::held::{Held, Phase, files_key, reply_of};
use super::prepare::{IdleThreads, prepare};
use super::refusals::{in_minutes, shortened};
use super::slot::SlotEvent;
use super::{Readied, Worker};
use crate::executor::{Evidence, PlayedPair};
use crate::fleet::ids::Name;
use crate::fleet::link::WorkerLink;
use crate::fleet::message::{Job, Refusal, Reply, decode, encode};
use crate::output::with_causes;

const PULL_WAIT: Duration = Duration::from_secs(1);

impl<L: WorkerLink> Worker<L> {
    pub(super) async fn take(&mut self, run: Name, bytes: &[u8], delivery: L::Delivery) {
        let mut job = match decode::<Job>(bytes) {
            Ok(job) if job.run == run => job,
            Ok(_) => return self.link.done(&delivery).await,
            Err(error) => {
                // Its runner sends it again if it is still wanted.
                errln!("run {run}: a job is refused: {error}");
                return self.link.done(&delivery).await;
            }
        };
        let cannot = self.leaving.is_some()
            || self.building.is_some()
            || self.refusals.contains(&run, Instant::now());
        let Some(notice) = self.scheduler.notice(&run).filter(|_| !cannot) else {
            return self.link.give_back(&delivery).await;
        };
        let room = Room {
            threads: notice.threads,
            memory_mb: notice.memory_mb,
        };
        let builds = self.abilities.builds(notice);
        let files = files_key(&job);
        let are_ready = self.engines.are_ready(&run, &files);
        if are_ready != Some(true) {
            // Until its engines are ready, others may play it, and this worker other runs.
            self.link.give_back(&delivery).await;
            self.host_rules.apply(&mut job.pair, room);
            return match are_ready {
                Some(_) => {}
                None if builds => self.order_build(run, files, job, room.threads).await,
                None => {
                    self.engines.begin(&run, &files);
                    self.make_ready(run, files, job, room.threads, None);
                }
            };
        }
        self.scheduler.taken(&run);
        self.held.push_back(Held {
            ticket: self.next_ticket,
            run,
            job,
            files,
            delivery,
            room,
            phase: Phase::Waiting,
            nps: None,
            built: false,
        });
        self.next_ticket += 1;
    }

    /// Makes a job's engines ready beside the games, by the builder of an order if
    /// they are built. A game needs `threads` threads.
    pub(super) fn make_ready(
        &mut self,
        run: Name,
        key: String,
        job: Job,
        threads: usize,
        order: Option<(u64, EngineBuilder)>,
    ) {
        let (pair, lease) = (job.pair.pair, job.lease.clone());
        let (build, builder) = order.unzip();
        let preparing = prepare(
            self.store.clone(),
            self.link.files(),
            job,
            IdleThreads {
                idle: Arc::clone(&self.idle),
                of_game: threads,
            },
            builder,
        );
        self.preparing.spawn(async move {
            let begun = Instant::now();
            let prepared = preparing.await;
            Readied {
                run,
                key,
                build,
                pair,
                lease,
                took: begun.elapsed(),
                prepared,
            }
        });
    }

    pub(super) async fn got_ready(&mut self, readied: Readied) {
        if readied.build.is_some_and(|ticket| !self.end_build(ticket)) {
            // It was interrupted.
            return;
        }
        let (run, key) = (&readied.run, &readied.key);
        if readied.build.is_none() && self.engines.are_ready(run, key).is_none() {
            // Its run is over, or made ready anew.
            return;
        }
        match readied.prepared {
            Ok(prepared) => self.engines.insert(run, readied.key, prepared),
            Err(error) => {
                self.engines.remove(run, key);
                let refusal = Refusal {
                    pair: readied.pair,
                    lease: readied.lease,
                    reason: with_causes(&error),
                    stops_run: false,
                };
                // No game is played beside a build.
                let cost = readied.build.map_or(Duration::ZERO, |_| readied.took);
                self.cannot_play(&readied.run, refusal, cost).await;
            }
        }
    }

    /// Leaves a run out for a while, because of a failure that cost `cost` of
    /// playing time: sends its runner the reason, and gives back its pairs. The lease of
    /// a pair shows that this worker was asked to play them. Several failures at
    /// once are one.
    async fn cannot_play(&mut self, run: &Name, mut refusal: Refusal, cost: Duration) {
        self.scheduler.forget(run);
        self.give_back(run).await;
        let reason = &refusal.reason;
        match self.refusals.failed(run, reason, cost, Instant::now()) {
            Some(wait) => {
                let wait = in_minutes(wait);
                errln!("run {run} is not played here: {reason}; next try in {wait}");
            }
            None if refusal.stops_run => {}
            None => return,
        }
        refusal.reason = shortened(&refusal.reason);
        let reply = Reply::Refused(refusal);
        if let Ok(bytes) = encode(&reply) {
            let sent = self.link.reply(run, bytes);
            self.sending.spawn(async move {
                sent.await;
                None
            });
        }
        self.report().await;
    }

    /// Gives back the jobs of a run that are not answered.
    pub(super) async fn give_back(&mut self, run: &Name) {
        let (given, kept): (VecDeque<_>, VecDeque<_>) = std::mem::take(&mut self.held)
            .into_iter()
            .partition(|held| held.run == *run && held.phase != Phase::Answered);
        self.held = kept;
        for held in &given {
            self.link.give_back(&held.delivery).await;
        }
        let left: BTreeSet<u64> = given.iter().map(|held| held.ticket).collect();
        self.slots.leave(&left);
    }

    /// Gives jobs to idle slots, the oldest first, as long as there is room.
    pub(super) fn start_games(&mut self) {
        let idle = Arc::clone(&self.idle);
        // The machine's speed is measured on the idle threads.
        let Ok(mut idle) = idle.try_lock() else {
            return;
        };
        let mut free = self.free(|held| held.phase == Phase::Playing);
        *idle = free.threads;
        if self.building.is_some() {
            return;
        }
        for held in &mut self.held {
            if held.phase != Phase::Waiting {
                continue;
            }
            let fits = held.room.threads <= free.threads && held.room.memory_mb <= free.memory_mb;
            let Some(slot) = self.slots.idle().filter(|_| fits) else {
                // Nothing overtakes it: it would wait for ever.
                return;
            };
            let Some(prepared) = self.engines.get(&held.run, &held.files) else {
                continue;
            };
            let mut job = prepared.localized(held.job.pair.clone());
            self.host_rules.apply(&mut job, held.room);
            held.nps = prepared.nps();
            held.built = prepared.is_built();
            self.engine_numbers.number(&held.run, &mut job);
            free.threads -= held.room.threads;
            free.memory_mb -= held.room.memory_mb;
            *idle = free.threads;
            held.phase = Phase::Playing;
            self.slots.play(slot, held.ticket, job);
        }
    }

    /// What is left of the machine beside some of the jobs.
    fn free(&self, counts: impl Fn(&Held<L::Delivery>) -> bool) -> Room {
        let used = self.held.iter().filter(|held| counts(held));
        let (threads, memory) = used.fold((0, 0), |(threads, memory), held| {
            (threads + held.room.threads, memory + held.room.memory_mb)
        });
        let all = self.abilities.room;
        Room {
            threads: all.threads.saturating_sub(threads),
            memory_mb: all.memory_mb.saturating_sub(memory),
        }
    }

    /// Asks for jobs of a run whose engines are ready or unknown: one waits for each that
    /// is played.
    pub(super) async fn pull(&mut self) {
        if self.is_pulling || self.building.is_some() || self.leaving.is_some() {
            return;
        }
        let waiting = self.free(|held| held.phase == Phase::Waiting);
        let now = Instant::now();
        let run = self.scheduler.next(waiting, now, |run, _| {
            !self.refusals.contains(run, now) && !self.engines.are_preparing(run)
        });
        let Some(run) = run.cloned() else { return };
        let Some(notice) = self.scheduler.notice(&run) else {
            return;
        };
        let by_memory = waiting
            .memory_mb
            .checked_div(notice.memory_mb)
            .unwrap_or(u64::MAX);
        let jobs = (waiting.threads / notice.threads)
            .min(usize::try_from(by_memory).unwrap_or(usize::MAX));
        if jobs > 0 {
            self.is_pulling = true;
            self.link.pull(&run, jobs, PULL_WAIT).await;
        }
    }

    pub(super) async fn reported(&mut self, slot: usize, report: SlotEvent) {
        let Some(ticket) = self.slots.reported(slot, &report) else {
            return;
        };
        match report {
            SlotEvent::Left => {}
            SlotEvent::Played(played, evidence) => self.played(ticket, *played, evidence).await,
            SlotEvent::Failed { reason, in_game } => {
                let held = self.held.iter().find(|held| held.ticket == ticket);
                let Some(held) = held else { return };
                let run = held.run.clone();
                let refusal = held.refusal(reason, in_game && held.stops_run());
                // Its files may not be what they were.
                self.engines.forget(&run);
                self.cannot_play(&run, refusal, Duration::ZERO).await;
            }
        }
    }

    async fn played(&mut self, ticket: u64, played: PlayedPair, evidence: Vec<Evidence>) {
        self.totals.count(&played, Instant::now());
        let Some(held) = self.held.iter_mut().find(|held| held.ticket == ticket) else {
            // It is not wanted any more.
            return;
        };
        held.phase = Phase::Answered;
        let run = held.run.clone();
        match reply_of(held, played, evidence) {
            Ok(bytes) => {
                self.refusals.played(&run);
                let sent = self.link.reply(&run, bytes);
                self.sending.spawn(async move {
                    sent.await;
                    Some(ticket)
                });
            }
            Err(error) => {
                held.phase = Phase::Waiting;
                let refusal = held.refusal(format!("a result cannot be sent: {error}"), false);
                self.cannot_play(&run, refusal, Duration::ZERO).await;
            }
        }
    }

    pub(super) async fn answered(&mut self, ticket: u64) {
        if let Some(at) = self.held.iter().position(|held| held.ticket == ticket)
            && let Some(held) = self.held.remove(at)
        {
            self.link.done(&held.delivery).await;
        }
    }
}
