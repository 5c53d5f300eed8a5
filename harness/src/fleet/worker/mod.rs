//! A worker: takes jobs from a fleet, plays them, gives back results.

mod abilities;
mod builder;
mod building;
mod connection;
mod engines;
mod held;
mod host_rules;
mod jobs;
mod options;
mod prepare;
mod refusals;
mod scheduler;
mod shown;
mod slot;
mod slots;
mod store;
mod tables;
#[cfg(test)]
mod tests;
mod totals;
mod watched;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context;
use tokio::sync::{Mutex, mpsc};
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval};

use super::ids::{Name, WorkerId};
use super::link::{ToWorker, WorkerLink};
use super::message::{Message, Notice, Status, decode};
use super::nats::{NatsWorker, connect};
use crate::builds::Cache;
use crate::platform::usable_processors;
use crate::report::counted;
use crate::run::{Interrupts, Request};
use abilities::Abilities;
pub(crate) use abilities::BuildWhen;
use builder::BuildOrder;
use connection::Connection;
use engines::Engines;
use held::{EngineNumbers, Held, Phase};
use host_rules::HostRules;
pub(crate) use options::{RequestedOptions, WorkerOptions, platform};
use prepare::Prepared;
use refusals::Refusals;
use scheduler::RunScheduler;
use slots::Slots;
use store::Store;
use totals::Totals;
use watched::Watched;

const REPORT: Duration = Duration::from_secs(5);
/// Often enough that the server does not give a job to another.
const KEEP: Duration = Duration::from_secs(8);
const TURN: Duration = Duration::from_millis(100);
/// How long results may take to be stored after the last game of a worker that
/// was asked to end.
const FAREWELL: Duration = Duration::from_secs(30);
/// How often old files are looked for.
const PRUNE: Duration = Duration::from_secs(24 * 60 * 60);

/// Works until it is interrupted.
///
/// # Errors
/// If the server cannot be reached at the start, or refuses the credential.
pub(crate) fn work(options: &WorkerOptions) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("cannot start the async runtime")?;
    let worked = runtime.block_on(async {
        let interrupts = Interrupts::listen().context("cannot listen for signals")?;
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
            "worker {id} at {}: {}, {} MB; Ctrl-C finishes the pairs in progress",
            options.access.url,
            counted(room.threads as u64, "thread"),
            room.memory_mb
        );
        show(options.overload(usable_processors()));
        Worker::new(link, id, options).run(interrupts).await
    });
    // Threads that still end an engine are not waited for any longer.
    runtime.shutdown_timeout(Duration::from_secs(2));
    worked
}

struct Worker<L: WorkerLink> {
    link: L,
    id: WorkerId,
    abilities: Abilities,
    processor: String,
    host_rules: HostRules,
    store: Store,
    scheduler: RunScheduler,
    refusals: Refusals,
    /// Runs whose games somebody watches.
    watched: Watched,
    /// Runs that have been announced.
    shown: BTreeSet<Name>,
    /// Jobs that were taken and not answered, in the order of arrival.
    held: VecDeque<Held<L::Delivery>>,
    next_ticket: u64,
    is_pulling: bool,
    connection: Connection,
    slots: Slots,
    engines: Engines,
    preparing: JoinSet<Readied>,
    /// Threads that no game uses. No game starts while it is locked.
    idle: Arc<Mutex<usize>>,
    /// The engines that are built before any other game.
    building: Option<BuildOrder>,
    cache: Cache,
    /// Replies that the server does not have yet: the tickets of jobs that are
    /// done with them.
    sending: JoinSet<Option<u64>>,
    engine_numbers: EngineNumbers,
    totals: Totals,
    /// Once it was asked to end: when it last played a game.
    leaving: Option<Instant>,
    /// When old files were last looked for.
    pruned: Option<Instant>,
}

/// How it went to make a job's engines ready.
struct Readied {
    run: Name,
    /// What the job's files are known by.
    key: String,
    /// The ticket of its order, if its engines were built.
    build: Option<u64>,
    pair: u64,
    lease: String,
    took: Duration,
    prepared: anyhow::Result<Prepared>,
}

/// Whether the loop continues.
enum Flow {
    Continue,
    End,
}

/// Shows the user what there is to learn.
fn show(text: Option<impl std::fmt::Display>) {
    if let Some(text) = text {
        errln!("{text}");
    }
}

