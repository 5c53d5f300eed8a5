//! The interface between the fleet and its transport. NATS is one transport;
//! another one implements the traits of this module.

use std::future::Future;
use std::time::Duration;

use super::ids::{Name, WorkerId};
use super::runner::Change;

/// Why the transport could not do something.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{0}")]
pub(crate) struct LinkError(pub(crate) String);

impl LinkError {
    pub(crate) fn new(what: &str, error: impl std::fmt::Display) -> Self {
        Self(format!("{what}: {error}"))
    }
}

/// What reaches a run's runner.
pub(crate) enum ToRunner<R> {
    /// A result, and how its delivery is acknowledged.
    Reply {
        worker: WorkerId,
        bytes: Vec<u8>,
        receipt: R,
    },
    /// A worker's status.
    Status { worker: WorkerId, bytes: Vec<u8> },
    /// Somebody wants to know which runs there are.
    StatusRequested,
    /// The server is there again, gone, or refuses the credential.
    Connection(Change),
}

/// The side of a runner. One value carries one run.
pub(crate) trait RunnerLink {
    /// Acknowledges a delivery.
    type Receipt;
    type Files: FileStore;

    /// Removes all jobs of the run.
    async fn withdraw(&self) -> Result<(), LinkError>;

    /// Makes sure that the run's queue and its results exist. Returns the
    /// number of jobs that are in the queue or with a worker.
    async fn backlog(&mut self) -> Result<u64, LinkError>;

    /// Number of results that wait.
    async fn waiting(&self) -> Result<u64, LinkError>;

    /// Puts a job into the queue; repeated until it is there.
    fn publish(&self, bytes: Vec<u8>) -> impl Future<Output = ()> + Send + 'static;

    /// Tells the workers of the run.
    async fn announce(&self, bytes: Vec<u8>) -> Result<(), LinkError>;

    /// Asks all workers for their status.
    async fn ask(&self) -> Result<(), LinkError>;

    /// Tells the workers to leave the run's pairs.
    async fn stop(&self) -> Result<(), LinkError>;

    /// What comes next. Cancel safe.
    async fn next(&mut self) -> ToRunner<Self::Receipt>;

    /// The result is on disk here, or not wanted.
    async fn acknowledge(&self, receipt: Self::Receipt) -> Result<(), LinkError>;

    /// Where files of jobs go.
    fn files(&self) -> Self::Files;

    /// Removes everything of the run.
    async fn remove(&self) -> Result<(), LinkError>;

    /// Sends what has not been sent yet.
    async fn flush(&self);
}

/// Where the files of jobs are kept.
pub(crate) trait FileStore: Clone + Send + Sync + 'static {
    /// Numbers of the parts of a file that are there.
    fn parts(&self, sha256: &str) -> impl Future<Output = Result<Vec<u64>, LinkError>> + Send;

    /// Puts a part of a file there.
    fn put(
        &self,
        sha256: &str,
        chunk: u64,
        bytes: Vec<u8>,
    ) -> impl Future<Output = Result<(), LinkError>> + Send;
}

/// Where the files of jobs come from.
pub(crate) trait FileSource: Send + Sync + 'static {
    /// A part of a file.
    fn chunk(
        &self,
        sha256: &str,
        chunk: u64,
    ) -> impl Future<Output = Result<Vec<u8>, LinkError>> + Send;
}

/// What reaches a worker.
pub(crate) enum ToWorker<D> {
    /// A job, and its delivery.
    Job {
        run: Name,
        bytes: Vec<u8>,
        delivery: D,
    },
    /// What was pulled has come; there may have been none.
    PullEnded { run: Name, jobs: usize },
    /// A run's notice.
    Notice { run: Name, bytes: Vec<u8> },
    /// A run's pairs are not wanted any more.
    Stopped { run: Name },
    /// Somebody wants to know which workers there are.
    StatusRequested,
    /// Somebody watches the games of a run.
    Watched { run: Name },
    /// The server is there again, or gone.
    Connection { is_up: bool },
    /// The server does not let this worker send or hear something.
    Denied { what: String },
    /// The server does not accept the credential any more.
    Expelled,
}

/// The side of a worker.
pub(crate) trait WorkerLink {
    /// A job that this worker was given.
    type Delivery: Clone;
    type Files: FileSource;

    /// What comes next. Cancel safe.
    async fn next(&mut self) -> ToWorker<Self::Delivery>;

    /// Asks for up to `jobs` jobs of a run, and waits for them up to `wait`.
    /// [`ToWorker::PullEnded`] follows. One request at a time.
    async fn pull(&mut self, run: &Name, jobs: usize, wait: Duration);

    /// The job is still being played.
    async fn keep(&self, delivery: &Self::Delivery);

    /// The job is done.
    async fn done(&self, delivery: &Self::Delivery);

    /// Another worker may take the job.
    async fn give_back(&self, delivery: &Self::Delivery);

    /// Sends a result; returns when it is stored. Repeated until then.
    fn reply(&self, run: &Name, bytes: Vec<u8>) -> impl Future<Output = ()> + Send + 'static;

    /// Sends this worker's status.
    async fn report(&self, bytes: Vec<u8>);

    /// Shows the games of a run to those who watch it.
    async fn show(&self, run: &Name, bytes: Vec<u8>);

    /// Asks all runs for their notice.
    async fn ask(&self);

    /// Where files come from.
    fn files(&self) -> Self::Files;

    /// Sends what has not been sent yet.
    async fn flush(&self);
}
