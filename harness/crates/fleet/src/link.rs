//! The interface of a transport. NATS is one; another transport implements the traits of
//! this module.

use std::future::Future;
use std::time::Duration;

use super::ids::{Name, ProcessId, WorkerId};
use hone_base::diagnostic::Diagnostic;

/// An error of the transport.
#[derive(Debug, thiserror::Error)]
#[error("{what}")]
pub(crate) struct LinkError {
    #[source]
    pub(crate) what: Diagnostic,
    /// Whether the server does not have what was asked for.
    pub(crate) is_missing: bool,
}

impl LinkError {
    /// An error with the text `what: error`.
    pub(crate) fn new(what: &str, error: impl std::fmt::Display) -> Self {
        Diagnostic::new(format!("{what}: {error}")).into()
    }
}

impl From<Diagnostic> for LinkError {
    fn from(what: Diagnostic) -> Self {
        Self {
            what,
            is_missing: false,
        }
    }
}

/// A change of the connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ConnectionChange {
    /// Connected, for the first time or again.
    Up,
    Down,
    /// The server does not accept the credential.
    Refused,
}

/// A message to a run's runner.
pub(crate) enum ToRunner<R> {
    /// A reply, and the receipt that acknowledges its delivery.
    Reply {
        worker: WorkerId,
        bytes: Vec<u8>,
        receipt: R,
    },
    /// A worker's status.
    Status {
        worker: WorkerId,
        bytes: Vec<u8>,
    },
    /// A request for the notices of all runs.
    NoticeRequested,
    /// A process has sent a notice of this run, perhaps this process.
    Announced(ProcessId),
    Connection(ConnectionChange),
}

/// The connection of one run's runner.
pub(crate) trait RunnerLink {
    /// Acknowledges a delivery.
    type Receipt;
    type Files: FileStore;

    /// Removes all jobs of the run from the queue.
    async fn purge_jobs(&self) -> Result<(), LinkError>;

    /// Creates the run's queue and its results if they do not exist. Returns the number of
    /// jobs that are in the queue or at a worker.
    async fn backlog(&mut self) -> Result<u64, LinkError>;

    /// Number of results that are not delivered yet.
    async fn waiting_results(&self) -> Result<u64, LinkError>;

    /// Puts a job into the queue; returns when the server has stored it.
    fn publish(&self, bytes: Vec<u8>) -> impl Future<Output = ()> + Send + 'static;

    /// Sends the run's notice to all workers. `process` is the sender, for other processes
    /// of the run.
    async fn announce(&self, bytes: Vec<u8>, process: ProcessId) -> Result<(), LinkError>;

    /// Requests the statuses of all workers.
    async fn request_statuses(&self) -> Result<(), LinkError>;

    /// Sends the order to drop the run's pairs to all workers.
    async fn stop(&self, bytes: Vec<u8>) -> Result<(), LinkError>;

    /// The next message. Cancel safe.
    async fn next(&mut self) -> ToRunner<Self::Receipt>;

    /// Acknowledges a result that is on disk or does not count.
    async fn acknowledge(&self, receipt: Self::Receipt) -> Result<(), LinkError>;

    /// The store for the files of jobs.
    fn files(&self) -> Self::Files;

    /// Removes all jobs and results of the run.
    async fn remove(&self) -> Result<(), LinkError>;

    /// Sends all buffered messages.
    async fn flush(&self);
}

/// The server's store for the files of jobs.
pub(crate) trait FileStore: Clone + Send + Sync + 'static {
    /// Numbers of the stored parts of a file.
    fn parts(&self, sha256: &str) -> impl Future<Output = Result<Vec<u64>, LinkError>> + Send;

    /// Stores a part of a file.
    fn put(
        &self,
        sha256: &str,
        chunk: u64,
        bytes: Vec<u8>,
    ) -> impl Future<Output = Result<(), LinkError>> + Send;
}

/// A worker's access to the files of jobs.
pub(crate) trait FileSource: Send + Sync + 'static {
    /// Fetches a part of a file.
    fn chunk(
        &self,
        sha256: &str,
        chunk: u64,
    ) -> impl Future<Output = Result<Vec<u8>, LinkError>> + Send;
}

/// A message to a worker.
pub(crate) enum ToWorker<D> {
    /// A job and its delivery.
    Job {
        run: Name,
        bytes: Vec<u8>,
        delivery: D,
    },
    /// A pull has ended after this number of jobs, possibly 0.
    PullEnded { run: Name, jobs: usize },
    /// A run's notice.
    Notice { run: Name, bytes: Vec<u8> },
    /// An order to drop the pairs of a run.
    StopOrder { run: Name, bytes: Vec<u8> },
    /// A request for the statuses of all workers.
    StatusRequested,
    /// A request for the games of a run.
    GamesRequested { run: Name },
    /// The connection is established or lost.
    Connection { is_up: bool },
    /// The server denies a permission that this worker needs.
    PermissionDenied { what: String },
    /// The server does not accept the credential.
    CredentialRefused,
}

/// The connection of a worker.
pub(crate) trait WorkerLink {
    /// The delivery of a job to this worker.
    type Delivery: Clone;
    type Files: FileSource;

    /// The next message. Cancel safe.
    async fn next(&mut self) -> ToWorker<Self::Delivery>;

    /// Requests up to `jobs` jobs of a run, which arrive within `wait`, followed by
    /// [`ToWorker::PullEnded`]. Only one pull may be open.
    async fn pull(&mut self, run: &Name, jobs: usize, wait: Duration);

    /// Reports that the job is still being played.
    async fn keep_alive(&self, delivery: &Self::Delivery);

    /// Reports that the job is done.
    async fn done(&self, delivery: &Self::Delivery);

    /// Returns the job to the queue for another worker.
    async fn give_back(&self, delivery: &Self::Delivery);

    /// As [`WorkerLink::give_back`], but the job is delivered again only after this time. The
    /// server delivers a returned job before the others.
    async fn give_back_for(&self, delivery: &Self::Delivery, time: Duration);

    /// Sends a reply; returns when the server has stored it.
    fn reply(&self, run: &Name, bytes: Vec<u8>) -> impl Future<Output = ()> + Send + 'static;

    /// Sends this worker's status.
    async fn send_status(&self, bytes: Vec<u8>);

    /// Sends the games of a run to its spectators.
    async fn send_games(&self, run: &Name, bytes: Vec<u8>);

    /// Requests the notices of all runs.
    async fn request_notices(&self);

    /// Access to the files of jobs.
    fn files(&self) -> Self::Files;

    /// Sends all buffered messages.
    async fn flush(&self);
}