impl<L: WorkerLink> Worker<L> {
    fn new(link: L, id: WorkerId, options: &WorkerOptions) -> Self {
        let count = options.abilities.room.threads;
        Self {
            link,
            id,
            abilities: options.abilities.clone(),
            processor: options.processor.clone(),
            host_rules: HostRules::of(options),
            store: Store::at(&options.cache),
            scheduler: RunScheduler::default(),
            refusals: Refusals::default(),
            watched: Watched::default(),
            shown: BTreeSet::new(),
            held: VecDeque::new(),
            next_ticket: 0,
            is_pulling: false,
            connection: Connection::default(),
            slots: Slots::start(count),
            engines: Engines::default(),
            preparing: JoinSet::new(),
            idle: Arc::new(Mutex::new(count)),
            building: None,
            cache: Cache::at(&options.cache),
            sending: JoinSet::new(),
            engine_numbers: EngineNumbers::default(),
            totals: Totals::new(Instant::now()),
            leaving: None,
            pruned: None,
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
                Some((slot, report)) = self.slots.next() => self.reported(slot, report).await,
                Some(prepared) = self.preparing.join_next() => {
                    if let Ok(readied) = prepared {
                        self.got_ready(readied).await;
                    }
                }
                Some(sent) = self.sending.join_next() => {
                    if let Ok(Some(ticket)) = sent {
                        self.answered(ticket).await;
                    }
                }
                _ = report.tick() => self.report().await,
                _ = keep.tick() => {
                    for held in &self.held {
                        self.link.keep(&held.delivery).await;
                    }
                    self.forget_gone(Instant::now());
                    self.prune(Instant::now());
                }
                _ = turn.tick() => self.show_games().await,
                request = interrupts.next() => {
                    if let Flow::End = self.interrupted(request).await {
                        break;
                    }
                }
            }
            self.start_games();
            self.start_build().await;
            self.pull().await;
            if self.is_done(Instant::now()) {
                break;
            }
        }
        self.report().await;
        self.link.flush().await;
        self.slots.end().await;
        Ok(())
    }

    /// Whether it was asked to end, and everything is answered.
    fn is_done(&mut self, now: Instant) -> bool {
        let Some(played) = &mut self.leaving else {
            return false;
        };
        if !self.slots.are_idle() {
            *played = now;
            return false;
        }
        self.held.is_empty() || now.duration_since(*played) > FAREWELL
    }

    /// Once a day, removes old files, except those of the runs that it plays.
    fn prune(&mut self, now: Instant) {
        let is_due = |pruned: Instant| now.duration_since(pruned) >= PRUNE;
        if self.pruned.is_some_and(|pruned| !is_due(pruned)) {
            return;
        }
        self.pruned = Some(now);
        self.engines.keep();
        self.store.prune();
    }

    async fn interrupted(&mut self, request: Request) -> Flow {
        self.building = None;
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
                    self.scheduler.dry(&run, Instant::now());
                }
            }
            ToWorker::Notice { run, bytes } => match decode::<Notice>(&bytes) {
                Ok(notice) => self.noticed(run, notice).await,
                Err(error) => {
                    self.refuse(run, error.to_string());
                }
            },
            ToWorker::Stopped { run } => self.leave(&run).await,
            ToWorker::StatusRequested => self.report().await,
            ToWorker::Watched { run } => self.watched.asked(run, Instant::now()),
            ToWorker::Connection { is_up: true } => {
                show(self.connection.up());
                self.link.ask().await;
                self.report().await;
            }
            ToWorker::Connection { is_up: false } => show(self.connection.down()),
            ToWorker::Denied { what } => {
                show(self.connection.denied(&what, &self.id.credential));
            }
            ToWorker::Expelled => show(self.connection.refused(Instant::now())?),
        }
        Ok(())
    }

    async fn noticed(&mut self, run: Name, notice: Notice) {
        if let Some(why) = self.abilities.misfit(&notice) {
            return self.refuse(run, why);
        }
        let id = self.id.to_string();
        let why = match notice.quarantined.get(&id) {
            Some(why) => Some(format!("this worker is in quarantine: {why}")),
            None if notice.exclude.iter().any(|one| one.matches(&id)) => {
                Some("its configuration excludes this worker".to_string())
            }
            None => None,
        };
        if let Some(why) = why {
            self.give_back(&run).await;
            return self.refuse(run, why);
        }
        self.refusals.allow(&run);
        if self.shown.insert(run.clone()) {
            errln!("run {run}: {}", notice.title);
        }
        if notice.draining {
            self.give_back_waiting(|held| held.run == run).await;
        }
        self.scheduler.heard(run, notice, Instant::now());
    }

    /// Does not play a run, until a notice of it has nothing against this worker.
    fn refuse(&mut self, run: Name, why: String) {
        self.scheduler.forget(&run);
        self.shown.remove(&run);
        if self.refusals.refuse(run.clone(), &why) {
            errln!("run {run} is not played here: {why}");
        }
    }

    /// Gives back those of some jobs that are not played yet.
    async fn give_back_waiting(&mut self, of: impl Fn(&Held<L::Delivery>) -> bool) {
        let is_waiting = |held: &Held<L::Delivery>| held.phase == Phase::Waiting && of(held);
        for held in self.held.iter().filter(|held| is_waiting(held)) {
            self.link.give_back(&held.delivery).await;
        }
        self.held.retain(|held| !is_waiting(held));
    }

    /// The run is over, or its runner has gone.
    async fn leave(&mut self, run: &Name) {
        self.scheduler.forget(run);
        self.shown.remove(run);
        self.refusals.forget(run);
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
        self.building.take_if(|order| order.run == *run);
        self.engines.forget(run);
        self.slots.leave(&left);
    }

    /// Forgets the runs that have been silent for long, unless it plays them.
    fn forget_gone(&mut self, now: Instant) {
        for run in self.scheduler.gone(now) {
            if self.held.iter().all(|held| held.run != run) {
                self.scheduler.forget(&run);
                self.shown.remove(&run);
                self.engines.forget(&run);
            }
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
        let now = Instant::now();
        let busy = self.held.iter().filter(|held| held.phase == Phase::Playing);
        let mut status = Status {
            hone: env!("CARGO_PKG_VERSION").to_string(),
            platform: self.abilities.platform.clone(),
            processor: self.processor.clone(),
            cores: self.abilities.room.threads,
            busy: busy
                .map(|held| held.room.threads)
                .sum::<usize>()
                .min(self.abilities.room.threads),
            games: self.totals.games,
            time_forfeits: self.totals.time_forfeits,
            failures: self.totals.failures,
            pace: self.totals.pace(now),
            holds,
            refuses: self.refusals.in_words(now),
            builds: self.abilities.build != BuildWhen::Never,
            building: self
                .building
                .iter()
                .map(|order| order.run.clone())
                .collect(),
            leaving: self.leaving.is_some(),
        };
        match status.encode_shortened() {
            Ok(bytes) => self.link.report(bytes).await,
            Err(error) => tracing::info!("status of {} bytes at most: {error}", Status::LIMIT),
        }
    }
}
