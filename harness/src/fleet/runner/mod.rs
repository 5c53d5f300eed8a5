//! The runner of a run on a fleet: sends its jobs, takes their results, and
//! acknowledges them when they are in the ledger.
//!
//! `dispatch`, `accept`, `presence` and `suspects` decide, without any network.

mod accept;
mod connection;
mod dispatch;
mod files;
mod incidents;
mod lease;
mod past;
mod presence;
mod results;
mod roster;
mod sources;
mod suspects;
#[cfg(test)]
mod tests;
mod uploads;

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow};
use tokio::runtime::Runtime;
use tokio::sync::mpsc::{self, UnboundedReceiver};
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval, sleep, timeout};

use super::access::Access;
use super::clock::Reference;
use super::ids::WorkerId;
use super::link::{LinkError, RunnerLink, ToRunner};
use super::message::{Job, Notice, Status, encode};
use super::nats::{NatsRunner, connect};
use super::table::Table;
use crate::executor::remote::{Carrier, Command, Remote};
use crate::executor::{Event, ExecutorError, PairJob, PlayedPair, Stop};
pub(super) use connection::Change;
use connection::Connection;
use dispatch::{Dispatch, Dropped, Judged};
use files::{LocalFile, files_of, path_warnings, without_paths};
use incidents::Incidents;
pub(crate) use lease::RunKey;
use past::Past;
use roster::Roster;
use sources::Sources;
use suspects::Suspects;
use uploads::Uploads;

const ANNOUNCE: Duration = Duration::from_secs(5);
/// How long those who ask wait for others who do.
const GATHER: Duration = Duration::from_millis(100);
const CHECK: Duration = Duration::from_secs(10);
/// How long workers may take to tell what they have.
const ANSWERS: Duration = Duration::from_millis(300);
const DRAIN_CHECK: Duration = Duration::from_millis(500);
/// A job that was taken just before the queue was emptied is in its worker's
/// status by then.
const IN_TRANSIT: Duration = Duration::from_millis(1500);
/// Messages that are taken before their results go into the ledger together.
const TOGETHER: usize = 1000;
/// How long the end may take.
const FAREWELL: Duration = Duration::from_secs(5);

/// A run that is to be played on a fleet.
pub(crate) struct FleetRun {
    pub(crate) access: Access,
    /// The run's folder.
    pub(crate) dir: PathBuf,
    /// What the workers get to know of it.
    pub(crate) notice: Notice,
    /// Nodes a second that time controls are meant for, if they are scaled.
    pub(crate) reference: Option<u64>,
}

