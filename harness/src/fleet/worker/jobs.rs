//! The jobs of a worker: taken, made ready, played, answered.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::builder::Workshop;
use super::held::{Confinement, Held, Phase, files_key, of_run, reply_of};
use super::prepare::{Gauge, prepare};
use super::refusals::{in_minutes, shortened};
use super::slot::{Doing, Report};
use super::tables;
use super::{PACE, Readied, Worker};
use crate::engine::uci::MemorySize;
use crate::executor::{Evidence, PlayedPair};
use crate::fleet::ids::Name;
use crate::fleet::link::WorkerLink;
use crate::fleet::message::{Job, Refusal, Reply, decode, encode};
use crate::fleet::worker::draw::Room;
use crate::output::with_causes;
use crate::rules::Termination;

const PULL_WAIT: Duration = Duration::from_secs(1);

/// What the engines of a game that needs this room may do, on a machine with
/// that much room.
fn confinement(sandbox: bool, limits_memory: bool, all: Room, game: Room) -> Confinement {
    let by_threads = (all.threads / game.threads.max(1)) as u64;
    let by_memory = all.memory_mb / game.memory_mb.max(1);
    let games = by_threads.min(by_memory).max(1);
    Confinement {
        sandbox,
        max_memory: limits_memory.then(|| MemorySize::of_bytes((all.memory_mb / games) << 20)),
    }
}

