//! The runner of a run on a fleet: sends its jobs, receives their results, and
//! acknowledges them when they are in the ledger.
//!
//! `dispatch`, `accept` and `presence` make the decisions and do not use the
//! network.

mod accept;
mod announced;
mod checks;
mod connection;
mod content;
mod deferred;
mod dispatch;
mod failures;
mod files;
mod incidents;
mod past;
mod presence;
mod processes;
mod results;
mod roster;
mod run_key;
mod sender;
mod sources;
#[cfg(test)]
mod tests;
mod uploads;

use hone_base::diagnostic::Diagnostic;
use hone_base::errln;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context;
use tokio::runtime::Runtime;
use tokio::sync::mpsc::{self, UnboundedReceiver};
use tokio::time::{MissedTickBehavior, interval, sleep, timeout};

use super::access::Access;
use super::clock::Reference;
use super::ids::WorkerId;
use super::link::{LinkError, RunnerLink, ToRunner};
use super::message::{Job, Notice, Status, StopOrder, encode};
use super::nats::{NatsRunner, connect};
use super::overview::cannot_use;
use connection::Connection;
use deferred::DeferredResults;
use dispatch::{Dispatch, Dropped, Judged};
use failures::WorkerFailures;
use files::{path_warnings, without_paths};
use hone_base::platform::until;
use hone_run::executor::remote::{Carrier, Command, Remote};
use hone_run::executor::{Event, ExecutorError, PairJob, Stop};
use incidents::Incidents;
use past::Past;
use processes::Processes;
pub use run_key::RunKey;
use sender::JobSender;

/// Interval of the run's notices.
const ANNOUNCE: Duration = Duration::from_secs(5);
/// Delay of a notice that is requested: one notice answers all requests of this time.
const ANNOUNCE_DELAY: Duration = Duration::from_millis(100);
/// Interval of the checks for lost jobs, lost files and dead workers.
const CHECK: Duration = Duration::from_secs(10);
/// Time limit for the results that an earlier process of the run has left.
const TAKE_OVER: Duration = Duration::from_secs(10);
/// Time that workers have to report the pairs that they hold.
const STATUS_WAIT: Duration = Duration::from_millis(300);
/// Interval of the checks whether the workers have finished their pairs.
const DRAIN_CHECK: Duration = Duration::from_millis(500);
/// A job that was taken just before the queue was emptied is in its worker's
/// status after this time.
const IN_TRANSIT: Duration = Duration::from_millis(1500);
/// Maximum number of messages that are handled before their results go into the ledger.
const MAX_BATCH: usize = 1000;
/// Time limit for the last requests to the server.
const CLOSE: Duration = Duration::from_secs(5);

/// A run that is to be played on a fleet.
pub struct FleetRun {
    access: Access,
    /// The run's folder.
    dir: PathBuf,
    /// The description of the run for workers.
    notice: Notice,
    /// Nodes per second that time controls are meant for, if they are scaled.
    reference: Option<u64>,
}

/// Connects to the fleet, and takes over the jobs and results that an earlier process
/// of the run has left there.
///
/// # Errors
/// If the server cannot be reached or refuses.
pub fn start(run: FleetRun) -> anyhow::Result<Remote> {
    let key = RunKey::of(&run.dir, run.notice.priority)?;
    let past = Past::read(&run.dir)?;
    let runtime = runtime().context("cannot start the async runtime")?;
    let link = runtime.block_on(async {
        let (sender, events) = mpsc::unbounded_channel();
        let client = connect(&run.access, sender).await?;
        let link = NatsRunner::new(client, key.run.clone(), events).await;
        link.map_err(|error| cannot_use(&run.access.url, error))
    })?;
    let (remote, carrier) = Remote::new();
    let reference = run.reference.map(|nps| Reference { nps });
    let dispatch = Dispatch::new(key, run.notice.threads).scaled_to(reference);
    let runner = Runner::new(dispatch, run.notice, past, link, carrier);
    let thread = thread::Builder::new()
        .name("fleet".to_string())
        .spawn(move || runtime.block_on(runner.run()))
        .context("cannot start the thread of the connection to the fleet")?;
    Ok(remote.carried_by(thread))
}

