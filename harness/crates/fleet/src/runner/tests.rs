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
use crate::runner::checks::Second;
use crate::samples::{pair_job, worker};
use hone_run::executor::Executor;
use hone_run::files::findings;
use hone_stats::detect::{Rank, Test};

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

/// A contradiction speaks against the verdict, whoever is right.
#[tokio::test]
async fn contradicting_results_are_findings_of_the_run() {
    let dir = tempfile::tempdir().expect("a folder");
    let (mut runner, _remote) = runner(dir.path(), Server::default());
    let [a, b, c] = ["a", "b", "c"].map(worker);
    let differs = |is_checked| Second::Differs {
        first: a.clone(),
        is_checked,
    };
    let decided = |is_recorded| Second::Decided {
        loser: a.clone(),
        others: [b.clone(), c.clone()],
        is_recorded,
    };
    for (pair, second) in [
        (0, Second::Same),
        (1, differs(false)),
        (2, differs(true)),
        (3, decided(true)),
        (4, decided(false)),
        (5, Second::Unrepeatable([a.clone(), b.clone(), c.clone()])),
    ] {
        runner.second(&c, pair, second).await;
    }
    let found = findings::read(dir.path()).expect("read");
    let kinds: Vec<_> = found
        .iter()
        .map(|found| (found.pair, found.test, found.rank))
        .collect();
    let contradiction = |pair, rank| (pair, Test::Contradiction, rank);
    assert_eq!(
        kinds,
        [
            contradiction(3, Rank::Doubtful),
            contradiction(4, Rank::Invalid),
            contradiction(5, Rank::Doubtful),
            (6, Test::Unrepeatable, Rank::Doubtful),
        ]
    );
    assert!(
        found[1].detail.starts_with("worker all/a: its result"),
        "{found:?}"
    );
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

/// A result of pair 0 from a worker of the run.
async fn send(runner: &mut Runner<Server>, from: &str, honest: bool) {
    let lease = runner.dispatch.lease(0);
    let played = if honest {
        samples::played(0, lease)
    } else {
        samples::played_otherwise(0, lease)
    };
    let message = ToRunner::Reply {
        worker: worker(from),
        bytes: encode(&Reply::Played(Box::new(played))).expect("a result"),
        receipt: (),
    };
    runner.handle(message).await;
}

/// The rows of `incidents.csv` without their times.
fn incidents(dir: &Path) -> Vec<String> {
    let text = fs::read_to_string(dir.join("incidents.csv")).unwrap_or_default();
    let rows = text.lines().skip(1);
    rows.filter_map(|row| Some(row.split_once(',')?.1.to_string()))
        .collect()
}

#[tokio::test]
async fn a_worker_that_invents_games_is_found_by_two_others() {
    // The fabricated result may be the one that counts, or the one of the second worker.
    for first_lies in [true, false] {
        let dir = tempfile::tempdir().expect("a folder");
        let (mut runner, _remote) = runner(dir.path(), Server::default());
        let job = job_in(dir.path());
        runner.dispatch.submit(job, Instant::now());
        for name in ["a", "b", "c"] {
            let status = samples::status(runner.dispatch.run(), &[]);
            let now = Instant::now();
            runner.dispatch.update(worker(name), &status, now);
        }
        send(&mut runner, "a", !first_lies).await;
        assert_eq!(incidents(dir.path()), Vec::<String>::new());
        send(&mut runner, "b", first_lies).await;
        let [row] = &incidents(dir.path())[..] else {
            panic!("{:?}", incidents(dir.path()));
        };
        assert!(row.starts_with("all/b,contradicts,1,"), "{row}");
        assert!(row.contains("worker all/a has another result"), "{row}");
        assert!(runner.notice.quarantined.is_empty(), "nobody has decided");
        send(&mut runner, "c", true).await;
        let liar = if first_lies { "all/a" } else { "all/b" };
        let quarantined: Vec<_> = runner.notice.quarantined.keys().collect();
        assert_eq!(quarantined, [liar]);
        assert_eq!(runner.notice.recorded, 1, "a pair counts once");
        let rows = incidents(dir.path());
        let is_quarantine = |row: &&String| row.starts_with(&format!("{liar},quarantined,"));
        assert!(rows.iter().any(|row| is_quarantine(&row)), "{rows:?}");
    }
}

#[tokio::test]
async fn a_worker_that_only_holds_pairs_is_put_in_quarantine() {
    let dir = tempfile::tempdir().expect("a folder");
    let (mut runner, _remote) = runner(dir.path(), Server::default());
    let start = Instant::now();
    let later = start + Duration::from_secs(600);
    runner.dispatch.submit(job_in(dir.path()), start);
    for seconds in (0..=600).step_by(20) {
        let now = start + Duration::from_secs(seconds);
        let status = samples::status(runner.dispatch.run(), &[0]);
        runner.dispatch.update(worker("holder"), &status, now);
    }
    runner.take_overdue(later).await;
    let why = &runner.notice.quarantined["all/holder"];
    assert!(why.starts_with("it has held pair 1 for 10 min"), "{why}");
    let rows = incidents(dir.path());
    assert!(
        rows.iter()
            .any(|row| row.starts_with("all/holder,played-again,1,")),
        "{rows:?}"
    );
}