/// Connects to the fleet, and takes over what an earlier process of the run
/// has left there.
///
/// # Errors
/// If the server cannot be reached or refuses.
pub(crate) fn start(run: FleetRun) -> anyhow::Result<Remote> {
    let key = RunKey::of(&run.dir)?;
    let past = Past::read(&run.dir)?;
    let runtime = runtime().context("cannot start the async runtime")?;
    let link = runtime.block_on(async {
        let (sender, events) = mpsc::unbounded_channel();
        let client = connect(&run.access, sender).await?;
        let link = NatsRunner::new(client, key.run.clone(), events).await;
        link.map_err(|error| anyhow!("cannot use the fleet at {}: {error}", run.access.url))
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

/// The connection is served by a thread of its own: the runner hashes nets, packs
/// sources and writes tables, which takes seconds, and the server gives up a client
/// that does not answer.
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
    roster: Roster,
    notice: Notice,
    statuses: BTreeMap<WorkerId, Status>,
    /// Workers whose name several machines seem to have: the user knows.
    shared_names: BTreeSet<WorkerId>,
    /// Workers of another protocol version: the user knows.
    foreign: BTreeSet<WorkerId>,
    /// Jobs and files that the server does not have yet.
    sending: JoinSet<Result<(), String>>,
    known: Vec<LocalFile>,
    /// Warnings that have been shown of options.
    warned: BTreeSet<String>,
    sources: Sources,
    /// Whether there has been a worker that builds engines.
    has_builders: bool,
    uploads: Uploads<L::Files>,
    suspects: Suspects,
    incidents: Incidents,
    clocks: Table,
    /// Results that count, until the tables that explain them are on disk.
    results: Vec<PlayedPair>,
    /// Results of each worker that contradicted their pair.
    wrong: BTreeMap<WorkerId, u32>,
    draining: Option<Instant>,
    /// Somebody waits for an announcement.
    announce_at: Option<tokio::time::Instant>,
    /// What was shown last of the number of workers.
    shown_workers: Option<String>,
    connection: Connection,
    /// Checks in a row that have found the queue empty.
    idle_checks: u32,
}

/// Takes commands until one is a request to stop, or no more come. Cancel safe.
async fn until_stop(from: &mut UnboundedReceiver<Command>, commands: &mut Vec<Command>) {
    while let Some(command) = from.recv().await {
        let is_stop = matches!(command, Command::Stop(_));
        commands.push(command);
        if is_stop {
            return;
        }
    }
}

async fn until(time: Option<tokio::time::Instant>) {
    match time {
        Some(time) => tokio::time::sleep_until(time).await,
        None => std::future::pending().await,
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
        Self {
            uploads: Uploads::to(link.files()),
            link,
            dispatch,
            carrier,
            roster: past.roster,
            notice,
            statuses: BTreeMap::new(),
            shared_names: BTreeSet::new(),
            foreign: BTreeSet::new(),
            sending: JoinSet::new(),
            known: Vec::new(),
            warned: BTreeSet::new(),
            sources: Sources::default(),
            has_builders: false,
            suspects: past.suspects,
            incidents: past.incidents,
            clocks: past.clocks,
            results: Vec::new(),
            wrong: BTreeMap::new(),
            draining: None,
            announce_at: None,
            shown_workers: None,
            connection: Connection::new(Instant::now()),
            idle_checks: 0,
        }
    }

    async fn run(mut self) {
        let mut commands = Vec::new();
        if let Err(error) = self.take_over(&mut commands).await {
            self.fail(error.to_string());
        }
        for command in commands {
            self.obey(command).await;
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
                    Some(command) => self.obey(command).await,
                    None => break,
                },
                arrival = self.link.next() => {
                    self.arrived(arrival).await;
                    self.take_waiting().await;
                }
                _ = announce.tick() => {
                    self.announce().await;
                    self.show_workers();
                }
                () = until(self.announce_at) => self.announce().await,
                _ = check.tick() => {
                    self.send_lost().await;
                    self.keep_files();
                    self.forget_gone();
                }
                _ = drain.tick(), if self.draining.is_some() => self.check_drained().await,
                Some(sent) = self.sending.join_next() => {
                    if let Ok(Err(error)) = sent {
                        self.fail(error);
                    }
                }
            }
            self.hand_over();
        }
        // Without a request to stop, an error ends the run.
        if !self.notice.draining
            && let Some(hint) = self.suspects.hint()
        {
            errln!("{hint}");
        }
        if !self.connection.is_cut_off() {
            let _ = timeout(FAREWELL, self.link.flush()).await;
        }
    }

    /// Takes the results that wait from before, and empties the queue: what is
    /// not being played is sent again. `commands` gets those that come meanwhile; a
    /// request to stop ends this.
    async fn take_over(&mut self, commands: &mut Vec<Command>) -> Result<(), LinkError> {
        self.announce().await;
        let link = &self.link;
        let begin = async {
            link.ask().await?;
            let waiting = link.waiting().await?;
            link.withdraw().await?;
            Ok::<_, LinkError>(waiting)
        };
        let waiting = tokio::select! {
            waiting = begin => waiting?,
            () = until_stop(&mut self.carrier.commands, commands) => return Ok(()),
        };
        let start = Instant::now();
        let mut taken = 0;
        loop {
            let time = if taken < waiting { CHECK } else { ANSWERS };
            let left = time.saturating_sub(start.elapsed());
            tokio::select! {
                biased;
                () = until_stop(&mut self.carrier.commands, commands) => return Ok(()),
                arrival = self.link.next() => {
                    taken += u64::from(matches!(arrival, ToRunner::Reply { .. }));
                    self.arrived(arrival).await;
                    self.hand_over();
                }
                () = sleep(left) => return Ok(()),
            }
        }
    }

    async fn obey(&mut self, command: Command) {
        match command {
            Command::Play(job) => self.play(*job).await,
            Command::Recorded(pairs) => {
                for receipt in self.dispatch.recorded(&pairs) {
                    self.acknowledge(receipt).await;
                }
            }
            Command::Stop(Stop::Drain) => {
                self.sending.abort_all();
                self.draining = Some(Instant::now());
                self.notice.draining = true;
                self.announce().await;
                let withdraw = async { self.report(self.link.withdraw().await) };
                let _ = timeout(FAREWELL, withdraw).await;
            }
            Command::Stop(Stop::Abort) => {
                self.sending.abort_all();
                self.notice.draining = true;
                let leave = async {
                    self.report(self.link.stop().await);
                    self.report(self.link.withdraw().await);
                };
                let _ = timeout(FAREWELL, leave).await;
            }
            Command::Conclude => {
                // What stays behind is removed by the server after some days.
                let _ = timeout(FAREWELL, async { self.report(self.link.remove().await) }).await;
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
                self.deliver(&worker, *accepted, before).await;
            }
            Some((worker, Judged::Dropped(receipt, why))) => {
                self.dropped(&worker, pair, receipt, &why).await;
                if !matches!(why, Dropped::Wrong(_)) {
                    self.send(pair);
                }
            }
            // Of an earlier process of this run: its result will come.
            _ if self.dispatch.is_held(pair, Instant::now()) => {
                self.dispatch.leave_with_worker(pair);
            }
            _ => self.send(pair),
        }
    }

    /// Puts a pair's job into the queue, its files before it.
    fn send(&mut self, pair: u64) {
        let Some(job) = self.dispatch.job(pair) else {
            return;
        };
        for warning in path_warnings(job) {
            if self.warned.insert(warning.clone()) {
                errln!("{warning}");
            }
        }
        let files = match files_of(job, &mut self.known) {
            Ok(files) => files,
            Err(error) => return self.fail(format!("cannot read an engine's file: {error}")),
        };
        let (sources, packs) = self.sources.of(&files);
        let message = Job {
            run: self.dispatch.run().clone(),
            lease: self.dispatch.lease(pair),
            pair: without_paths(job),
            files: files.iter().map(|one| one.file.clone()).collect(),
            sources,
            reference: self.dispatch.reference(),
        };
        let packs = if self.has_builders { packs } else { Vec::new() };
        let files: Vec<_> = files.into_iter().chain(packs).collect();
        match encode(&message) {
            Ok(bytes) => {
                let (uploads, publish) = (self.uploads.clone(), self.link.publish(bytes));
                self.sending.spawn(async move {
                    uploads.put(&files).await?;
                    publish.await;
                    Ok(())
                });
            }
            Err(error) => self.fail(format!("pair {} cannot be sent: {error}", pair + 1)),
        }
    }

    /// A worker that builds is there: it needs the engines' sources.
    fn offer_sources(&mut self) {
        if std::mem::replace(&mut self.has_builders, true) {
            return;
        }
        let (uploads, packs) = (self.uploads.clone(), self.sources.packs());
        self.sending.spawn(async move { uploads.put(&packs).await });
    }

    /// Stores files again that the server has lost.
    fn keep_files(&mut self) {
        let mut files = self.known.clone();
        files.extend(self.sources.packs());
        let uploads = self.uploads.clone();
        self.sending
            .spawn(async move { uploads.keep(&files).await });
    }

    /// Once for all who ask within a moment.
    fn announce_soon(&mut self) {
        self.announce_at
            .get_or_insert_with(|| tokio::time::Instant::now() + GATHER);
    }

    /// Tells the workers of the run, and the run how many pairs they can take.
    async fn announce(&mut self) {
        self.announce_at = None;
        let capacity = self.dispatch.capacity(Instant::now());
        self.carrier.capacity.store(capacity, Ordering::Relaxed);
        self.notice.in_flight = self.dispatch.in_flight();
        match self.notice.encode_shortened() {
            // The transport keeps a limited number of messages for a server that is gone;
            // a run announces itself again when it is back.
            Ok(_) if self.connection.is_cut_off() => {}
            Ok(bytes) => self.report(self.link.announce(bytes).await),
            Err(error) => self.fail(error.to_string()),
        }
    }

    /// Sends pairs again whose job is gone and that no worker has: after a
    /// server has lost its disk, or a worker has taken a job and died after
    /// the queue was emptied.
    async fn send_lost(&mut self) {
        // A request would hold up commands until the server is there again.
        if self.connection.is_cut_off() {
            return;
        }
        let backlog = match self.link.backlog().await {
            Ok(backlog) => backlog,
            Err(error) => return tracing::info!("{error}"),
        };
        self.idle_checks = match backlog == 0 && self.sending.is_empty() {
            true => self.idle_checks + 1,
            false => 0,
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
        self.report(self.link.ask().await);
        let now = Instant::now();
        let settled = since + IN_TRANSIT;
        // What the workers finish then waits for `hone resume`.
        let is_alone = self.connection.is_cut_off() && now > since + FAREWELL;
        if is_alone || (now > settled && self.dispatch.is_drained(settled, now)) {
            self.event(Event::Finished);
        }
    }

    async fn acknowledge(&self, receipt: L::Receipt) {
        self.report(self.link.acknowledge(receipt).await);
    }

    /// What the transport could not do is done again later.
    fn report(&self, done: Result<(), LinkError>) {
        if let Err(error) = done {
            tracing::info!("{error}");
        }
    }

    fn fail(&self, reason: String) {
        self.event(Event::Failed(ExecutorError(reason)));
    }

    fn event(&self, event: Event) {
        // The receiver is gone only when the run is over.
        let _ = self.carrier.events.send(event);
    }
}
