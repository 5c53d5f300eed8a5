//! A worker: takes jobs from a fleet, plays them, gives back results.

mod held;
mod options;
mod prepare;
mod slot;
mod store;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval};

use super::draw::{Abilities, Draw, Room};
use super::ids::{Name, WorkerId};
use super::link::{ToWorker, WorkerLink};
use super::message::{Job, Message, Notice, Refusal, Reply, Status, decode, encode};
use super::nats::{NatsWorker, connect};
use crate::executor::Evidence;
use crate::executor::PlayedPair;
use crate::rules::Termination;
use crate::run::{Interrupts, Request};
use held::{EngineNumbers, Held, Phase, reply_of};
pub(crate) use options::{Asked, WorkerOptions, platform};
use prepare::{Prepared, prepare};
use slot::{Report, Slot};
use store::Store;

const REPORT: Duration = Duration::from_secs(5);
/// Often enough that the server does not give a job to another.
const KEEP: Duration = Duration::from_secs(8);
const TURN: Duration = Duration::from_millis(100);
const PULL_WAIT: Duration = Duration::from_secs(1);
/// The time over which the pace is taken.
const PACE: Duration = Duration::from_secs(180);
/// How long results may take to be stored after the worker was told to end.
const FAREWELL: Duration = Duration::from_secs(30);

/// Works until it is interrupted.
///
/// # Errors
/// If the server cannot be reached at the start, or refuses the credential.
pub(crate) fn work(options: &WorkerOptions) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("the worker cannot start")?;
    let worked = runtime.block_on(async {
        let interrupts = Interrupts::listen().context("signals cannot be heard")?;
        let (machine, _lock) = options.machine()?;
        let id = WorkerId {
            credential: options.access.name.clone(),
            machine,
        };
        let (sender, events) = mpsc::unbounded_channel();
        let client = connect(&options.access, sender).await?;
        let link = NatsWorker::new(client, id.clone(), events).await?;
        let room = options.abilities.room;
        errln!(
            "worker {id} at {}: {} cores, {} MB; Ctrl-C finishes the pairs in progress",
            options.access.url,
            room.threads,
            room.memory_mb
        );
        Worker::new(link, options).run(interrupts).await
    });
    // Threads that still end an engine are not waited for any longer.
    runtime.shutdown_timeout(Duration::from_secs(2));
    worked
}

struct Worker<L: WorkerLink> {
    link: L,
    abilities: Abilities,
    processor: String,
    syzygy: Option<std::path::PathBuf>,
    store: Store,
    draw: Draw,
    /// Runs that are not played here, and why.
    refuses: BTreeMap<Name, String>,
    /// Runs that the user was told of.
    shown: BTreeSet<Name>,
    /// Jobs that were taken and not answered, in the order of arrival.
    held: VecDeque<Held<L::Delivery>>,
    next_ticket: u64,
    is_pulling: bool,
    slots: Vec<Slot>,
    /// The ticket of the job that each slot plays; of one that is leaving, none
    /// of those held.
    playing: Vec<Option<u64>>,
    reports: mpsc::UnboundedReceiver<(usize, Report)>,
    /// By the files of their jobs.
    prepared: BTreeMap<String, Option<Prepared>>,
    preparing: JoinSet<(String, Name, u64, anyhow::Result<Prepared>)>,
    /// Results that the server does not have yet: the tickets of their jobs.
    sending: JoinSet<u64>,
    engines: EngineNumbers,
    games: u64,
    time_forfeits: u64,
    failures: u64,
    finished: VecDeque<Instant>,
    started: Instant,
    leaving: Option<Instant>,
}

/// Whether the loop goes on.
enum Flow {
    Continue,
    End,
}

impl<L: WorkerLink> Worker<L> {
    fn new(link: L, options: &WorkerOptions) -> Self {
        let (sender, reports) = mpsc::unbounded_channel();
        let count = options.abilities.room.threads;
        Self {
            link,
            abilities: options.abilities.clone(),
            processor: options.processor.clone(),
            syzygy: options.syzygy.clone(),
            store: Store::at(&options.cache),
            draw: Draw::default(),
            refuses: BTreeMap::new(),
            shown: BTreeSet::new(),
            held: VecDeque::new(),
            next_ticket: 0,
            is_pulling: false,
            slots: (0..count)
                .map(|number| Slot::start(number, sender.clone()))
                .collect(),
            playing: vec![None; count],
            reports,
            prepared: BTreeMap::new(),
            preparing: JoinSet::new(),
            sending: JoinSet::new(),
            engines: EngineNumbers::default(),
            games: 0,
            time_forfeits: 0,
            failures: 0,
            finished: VecDeque::new(),
            started: Instant::now(),
            leaving: None,
        }
    }