/// A second thread serves the connection: the runner hashes nets, packs sources and
/// writes tables, which takes seconds, and the server disconnects a client that does not
/// answer its pings.
fn runtime() -> io::Result<Runtime> {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .thread_name("fleet-link")
        .enable_all()
        .build()
}

struct Runner<L: RunnerLink> {
    link: L,
    dispatch: Dispatch<L::Receipt>,
    carrier: Carrier,
    notice: Notice,
    /// The last status of each worker.
    statuses: BTreeMap<WorkerId, Status>,
    sender: JobSender<L::Files>,
    failures: WorkerFailures,
    incidents: Incidents,
    deferred: DeferredResults,
    /// Number of results of each worker that contradicted their pair.
    wrong: BTreeMap<WorkerId, u32>,
    /// Since when the run is draining.
    draining: Option<Instant>,
    /// When a requested notice is due.
    announce_at: Option<tokio::time::Instant>,
    /// Keys of the warnings that were printed.
    warned: BTreeSet<String>,
    /// The last printed line about the number of workers.
    shown_workers: Option<String>,
    connection: Connection,
    processes: Processes,
    /// Number of consecutive checks that found the queue empty.
    idle_checks: u32,
}

/// Receives commands until one is a request to stop or the channel is closed. Cancel
/// safe.
async fn until_stop(from: &mut UnboundedReceiver<Command>, commands: &mut Vec<Command>) {
    while let Some(command) = from.recv().await {
        let is_stop = matches!(command, Command::Stop(_));
        commands.push(command);
        if is_stop {
            return;
        }
    }
}

impl<L: RunnerLink> Runner<L> {
    fn new(
        mut dispatch: Dispatch<L::Receipt>,
        mut notice: Notice,
        past: Past,
        link: L,
        carrier: Carrier,
    ) -> Self {
        for (worker, reason) in past.quarantined {
            if let Some(worker) = WorkerId::parse(&worker) {
                dispatch.exclude(&worker);
            }
            notice.quarantined.insert(worker, reason);
        }
        notice.recorded = past.recorded;
        Self {
            sender: JobSender::to(link.files()),
            link,
            dispatch,
            carrier,
            notice,
            statuses: BTreeMap::new(),
            failures: past.failures,
            incidents: past.incidents,
            deferred: DeferredResults::new(past.roster, past.clocks),
            wrong: BTreeMap::new(),
            draining: None,
            announce_at: None,
            warned: BTreeSet::new(),
            shown_workers: None,
            connection: Connection::new(Instant::now()),
            processes: Processes::new(),
            idle_checks: 0,
        }
    }

    async fn run(mut self) {
        let mut commands = Vec::new();
        if let Err(error) = self.take_over(&mut commands).await {
            self.fail(Diagnostic::of(error));
        }
        for command in commands {
            self.execute(command).await;
        }
        let mut announce = interval(ANNOUNCE);
        let mut check = interval(CHECK);
        let mut drain = interval(DRAIN_CHECK);
        for timer in [&mut announce, &mut check, &mut drain] {
            timer.set_missed_tick_behavior(MissedTickBehavior::Delay);
        }
        loop {
            tokio::select! {
                command = self.carrier.commands.recv() => match command {
                    Some(command) => self.execute(command).await,
                    None => break,
                },
                message = self.link.next() => {
                    self.handle(message).await;
                    self.handle_waiting().await;
                }
                _ = announce.tick() => {
                    self.announce().await;
                    self.show_workers();
                }
                () = until(self.announce_at) => self.announce().await,
                _ = check.tick() => {
                    self.check_jobs_and_files().await;
                    self.remove_gone();
                }
                _ = drain.tick(), if self.draining.is_some() => self.check_drained().await,
                Some(sent) = self.sender.next() => {
                    if let Err(error) = sent {
                        self.fail(error);
                    }
                }
            }
            self.deliver_deferred();
        }
        // Without a request to stop, an error has ended the run.
        if !self.notice.draining
            && let Some(hint) = self.failures.hint()
        {
            errln!("{hint}");
        }
        if !self.connection.is_cut_off() {
            let _ = timeout(CLOSE, self.link.flush()).await;
        }
    }

