//! A worker: takes jobs from a fleet, plays them and sends the results.

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
mod runs;
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

use hone_base::errln;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context;
use tokio::sync::{Mutex, mpsc};
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval};

use super::ids::{Name, WorkerId};
use super::link::{ToWorker, WorkerLink};
use super::message::{Message, MessageError, Notice, Status, StopOrder, decode};
use super::nats::{NatsWorker, connect};
use abilities::Abilities;
pub use abilities::BuildWhen;
use builder::BuildOrder;
use connection::Connection;
use held::{Held, Phase};
use hone_base::platform::runtime;
use hone_base::platform::usable_processors;
use hone_builds::Cache;
use hone_report::counted;
use hone_run::{Interrupts, Request};
use host_rules::HostRules;
pub use options::{RequestedOptions, WorkerOptions, platform};
use prepare::Prepared;
use runs::Runs;
use slots::Slots;
use store::Store;
use totals::Totals;

/// Interval of the worker's statuses.
const STATUS: Duration = Duration::from_secs(5);
/// Interval of the keep-alive messages of jobs: shorter than the time after which the
/// server delivers a job to another worker.
const KEEP_ALIVE: Duration = Duration::from_secs(8);
/// Maximum time between two turns of the main loop.
const TICK: Duration = Duration::from_millis(100);
/// Time limit for storing the results after the last game of a worker that was asked to
/// end.
const LEAVE: Duration = Duration::from_secs(30);
/// Interval at which unused files are removed.
const PRUNE: Duration = Duration::from_secs(24 * 60 * 60);

/// Runs a worker until it is interrupted.
///
/// # Errors
/// If the server cannot be reached at the start, or refuses the credential.
pub fn work(options: &WorkerOptions) -> anyhow::Result<()> {
    let runtime = runtime()?;
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
        let resources = options.abilities.resources;
        errln!(
            "worker {id} at {}: {}, {} MB; Ctrl-C finishes the pairs in progress",
            options.access.url,
            counted(resources.threads as u64, "thread"),
            resources.memory_mb
        );
        print(options.overload(usable_processors()));
        Worker::new(link, id, options).run(interrupts).await
    });
    // Threads that are still ending an engine are abandoned then.
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
    runs: Runs,
    /// Jobs whose reply is not stored yet, in the order of arrival.
    held: Vec<Held<L::Delivery>>,
    next_ticket: u64,
    is_pulling: bool,
    connection: Connection,
    slots: Slots,
    preparing: JoinSet<Preparation>,
    /// Number of threads that no game uses. No game starts while it is locked.
    idle: Arc<Mutex<usize>>,
    /// The build that is waiting or running; no game starts before it has ended.
    building: Option<BuildOrder>,
    cache: Cache,
    /// Replies that are not stored yet, with the ticket of the job that is done then, if
    /// there is one.
    sending: JoinSet<Option<u64>>,
    totals: Totals,
    /// Once the worker was asked to end: when it last played a game.
    leaving: Option<Instant>,
    /// When unused files were last removed.
    pruned: Option<Instant>,
}

/// The result of preparing a job's engines.
struct Preparation {
    run: Name,
    /// The key of the job's files.
    key: String,
    /// The ticket of the build, if the engines were built.
    build: Option<u64>,
    pair: u64,
    lease: String,
    took: Duration,
    prepared: anyhow::Result<Prepared>,
}

/// Prints a message to the user, if there is one.
fn print(text: Option<impl std::fmt::Display>) {
    if let Some(text) = text {
        errln!("{text}");
    }
}