    async fn run(mut self, mut interrupts: Interrupts) -> anyhow::Result<()> {
        self.link.ask().await;
        let mut report = interval(REPORT);
        let mut keep = interval(KEEP);
        let mut turn = interval(TURN);
        for timer in [&mut report, &mut keep, &mut turn] {
            timer.set_missed_tick_behavior(MissedTickBehavior::Delay);
        }
        loop {
            tokio::select! {
                arrival = self.link.next() => self.arrived(arrival).await?,
                Some((slot, report)) = self.reports.recv() => self.reported(slot, report).await,
                Some(prepared) = self.preparing.join_next() => {
                    if let Ok((key, run, ticket, prepared)) = prepared {
                        self.got_ready(key, &run, ticket, prepared).await;
                    }
                }
                Some(sent) = self.sending.join_next() => {
                    if let Ok(ticket) = sent {
                        self.answered(ticket).await;
                    }
                }
                _ = report.tick() => self.report().await,
                _ = keep.tick() => {
                    for held in &self.held {
                        self.link.keep(&held.delivery).await;
                    }
                }
                _ = turn.tick() => {}
                request = interrupts.next() => {
                    if let Flow::End = self.interrupted(request).await {
                        break;
                    }
                }
            }
            self.start_games();
            self.pull().await;
            if self.is_done() {
                break;
            }
        }
        self.report().await;
        self.link.flush().await;
        Ok(())
    }

    /// Whether it was told to end, and everything is answered.
    fn is_done(&self) -> bool {
        let Some(since) = self.leaving else {
            return false;
        };
        let is_playing = self.playing.iter().any(Option::is_some);
        !is_playing && (self.held.is_empty() || since.elapsed() > FAREWELL)
    }

    async fn interrupted(&mut self, request: Request) -> Flow {
        let is_again = self.leaving.is_some();
        self.leaving = Some(Instant::now());
        let leaves_all = is_again || request == Request::Now;
        let (kept, given): (VecDeque<_>, VecDeque<_>) = std::mem::take(&mut self.held)
            .into_iter()
            .partition(|held| {
                held.phase == Phase::Answered || (held.phase == Phase::Playing && !leaves_all)
            });
        self.held = kept;
        for held in given {
            self.link.give_back(&held.delivery).await;
        }
        if leaves_all {
            self.report().await;
            self.link.flush().await;
            return Flow::End;
        }
        errln!(
            "finishing {} pairs; interrupt again to leave at once",
            self.held.len()
        );
        self.report().await;
        Flow::Continue
    }

    async fn arrived(&mut self, arrival: ToWorker<L::Delivery>) -> anyhow::Result<()> {
        match arrival {
            ToWorker::Job {
                run,
                bytes,
                delivery,
            } => self.take(run, &bytes, delivery).await,
            ToWorker::PullEnded { run, jobs } => {
                self.is_pulling = false;
                if jobs == 0 {
                    self.draw.dry(&run, Instant::now());
                }
            }
            ToWorker::Notice { run, bytes } => match decode::<Notice>(&bytes) {
                Ok(notice) => self.noticed(run, notice).await,
                Err(error) => {
                    self.refuse(run, error.to_string());
                }
            },
            ToWorker::Stopped { run } => self.leave(&run).await,
            ToWorker::Asked => self.report().await,
            ToWorker::Connection { is_up: true } => {
                errln!("connected again");
                self.link.ask().await;
                self.report().await;
            }
            ToWorker::Connection { is_up: false } => {
                errln!("the server does not answer; the pairs in progress are played on");
            }
            ToWorker::Expelled => bail!(
                "the server does not accept this JOIN any more: it is expired or revoked\nhelp: ask for a new one (`hone fleet join`)"
            ),
        }
        Ok(())
    }

    async fn noticed(&mut self, run: Name, notice: Notice) {
        if let Some(why) = self.abilities.misfit(&notice) {
            self.refuse(run, why);
            return;
        }
        if self.shown.insert(run.clone()) {
            errln!("run {run}: {}", notice.title);
        }
        if notice.draining {
            self.give_back_waiting(&run).await;
        }
        self.draw.heard(run, notice, Instant::now());
    }