    /// Receives the results that an earlier process of the run has left, and empties the
    /// queue: pairs that are not being played are sent again. Commands that arrive
    /// meanwhile are added to `commands`; a request to stop ends this.
    async fn take_over(&mut self, commands: &mut Vec<Command>) -> Result<(), LinkError> {
        self.announce().await;
        let link = &self.link;
        let begin = async {
            link.request_statuses().await?;
            let waiting = link.waiting_results().await?;
            link.purge_jobs().await?;
            Ok::<_, LinkError>(waiting)
        };
        let waiting = tokio::select! {
            waiting = begin => waiting?,
            () = until_stop(&mut self.carrier.commands, commands) => return Ok(()),
        };
        let start = Instant::now();
        let mut taken = 0;
        loop {
            let time = if taken < waiting {
                TAKE_OVER
            } else {
                STATUS_WAIT
            };
            let left = time.saturating_sub(start.elapsed());
            tokio::select! {
                biased;
                () = until_stop(&mut self.carrier.commands, commands) => return Ok(()),
                message = self.link.next() => {
                    taken += u64::from(matches!(message, ToRunner::Reply { .. }));
                    self.handle(message).await;
                    self.deliver_deferred();
                }
                () = sleep(left) => return Ok(()),
            }
        }
    }

    async fn execute(&mut self, command: Command) {
        // The jobs and results are those of the other process.
        if self.processes.is_second() {
            return;
        }
        match command {
            Command::Play(job) => self.play(*job).await,
            Command::Recorded(pairs) => {
                for receipt in self.dispatch.recorded(&pairs) {
                    self.acknowledge(receipt).await;
                }
            }
            Command::Stop(Stop::Drain) => {
                self.sender.abort();
                self.draining = Some(Instant::now());
                self.notice.draining = true;
                self.announce().await;
                let purge = async { self.log_error(self.link.purge_jobs().await) };
                let _ = timeout(CLOSE, purge).await;
            }
            Command::Stop(Stop::Abort | Stop::Decided) => {
                self.sender.abort();
                self.notice.draining = true;
                let leave = async {
                    self.stop_workers().await;
                    self.log_error(self.link.purge_jobs().await);
                };
                let _ = timeout(CLOSE, leave).await;
            }
            Command::Conclude => {
                // The server removes the rest after some days.
                let _ = timeout(CLOSE, async { self.log_error(self.link.remove().await) }).await;
            }
        }
    }

    async fn play(&mut self, job: PairJob) {
        let pair = job.pair;
        let (stale, own) = self.dispatch.submit(job, Instant::now());
        for receipt in stale {
            self.acknowledge(receipt).await;
        }
        match own {
            Some((worker, Judged::Counts(accepted, before))) => {
                self.accepted(&worker, *accepted, before).await;
            }
            Some((worker, Judged::Dropped(receipt, why))) => {
                self.dropped(&worker, pair, receipt, &why).await;
                if !matches!(why, Dropped::Wrong(_)) {
                    self.send(pair);
                }
            }
            // A worker has the pair from an earlier process of this run.
            _ if self.dispatch.is_held(pair, Instant::now()) => {
                self.dispatch.leave_with_worker(pair);
            }
            _ => self.send(pair),
        }
    }

    /// Puts the job of a pair into the queue, after its files are stored.
    fn send(&mut self, pair: u64) {
        let Some((job, not_by)) = self.dispatch.job(pair) else {
            return;
        };
        for warning in path_warnings(job) {
            if self.warned.insert(warning.clone()) {
                errln!("{warning}");
            }
        }
        let mut files = match self.sender.files_of(job) {
            Ok(files) => files,
            Err(error) => {
                return self.fail(Diagnostic::new("cannot read an engine's file").because(error));
            }
        };
        let message = Job {
            run: self.dispatch.run().clone(),
            lease: self.dispatch.lease(pair),
            pair: without_paths(job),
            files: std::mem::take(&mut files.refs),
            sources: std::mem::take(&mut files.sources),
            reference: self.dispatch.reference(),
            not_by,
        };
        match encode(&message) {
            Ok(bytes) => self.sender.send(files, self.link.publish(bytes)),
            Err(error) => self
                .fail(Diagnostic::new(format!("pair {} cannot be sent", pair + 1)).because(error)),
        }
    }