impl<L: WorkerLink> Worker<L> {
    fn new(link: L, id: WorkerId, options: &WorkerOptions) -> Self {
        let count = options.abilities.resources.threads;
        Self {
            link,
            id,
            abilities: options.abilities.clone(),
            processor: options.processor.clone(),
            host_rules: HostRules::of(options),
            store: Store::at(&options.cache),
            runs: Runs::default(),
            held: Vec::new(),
            next_ticket: 0,
            is_pulling: false,
            connection: Connection::default(),
            slots: Slots::start(count),
            preparing: JoinSet::new(),
            idle: Arc::new(Mutex::new(count)),
            building: None,
            cache: Cache::at(&options.cache),
            sending: JoinSet::new(),
            totals: Totals::new(Instant::now()),
            leaving: None,
            pruned: None,
        }
    }

    async fn run(mut self, mut interrupts: Interrupts) -> anyhow::Result<()> {
        self.link.request_notices().await;
        let mut status = interval(STATUS);
        let mut keep_alive = interval(KEEP_ALIVE);
        let mut tick = interval(TICK);
        for timer in [&mut status, &mut keep_alive, &mut tick] {
            timer.set_missed_tick_behavior(MissedTickBehavior::Delay);
        }
        loop {
            tokio::select! {
                message = self.link.next() => self.handle(message).await?,
                Some((slot, event)) = self.slots.next() => self.slot_event(slot, event).await,
                Some(prepared) = self.preparing.join_next() => {
                    if let Ok(preparation) = prepared {
                        self.prepared(preparation).await;
                    }
                }
                Some(sent) = self.sending.join_next() => {
                    if let Ok(Some(ticket)) = sent {
                        self.reply_stored(ticket).await;
                    }
                }
                _ = status.tick() => self.send_status().await,
                _ = keep_alive.tick() => {
                    self.keep_jobs().await;
                    self.remove_gone_runs(Instant::now());
                    self.prune(Instant::now());
                }
                _ = tick.tick() => self.send_games().await,
                request = interrupts.next() => {
                    if self.interrupted(request).await {
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
        self.send_status().await;
        self.link.flush().await;
        self.slots.end().await;
        Ok(())
    }

    /// Prevents the server from giving this worker's jobs to others.
    async fn keep_jobs(&self) {
        if self.connection.is_cut_off() {
            return;
        }
        for held in &self.held {
            self.link.keep_alive(&held.delivery).await;
        }
    }

    /// Whether the worker was asked to end, and its replies are stored or too late.
    fn is_done(&mut self, now: Instant) -> bool {
        let Some(played) = &mut self.leaving else {
            return false;
        };
        if !self.slots.are_idle() {
            *played = now;
            return false;
        }
        self.held.is_empty() || now.duration_since(*played) > LEAVE
    }

    /// Once a day, removes unused files, except those of the runs that it plays.
    fn prune(&mut self, now: Instant) {
        let is_due = |pruned: Instant| now.duration_since(pruned) >= PRUNE;
        if self.pruned.is_some_and(|pruned| !is_due(pruned)) {
            return;
        }
        self.pruned = Some(now);
        self.runs.mark_used();
        self.store.prune();
    }

    /// Handles an interrupt. Returns whether the worker must end now: at the second
    /// interrupt, or at a request to end at once.
    async fn interrupted(&mut self, request: Request) -> bool {
        self.building = None;
        let is_again = self.leaving.is_some();
        self.leaving = Some(Instant::now());
        let is_abort = is_again || request == Request::Now;
        self.give_back(|held| match held.phase {
            Phase::Waiting => true,
            Phase::Playing => is_abort,
            Phase::Answered => false,
        })
        .await;
        if !is_abort {
            errln!(
                "finishing {}; press Ctrl-C again to stop immediately",
                counted(self.held.len() as u64, "pair")
            );
        }
        self.send_status().await;
        is_abort
    }

    async fn handle(&mut self, message: ToWorker<L::Delivery>) -> anyhow::Result<()> {
        match message {
            ToWorker::Job {
                run,
                bytes,
                delivery,
            } => self.take_job(run, &bytes, delivery).await,
            ToWorker::PullEnded { run, jobs } => {
                self.is_pulling = false;
                if jobs == 0 {
                    self.runs.was_empty(&run, Instant::now());
                }
            }
            ToWorker::Notice { run, bytes } => match decode::<Notice>(&bytes) {
                Ok(notice) => self.update_run(run, notice).await,
                Err(error @ (MessageError::Version(_) | MessageError::Invalid(_))) => {
                    self.refuse(run, error.to_string());
                }
                // Another worker can make the server send its replies to this subject.
                Err(error) => tracing::debug!("run {run}: a notice is ignored: {error}"),
            },
            ToWorker::StopOrder { run, bytes } => match decode::<StopOrder>(&bytes) {
                Ok(order) if order.run == run => self.drop_run(&run).await,
                // As above.
                _ => tracing::debug!("run {run}: a stop order is ignored"),
            },
            ToWorker::StatusRequested => self.send_status().await,
            ToWorker::GamesRequested { run } => self.runs.request_games(&run, Instant::now()),
            ToWorker::Connection { is_up: true } => {
                print(self.connection.up());
                self.link.request_notices().await;
                self.send_status().await;
            }
            ToWorker::Connection { is_up: false } => print(self.connection.down()),
            ToWorker::PermissionDenied { what } => {
                print(self.connection.denied(&what, &self.id.credential));
            }
            ToWorker::CredentialRefused => print(self.connection.refused(Instant::now())?),
        }
        Ok(())
    }

    async fn update_run(&mut self, run: Name, notice: Notice) {
        if let Some(why) = self.abilities.refusal(&notice) {
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
            self.give_back_run(&run).await;
            return self.refuse(run, why);
        }
        self.runs.allow(&run, Instant::now());
        if self.runs.show(&run) {
            errln!("run {run}: {}", notice.title);
        }
        if notice.draining {
            self.give_back(|held| held.run == run && held.phase == Phase::Waiting)
                .await;
        }
        self.runs.update(&run, notice, Instant::now());
    }

    /// Refuses a run until its notice allows this worker to play it.
    fn refuse(&mut self, run: Name, why: String) {
        self.runs.hide(&run);
        if self.runs.refuse(run.clone(), &why, Instant::now()) {
            errln!("run {run} is not played here: {why}");
        }
    }

    /// Drops the jobs of a run that is over or was stopped.
    async fn drop_run(&mut self, run: &Name) {
        self.runs.forget(run);
        let of_run = self.held.extract_if(.., |held| held.run == *run);
        let dropped: Vec<_> = of_run.collect();
        for held in &dropped {
            self.link.done(&held.delivery).await;
        }
        self.building.take_if(|order| order.run == *run);
        self.slots
            .abort(|ticket| dropped.iter().any(|held| held.ticket == ticket));
    }

    /// Removes the runs without a notice for long, played or refused, except those that it plays.
    fn remove_gone_runs(&mut self, now: Instant) {
        for run in self.runs.gone(now) {
            if self.held.iter().all(|held| held.run != run) {
                self.runs.forget(&run);
            }
        }
    }

    /// Sends this worker's status, unless the server is unreachable: the transport
    /// buffers a limited number of messages and then blocks. The status is sent after
    /// each reconnection.
    async fn send_status(&mut self) {
        if self.connection.is_cut_off() {
            return;
        }
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
            cores: self.abilities.resources.threads,
            busy: busy
                .map(|held| held.resources.threads)
                .sum::<usize>()
                .min(self.abilities.resources.threads),
            games: self.totals.games,
            time_forfeits: self.totals.time_forfeits,
            failures: self.totals.failures,
            pace: self.totals.pace(now),
            holds,
            refuses: self.runs.refused_in_words(now),
            builds: self.abilities.build != BuildWhen::Never,
            building: self
                .building
                .iter()
                .map(|order| order.run.clone())
                .collect(),
            leaving: self.leaving.is_some(),
        };
        match status.encode_shortened() {
            Ok(bytes) => self.link.send_status(bytes).await,
            Err(error) => tracing::info!("status of {} bytes at most: {error}", Status::LIMIT),
        }
    }
}