impl<L: WorkerLink> Worker<L> {
    pub(super) async fn take(&mut self, run: Name, bytes: &[u8], delivery: L::Delivery) {
        let job = match decode::<Job>(bytes) {
            Ok(job) if job.run == run => job,
            Ok(_) => return self.link.done(&delivery).await,
            Err(error) => {
                // Its owner sends it again if it is still wanted.
                errln!("run {run}: a job is refused: {error}");
                return self.link.done(&delivery).await;
            }
        };
        let cannot = self.leaving.is_some()
            || self.building.is_some()
            || self.refusals.contains(&run, Instant::now());
        let Some(notice) = self.draw.notice(&run).filter(|_| !cannot) else {
            return self.link.give_back(&delivery).await;
        };
        let room = Room {
            threads: notice.threads,
            memory_mb: notice.memory_mb,
        };
        let builds = self.abilities.builds(notice);
        let files = files_key(&job);
        let is_ready = self.prepared.get(&files).map(Option::is_some);
        if is_ready != Some(true) {
            // Until its engines are ready, others may play it, and this worker other runs.
            self.link.give_back(&delivery).await;
            let job = self.here(&job, room);
            return match is_ready {
                Some(_) => {}
                None if builds => self.order_build(run, files, job, room.threads).await,
                None => {
                    self.prepared.insert(files.clone(), None);
                    self.make_ready(run, files, job, room.threads, None);
                }
            };
        }
        self.draw.taken(&run);
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

    /// Makes a job's engines ready beside the games, in the workshop of an order
    /// if they are built. A game needs `threads` threads.
    pub(super) fn make_ready(
        &mut self,
        run: Name,
        key: String,
        job: Job,
        threads: usize,
        order: Option<(u64, Workshop)>,
    ) {
        let (pair, lease) = (job.pair.pair, job.lease.clone());
        let (build, workshop) = order.unzip();
        let preparing = prepare(
            self.store.clone(),
            self.link.files(),
            job,
            Gauge {
                idle: Arc::clone(&self.idle),
                threads,
            },
            workshop,
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

    /// The job with this machine's endgame tables and rules.
    fn here(&self, job: &Job, room: Room) -> Job {
        let mut job = job.clone();
        confinement(self.sandbox, self.limits_memory, self.abilities.room, room)
            .apply(&mut job.pair);
        if let Some(path) = &self.syzygy {
            tables::use_tables(&mut job.pair, path);
        }
        job
    }

    pub(super) async fn got_ready(&mut self, readied: Readied) {
        if readied.build.is_some_and(|ticket| !self.end_build(ticket)) {
            // It was interrupted.
            return;
        }
        if readied.build.is_none() && !self.prepared.contains_key(&readied.key) {
            // Its run is over, or made ready anew.
            return;
        }
        match readied.prepared {
            Ok(prepared) => {
                self.prepared.insert(readied.key, Some(prepared));
            }
            Err(error) => {
                self.prepared.remove(&readied.key);
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
    /// playing time: sends its owner the reason, and gives back its pairs. The lease of
    /// a pair shows that this worker was asked to play them. Several failures at
    /// once are one.
    async fn cannot_play(&mut self, run: &Name, mut refusal: Refusal, cost: Duration) {
        self.draw.forget(run);
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
        self.leave_jobs(&left);
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
            let slot = self.doing.iter().position(|doing| *doing == Doing::Nothing);
            let Some(slot) = slot.filter(|_| fits) else {
                // Nothing overtakes it: it would wait for ever.
                return;
            };
            let Some(Some(prepared)) = self.prepared.get(&held.files) else {
                continue;
            };
            let mut job = prepared.localized(held.job.pair.clone());
            if let Some(path) = &self.syzygy {
                tables::use_tables(&mut job, path);
            }
            confinement(
                self.sandbox,
                self.limits_memory,
                self.abilities.room,
                held.room,
            )
            .apply(&mut job);
            held.nps = prepared.nps();
            held.built = prepared.is_built();
            self.engines.number(&held.run, &mut job);
            free.threads -= held.room.threads;
            free.memory_mb -= held.room.memory_mb;
            *idle = free.threads;
            held.phase = Phase::Playing;
            self.doing[slot] = Doing::Plays(held.ticket);
            self.slots[slot].play(job);
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

    /// Whether some engines of a run are being made ready.
    fn is_preparing(&self, run: &Name) -> bool {
        let of_run = of_run(run);
        let mut unready = self.prepared.iter().filter(|(_, one)| one.is_none());
        unready.any(|(key, _)| key.starts_with(&of_run))
    }

    /// Asks for jobs of a run whose engines are ready or unknown: one waits for each that
    /// is played.
    pub(super) async fn pull(&mut self) {
        if self.is_pulling || self.building.is_some() || self.leaving.is_some() {
            return;
        }
        let waiting = self.free(|held| held.phase == Phase::Waiting);
        let now = Instant::now();
        let run = self.draw.next(waiting, now, |run, _| {
            !self.refusals.contains(run, now) && !self.is_preparing(run)
        });
        let Some(run) = run.cloned() else { return };
        let Some(notice) = self.draw.notice(&run) else {
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

    pub(super) async fn reported(&mut self, slot: usize, report: Report) {
        let ticket = match (self.doing[slot], &report) {
            (Doing::Plays(ticket), _) => ticket,
            (Doing::Leaves, Report::Left) => {
                self.doing[slot] = Doing::Nothing;
                return;
            }
            _ => return,
        };
        self.doing[slot] = Doing::Nothing;
        match report {
            Report::Left => {}
            Report::Played(played, evidence) => self.played(ticket, *played, evidence).await,
            Report::Failed { reason, in_game } => {
                let held = self.held.iter().find(|held| held.ticket == ticket);
                let Some(held) = held else { return };
                let run = held.run.clone();
                let refusal = held.refusal(reason, in_game && held.stops_run());
                // Its files may not be what they were.
                self.forget_prepared(&run);
                self.cannot_play(&run, refusal, Duration::ZERO).await;
            }
        }
    }

    async fn played(&mut self, ticket: u64, played: PlayedPair, evidence: Vec<Evidence>) {
        self.count(&played);
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

    fn count(&mut self, played: &PlayedPair) {
        self.games += 2;
        for game in &played.result.games {
            self.time_forfeits += u64::from(game.termination == Termination::TimeForfeit);
            self.failures += u64::from(game.termination.is_failure());
        }
        let now = Instant::now();
        self.finished.push_back(now);
        while self
            .finished
            .front()
            .is_some_and(|at| now.duration_since(*at) > PACE)
        {
            self.finished.pop_front();
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_memory_of_a_machine_is_divided_among_its_games() {
        let room = |threads, memory_mb| Room { threads, memory_mb };
        let share = |limits, all, game| {
            let confined = confinement(false, limits, all, game);
            confined.max_memory.map(MemorySize::mib)
        };
        assert_eq!(share(true, room(8, 8192), room(1, 160)), Some(1024));
        // Memory is scarcer than threads.
        assert_eq!(share(true, room(8, 1000), room(1, 400)), Some(500));
        assert_eq!(share(true, room(8, 8192), room(4, 160)), Some(4096));
        assert_eq!(share(false, room(8, 8192), room(1, 160)), None);
    }
}