    /// Schedules a notice, unless one is scheduled.
    fn announce_soon(&mut self) {
        self.announce_at
            .get_or_insert_with(|| tokio::time::Instant::now() + ANNOUNCE_DELAY);
    }

    /// Sends the run's notice to the workers, and updates the number of pairs that the
    /// run keeps in flight.
    async fn announce(&mut self) {
        self.announce_at = None;
        let capacity = self.dispatch.capacity(Instant::now());
        self.carrier.capacity.store(capacity, Ordering::Relaxed);
        self.show_oldest();
        self.notice.in_flight = self.dispatch.in_flight();
        match self.notice.encode_shortened() {
            // The transport buffers a limited number of messages for an unreachable
            // server; the notice is sent after the next reconnection.
            Ok(_) if self.connection.is_cut_off() || self.processes.is_second() => {}
            Ok(bytes) => {
                let process = self.processes.own();
                self.log_error(self.link.announce(bytes, process).await);
            }
            Err(error) => self.fail(Diagnostic::of(error)),
        }
    }

    /// Tells the run where its first pair in flight is.
    fn show_oldest(&self) {
        let oldest = self.dispatch.oldest(Instant::now());
        let mut shown = self.carrier.oldest.lock();
        **shown.as_mut().unwrap_or_else(|error| error.get_mut()) = oldest;
    }

    /// Makes the workers drop the run's pairs.
    async fn stop_workers(&self) {
        let run = self.dispatch.run().clone();
        match encode(&StopOrder { run }) {
            Ok(bytes) => self.log_error(self.link.stop(bytes).await),
            Err(error) => tracing::info!("{error}"),
        }
    }

    /// Sends lost jobs and files again, unless the server is unreachable: a request
    /// would then delay commands.
    async fn check_jobs_and_files(&mut self) {
        if !self.connection.is_cut_off() {
            self.send_lost().await;
            self.take_overdue(Instant::now()).await;
            self.send_checks();
            self.sender.restore_files();
        }
    }

    /// Sends pairs again whose job is not in the queue and that no worker has: the
    /// server has lost its disk, or a worker has taken a job and died after the queue
    /// was emptied.
    async fn send_lost(&mut self) {
        let backlog = match self.link.backlog().await {
            Ok(backlog) => backlog,
            Err(error) => return tracing::info!("{error}"),
        };
        self.idle_checks = if self.dispatch.is_without_jobs(backlog) && self.sender.is_idle() {
            self.idle_checks + 1
        } else {
            0
        };
        if self.draining.is_some() {
            return;
        }
        let is_empty = self.idle_checks >= 2;
        for pair in self.dispatch.lost(is_empty, Instant::now()) {
            tracing::info!("pair {} is sent again", pair + 1);
            self.send(pair);
        }
    }

    async fn check_drained(&mut self) {
        let Some(since) = self.draining else { return };
        if !self.connection.is_cut_off() {
            self.log_error(self.link.request_statuses().await);
        }
        let now = Instant::now();
        let settled = since + IN_TRANSIT;
        // `hone resume` receives the results of pairs that are finished later.
        let gives_up = self.connection.is_cut_off() && now > since + CLOSE;
        if gives_up || (now > settled && self.dispatch.is_drained(settled, now)) {
            self.event(Event::Finished);
        }
    }

    async fn acknowledge(&self, receipt: L::Receipt) {
        self.log_error(self.link.acknowledge(receipt).await);
    }

    /// Logs an error of the transport: every operation is repeated later.
    fn log_error(&self, done: Result<(), LinkError>) {
        if let Err(error) = done {
            tracing::info!("{error}");
        }
    }

    fn fail(&self, reason: Diagnostic) {
        self.event(Event::Failed(ExecutorError(reason)));
    }

    fn event(&self, event: Event) {
        // The receiver is dropped only when the run is over.
        let _ = self.carrier.events.send(event);
    }
}