    /// Does not play a run any more.
    fn refuse(&mut self, run: Name, why: String) {
        self.draw.forget(&run);
        if self.refuses.get(&run) != Some(&why) {
            errln!("run {run} is not played here: {why}");
            self.refuses.insert(run, why);
        }
    }

    async fn give_back_waiting(&mut self, run: &Name) {
        let is_waiting =
            |held: &Held<L::Delivery>| held.run == *run && held.phase == Phase::Waiting;
        for held in self.held.iter().filter(|held| is_waiting(held)) {
            self.link.give_back(&held.delivery).await;
        }
        self.held.retain(|held| !is_waiting(held));
    }

    /// The run is over, or its owner has gone.
    async fn leave(&mut self, run: &Name) {
        self.draw.forget(run);
        self.shown.remove(run);
        self.refuses.remove(run);
        for held in self.held.iter().filter(|held| held.run == *run) {
            self.link.done(&held.delivery).await;
        }
        let left: BTreeSet<u64> = self
            .held
            .iter()
            .filter(|held| held.run == *run)
            .map(|held| held.ticket)
            .collect();
        self.held.retain(|held| held.run != *run);
        for (slot, playing) in self.slots.iter().zip(&self.playing) {
            if playing.is_some_and(|ticket| left.contains(&ticket)) {
                slot.leave();
            }
        }
    }

    async fn take(&mut self, run: Name, bytes: &[u8], delivery: L::Delivery) {
        let job = match decode::<Job>(bytes) {
            Ok(job) if job.run == run => job,
            Ok(_) => return self.link.done(&delivery).await,
            Err(error) => {
                // Its owner sends it again if it is still wanted.
                errln!("run {run}: a job is refused: {error}");
                return self.link.done(&delivery).await;
            }
        };
        let cannot = self.leaving.is_some() || self.refuses.contains_key(&run);
        let Some(notice) = self.draw.notice(&run).filter(|_| !cannot) else {
            return self.link.give_back(&delivery).await;
        };
        let room = Room {
            threads: notice.threads,
            memory_mb: notice.memory_mb,
        };
        self.draw.taken(&run);
        let ticket = self.next_ticket;
        self.next_ticket += 1;
        let held = Held {
            ticket,
            run,
            job,
            delivery,
            room,
            phase: Phase::Waiting,
        };
        let key = held.files_key();
        if !self.prepared.contains_key(&key) {
            self.prepared.insert(key.clone(), None);
            let preparing = prepare(self.store.clone(), self.link.files(), self.here(&held.job));
            let run = held.run.clone();
            self.preparing
                .spawn(async move { (key, run, ticket, preparing.await) });
        }
        self.held.push_back(held);
    }

    /// The job with this machine's endgame tables.
    fn here(&self, job: &Job) -> Job {
        let mut job = job.clone();
        if let Some(path) = &self.syzygy {
            held::use_tables(&mut job.pair, path);
        }
        job
    }

    async fn got_ready(
        &mut self,
        key: String,
        run: &Name,
        ticket: u64,
        prepared: anyhow::Result<Prepared>,
    ) {
        match prepared {
            Ok(prepared) => {
                self.prepared.insert(key, Some(prepared));
            }
            Err(error) => {
                self.prepared.remove(&key);
                self.cannot_play(run, ticket, format!("{error:#}"), false)
                    .await;
            }
        }
    }

    /// Tells the run's owner why its pairs are not played here, and gives them
    /// back.
    async fn cannot_play(&mut self, run: &Name, ticket: u64, reason: String, stops_run: bool) {
        self.refuse(run.clone(), reason.clone());
        let (refused, kept): (VecDeque<_>, VecDeque<_>) = std::mem::take(&mut self.held)
            .into_iter()
            .partition(|held| held.run == *run && held.phase != Phase::Answered);
        self.held = kept;
        for held in &refused {
            self.link.give_back(&held.delivery).await;
        }
        let left: BTreeSet<u64> = refused.iter().map(|held| held.ticket).collect();
        for (slot, playing) in self.slots.iter().zip(&self.playing) {
            if playing.is_some_and(|playing| playing != ticket && left.contains(&playing)) {
                slot.leave();
            }
        }
        let Some(held) = refused.iter().find(|held| held.ticket == ticket) else {
            return;
        };
        let reply = Reply::Refused(Refusal {
            pair: held.job.pair.pair,
            lease: held.job.lease.clone(),
            reason: reason.chars().take(500).collect(),
            stops_run,
        });
        if let Ok(bytes) = encode(&reply) {
            let sent = self.link.reply(run, bytes);
            self.sending.spawn(async move {
                sent.await;
                ticket
            });
        }
        self.report().await;
    }

