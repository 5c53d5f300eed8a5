//! The runner of a run without a server.

use std::fs;
use std::future::pending;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use futures_util::FutureExt;
use tokio::sync::Notify;

use super::*;
use crate::ids::ProcessId;
use crate::link::{ConnectionChange, FileStore};
use crate::message::{Reply, samples};
use crate::samples::{pair_job, worker};
use hone_run::executor::Executor;

/// A server that answers every request, except that it never stores a part of a file.
#[derive(Clone, Default)]
struct Server {
    /// Notified when a part of a file is sent.
    storing: Arc<Notify>,
    /// Number of results that the server reports and never sends.
    waiting: u64,
    /// Whether the buffer of the transport is full.
    is_full: Arc<AtomicBool>,
}

impl FileStore for Server {
    async fn parts(&self, _sha256: &str) -> Result<Vec<u64>, LinkError> {
        Ok(Vec::new())
    }

    async fn put(&self, _sha256: &str, _chunk: u64, _bytes: Vec<u8>) -> Result<(), LinkError> {
        self.storing.notify_one();
        pending().await
    }
}

impl RunnerLink for Server {
    type Receipt = ();
    type Files = Self;

    async fn purge_jobs(&self) -> Result<(), LinkError> {
        Ok(())
    }

    async fn backlog(&mut self) -> Result<u64, LinkError> {
        Ok(0)
    }

    async fn waiting_results(&self) -> Result<u64, LinkError> {
        Ok(self.waiting)
    }

    fn publish(&self, _bytes: Vec<u8>) -> impl Future<Output = ()> + Send + 'static {
        std::future::ready(())
    }

    async fn announce(&self, _bytes: Vec<u8>, _process: ProcessId) -> Result<(), LinkError> {
        Ok(())
    }

    async fn request_statuses(&self) -> Result<(), LinkError> {
        if self.is_full.load(Ordering::Relaxed) {
            pending().await
        } else {
            Ok(())
        }
    }

    async fn stop(&self, _bytes: Vec<u8>) -> Result<(), LinkError> {
        Ok(())
    }

    async fn next(&mut self) -> ToRunner<()> {
        pending().await
    }

    async fn acknowledge(&self, (): ()) -> Result<(), LinkError> {
        Ok(())
    }

    fn files(&self) -> Self {
        self.clone()
    }

    async fn remove(&self) -> Result<(), LinkError> {
        Ok(())
    }

    async fn flush(&self) {}
}

/// A job whose engines are a file in a folder.
fn job_in(dir: &Path) -> PairJob {
    let engine = dir.join("engine");
    fs::write(&engine, "program").expect("written");
    let mut job = pair_job(0);
    for player in &mut job.players {
        Arc::make_mut(&mut player.launch)
            .program
            .clone_from(&engine);
    }
    job
}

/// The runner of a new run in a folder, and the executor of the run.
fn runner(dir: &Path, server: Server) -> (Runner<Server>, Remote) {
    let past = Past::open(dir).expect("a folder");
    let dispatch = Dispatch::new(RunKey::random(), 1);
    let (remote, carrier) = Remote::new();
    let runner = Runner::new(dispatch, samples::notice(), past, server, carrier);
    (runner, remote)
}

#[tokio::test]
async fn a_run_that_is_interrupted_while_engines_are_sent_ends() {
    let dir = tempfile::tempdir().expect("a folder");
    let server = Server::default();
    let (runner, mut remote) = runner(dir.path(), server.clone());
    let run = async {
        remote.submit(job_in(dir.path()));
        server.storing.notified().await;
        remote.stop(Stop::Drain);
        let event = timeout(Duration::from_secs(60), remote.next()).await;
        assert!(matches!(event, Ok(Event::Finished)), "{event:?}");
        drop(remote);
    };
    tokio::join!(runner.run(), run);
}

#[tokio::test]
async fn a_run_that_waits_for_earlier_results_is_interrupted_at_once() {
    let dir = tempfile::tempdir().expect("a folder");
    let server = Server {
        waiting: 1,
        ..Server::default()
    };
    let (mut runner, mut remote) = runner(dir.path(), server);
    remote.submit(pair_job(0));
    remote.stop(Stop::Drain);
    let mut commands = Vec::new();
    let taken_over = runner.take_over(&mut commands).now_or_never();
    taken_over.expect("at once").expect("the server answers");
    assert!(
        matches!(commands[..], [Command::Play(_), Command::Stop(Stop::Drain)]),
        "{commands:?}"
    );
}

#[tokio::test]
async fn an_interrupted_run_does_not_wait_for_unreachable_workers() {
    let dir = tempfile::tempdir().expect("a folder");
    let server = Server::default();
    let (mut runner, mut remote) = runner(dir.path(), server.clone());
    runner.dispatch.submit(pair_job(0), Instant::now());
    let status = samples::status(runner.dispatch.run(), &[0]);
    let now = Instant::now();
    runner.dispatch.update(worker("box"), &status, now);
    runner.draining = Instant::now().checked_sub(2 * CLOSE);
    assert!(runner.draining.is_some());
    runner.check_drained().await;
    assert!(remote.next().now_or_never().is_none(), "its pair is played");
    runner
        .connection
        .changed(ConnectionChange::Refused, Instant::now());
    server.is_full.store(true, Ordering::Relaxed);
    let checked = runner.check_drained().now_or_never();
    checked.expect("nothing is sent");
    let event = remote.next().now_or_never();
    assert!(matches!(event, Some(Event::Finished)), "{event:?}");
}

#[tokio::test]
async fn a_result_with_an_impossible_pair_number_is_refused() {
    let dir = tempfile::tempdir().expect("a folder");
    let (mut runner, _remote) = runner(dir.path(), Server::default());
    let mut played = samples::played(0, "0".repeat(32));
    played.pair = u64::MAX;
    let bytes = encode(&Reply::Played(Box::new(played))).expect("a result");
    let worker = worker("box");
    let receipt = ();
    let message = ToRunner::Reply {
        worker,
        bytes,
        receipt,
    };
    runner.handle(message).await;
    assert_eq!(runner.notice.recorded, 0);
}

/// The server may have wrong parts, for example of an earlier version of `hone` that sent a
/// file while it changed.
#[tokio::test]
async fn a_file_that_arrives_with_wrong_content_is_sent_again_but_not_for_each_report() {
    let dir = tempfile::tempdir().expect("a folder");
    let server = Server::default();
    let mut sender = JobSender::to(server.clone());
    let files = sender.files_of(&job_in(dir.path())).expect("read");
    let reason = files.refs[0].wrong_content(&"0".repeat(64));
    let start = Instant::now();
    let mut sent = |minutes: u64, reason: &str| {
        let now = start + Duration::from_secs(60 * minutes);
        sender.replace_wrong(reason, now)
    };
    assert_eq!(sent(0, "its disk is full"), None);
    assert_eq!(sent(0, &reason).as_deref(), Some("engine"));
    server.storing.notified().await;
    assert_eq!(sent(9, &reason), None);
    assert_eq!(sent(10, &reason).as_deref(), Some("engine"));
}

#[test]
fn the_connection_is_served_while_the_runner_reads_files() {
    let (served, is_served) = std::sync::mpsc::channel();
    runtime().expect("started").block_on(async {
        tokio::spawn(async move { served.send(()) });
        let is_served = is_served.recv_timeout(Duration::from_secs(60));
        is_served.expect("by another thread");
    });
}