    /// Gives jobs to idle slots, the oldest first, as long as there is room.
    fn start_games(&mut self) {
        let mut free = self.free(|held| held.phase == Phase::Playing);
        for held in &mut self.held {
            if held.phase != Phase::Waiting {
                continue;
            }
            let fits = held.room.threads <= free.threads && held.room.memory_mb <= free.memory_mb;
            let idle = self.playing.iter().position(Option::is_none);
            let Some(slot) = idle.filter(|_| fits) else {
                // Nothing overtakes it: it would wait for ever.
                return;
            };
            let Some(Some(prepared)) = self.prepared.get(&held.files_key()) else {
                continue;
            };
            let mut job = prepared.localized(held.job.pair.clone());
            if let Some(path) = &self.syzygy {
                held::use_tables(&mut job, path);
            }
            self.engines.number(&held.run, &mut job);
            free.threads -= held.room.threads;
            free.memory_mb -= held.room.memory_mb;
            held.phase = Phase::Playing;
            self.playing[slot] = Some(held.ticket);
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

    /// Asks for jobs: one waits for each that is played.
    async fn pull(&mut self) {
        if self.is_pulling || self.leaving.is_some() {
            return;
        }
        let waiting = self.free(|held| held.phase == Phase::Waiting);
        let run = self.draw.next(waiting, Instant::now(), |run, _| {
            !self.refuses.contains_key(run)
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

    async fn reported(&mut self, slot: usize, report: Report) {
        let Some(ticket) = self.playing[slot].take() else {
            return;
        };
        match report {
            Report::Left => {}
            Report::Played(played, evidence) => self.played(ticket, *played, evidence).await,
            Report::Failed(reason) => {
                let held = self.held.iter().find(|held| held.ticket == ticket);
                let Some((run, stops_run)) = held.map(|held| (held.run.clone(), held.stops_run()))
                else {
                    return;
                };
                self.cannot_play(&run, ticket, reason, stops_run).await;
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
                let sent = self.link.reply(&run, bytes);
                self.sending.spawn(async move {
                    sent.await;
                    ticket
                });
            }
            Err(error) => {
                held.phase = Phase::Waiting;
                let reason = format!("a result cannot be sent: {error}");
                self.cannot_play(&run, ticket, reason, false).await;
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

    async fn answered(&mut self, ticket: u64) {
        if let Some(at) = self.held.iter().position(|held| held.ticket == ticket)
            && let Some(held) = self.held.remove(at)
        {
            self.link.done(&held.delivery).await;
        }
    }

    async fn report(&mut self) {
        let mut holds = BTreeMap::<Name, Vec<u64>>::new();
        for held in &self.held {
            holds
                .entry(held.run.clone())
                .or_default()
                .push(held.job.pair.pair);
        }
        let over = PACE.min(self.started.elapsed()).as_secs_f64().max(1.0);
        let now = Instant::now();
        let recent = self
            .finished
            .iter()
            .filter(|at| now.duration_since(**at) < PACE)
            .count();
        let busy = self.held.iter().filter(|held| held.phase == Phase::Playing);
        let status = Status {
            hone: env!("CARGO_PKG_VERSION").to_string(),
            platform: self.abilities.platform.clone(),
            processor: self.processor.clone(),
            cores: self.abilities.room.threads,
            busy: busy
                .map(|held| held.room.threads)
                .sum::<usize>()
                .min(self.abilities.room.threads),
            games: self.games,
            time_forfeits: self.time_forfeits,
            failures: self.failures,
            pace: 120.0 * recent as f64 / over,
            holds,
            refuses: self.refuses.clone(),
            leaving: self.leaving.is_some(),
        };
        match encode(&status) {
            Ok(bytes) => self.link.report(bytes).await,
            Err(error) => tracing::info!("status of {} bytes at most: {error}", Status::LIMIT),
        }
    }
}
