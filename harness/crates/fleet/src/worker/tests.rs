//! A worker without a server.

use std::fs::{self, File};
use std::future::pending;
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::SystemTime;

use tempfile::TempDir;

use super::held::files_key;
use super::prepare::GoneFile;
use super::slot::SlotEvent;
use super::*;
use crate::link::{FileSource, LinkError};
use crate::message::{Job, Refusal, Reply, VERSION, encode, samples};
use crate::samples::{name, worker};
use hone_experiment::settings::OnFailure;

const MINUTE: Duration = Duration::from_secs(60);
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// A server that stores no reply.
#[derive(Clone, Default)]
struct Server {
    replies: Arc<Mutex<Vec<Reply>>>,
    /// The runs whose jobs were requested.
    pulls: Arc<Mutex<Vec<Name>>>,
    /// Number of jobs that were given back.
    given_back: Arc<Mutex<usize>>,
    /// How long jobs were given back for others.
    for_others: Arc<Mutex<Vec<Duration>>>,
    /// Number of statuses and keep-alives.
    periodic: Arc<Mutex<usize>>,
}

struct NoFiles;

impl FileSource for NoFiles {
    async fn chunk(&self, _sha256: &str, _chunk: u64) -> Result<Vec<u8>, LinkError> {
        Err(LinkError::new("it has no files", "none"))
    }
}

impl WorkerLink for Server {
    type Delivery = ();
    type Files = NoFiles;

    async fn next(&mut self) -> ToWorker<()> {
        pending().await
    }

    async fn pull(&mut self, run: &Name, _jobs: usize, _wait: Duration) {
        self.pulls.lock().expect("unpoisoned").push(run.clone());
    }

    async fn keep_alive(&self, _delivery: &()) {
        *self.periodic.lock().expect("unpoisoned") += 1;
    }

    async fn done(&self, _delivery: &()) {}

    async fn give_back(&self, _delivery: &()) {
        *self.given_back.lock().expect("unpoisoned") += 1;
    }

    async fn give_back_for(&self, _delivery: &(), time: Duration) {
        self.for_others.lock().expect("unpoisoned").push(time);
    }

    fn reply(&self, _run: &Name, bytes: Vec<u8>) -> impl Future<Output = ()> + Send + 'static {
        let reply = decode(&bytes).expect("a reply");
        self.replies.lock().expect("unpoisoned").push(reply);
        pending()
    }

    async fn send_status(&self, _bytes: Vec<u8>) {
        *self.periodic.lock().expect("unpoisoned") += 1;
    }

    async fn send_games(&self, _run: &Name, _bytes: Vec<u8>) {}

    async fn request_notices(&self) {}

    fn files(&self) -> NoFiles {
        NoFiles
    }

    async fn flush(&self) {}
}

/// A worker of one thread that has the notice of a run.
struct Scene {
    dir: TempDir,
    server: Server,
    worker: Worker<Server>,
    run: Name,
}

impl Scene {
    async fn new() -> Self {
        let dir = tempfile::tempdir().expect("a folder");
        let server = Server::default();
        let options = WorkerOptions::sample(dir.path());
        let mut scene = Self {
            worker: Worker::new(server.clone(), worker("box"), &options),
            dir,
            server,
            run: name("run"),
        };
        scene.hear(1).await;
        scene
    }

    /// A notice of the run, whose games need some threads.
    async fn hear(&mut self, threads: usize) {
        let notice = Notice {
            platform: platform(),
            threads,
            ..samples::notice()
        };
        self.worker.update_run(self.run.clone(), notice).await;
    }

    fn replies(&self) -> Vec<Reply> {
        self.server.replies.lock().expect("unpoisoned").clone()
    }

    /// Number of the worker's requests for jobs, after another turn.
    async fn pulls(&mut self) -> usize {
        self.worker.is_pulling = false;
        self.worker.pull().await;
        self.server.pulls.lock().expect("unpoisoned").len()
    }

    /// The run whose jobs the worker requests now.
    async fn pulled(&mut self) -> Option<Name> {
        self.server.pulls.lock().expect("unpoisoned").clear();
        self.pulls().await;
        self.server.pulls.lock().expect("unpoisoned").pop()
    }

    fn engine(&self) -> PathBuf {
        self.dir.path().join("engine")
    }

    fn prepared(&self) -> Prepared {
        let file = samples::job(0).files.remove(0);
        fs::write(self.engine(), "").expect("written");
        Prepared::sample(file, self.engine())
    }

    async fn take(&mut self, job: &Job) {
        let bytes = encode(job).expect("a job");
        self.worker.take_job(job.run.clone(), &bytes, ()).await;
    }

    /// The worker takes a job whose engines are ready.
    async fn hold(&mut self, job: &Job) {
        let prepared = self.prepared();
        let key = files_key(job);
        let state = self.worker.runs.state(&job.run);
        state.engines.insert(key, prepared);
        self.take(job).await;
    }

    /// Puts the first job of the worker into the state of being played.
    fn play(&mut self) {
        let held = &mut self.worker.held[0];
        held.phase = Phase::Playing;
        self.worker.slots.set_playing(0, held.ticket);
    }

    fn engines_ready(&self, run: &Name, key: &str) -> Option<bool> {
        self.worker.runs.get(run)?.engines.are_ready(key)
    }

    fn is_refused(&self, later: Duration) -> bool {
        let now = Instant::now() + later;
        self.worker.runs.is_refused(&self.run, now)
    }

    /// An engine in the worker's cache that was last used two months ago.
    fn old_file(&self, folder: &str) -> PathBuf {
        let folder = self.dir.path().join("fleet/files").join(folder);
        fs::create_dir_all(&folder).expect("made");
        for name in ["engine", "engine.lock"] {
            let file = File::create(folder.join(name)).expect("made");
            let modified = SystemTime::now().checked_sub(60 * DAY).expect("a time");
            file.set_modified(modified).expect("set");
        }
        folder.join("engine")
    }
}

fn lease() -> String {
    "0".repeat(32)
}

#[tokio::test]
async fn a_run_is_tried_again_after_a_failed_preparation() {
    let mut scene = Scene::new().await;
    assert_eq!(scene.pulls().await, 1);
    let run = scene.run.clone();
    let failed = |key: &str| Preparation {
        run: run.clone(),
        key: key.to_string(),
        build: None,
        pair: 7,
        lease: lease(),
        took: MINUTE,
        prepared: Err(anyhow::anyhow!("the disk is full")),
    };
    scene.worker.prepared(failed("left")).await;
    assert!(scene.replies().is_empty(), "it was not being prepared");
    let keys = ["one pairing", "another"];
    for key in keys {
        scene.worker.runs.state(&run).engines.begin(key);
    }
    for key in keys {
        scene.worker.prepared(failed(key)).await;
    }
    let refusal = Refusal {
        pair: 7,
        lease: lease(),
        reason: "the disk is full".to_string(),
        stops_run: false,
    };
    assert_eq!(scene.replies(), [Reply::Refused(refusal)]);
    scene.hear(1).await;
    assert_eq!(scene.pulls().await, 1, "the run is paused");
    assert!(scene.is_refused(4 * MINUTE));
    assert!(!scene.is_refused(5 * MINUTE));
    scene.hear(2).await;
    assert!(
        scene.is_refused(DAY),
        "it needs more threads than there are"
    );
}

#[tokio::test]
async fn a_worker_that_leaves_waits_for_the_reply_of_its_last_pair() {
    let mut scene = Scene::new().await;
    scene.hold(&samples::job(3)).await;
    scene.play();
    let worker = &mut scene.worker;
    worker.interrupted(Request::Finish).await;
    let played_at = Instant::now() + 10 * MINUTE;
    assert!(!worker.is_done(played_at), "it plays");
    let event = SlotEvent::Played(Box::new(samples::played_pair(3)), Vec::new());
    worker.slot_event(0, event).await;
    assert!(!worker.is_done(played_at + LEAVE));
    assert!(worker.is_done(played_at + LEAVE + STATUS));
    assert!(matches!(scene.replies()[..], [Reply::Played(_)]));
}

/// The transport would buffer them until it blocks, and with it the worker and Ctrl-C.
#[tokio::test]
async fn nothing_is_sent_periodically_while_the_server_is_unreachable() {
    let mut scene = Scene::new().await;
    scene.hold(&samples::job(3)).await;
    let messages = |scene: &Scene| *scene.server.periodic.lock().expect("unpoisoned");
    for is_up in [false, true] {
        let before = messages(&scene);
        let worker = &mut scene.worker;
        let changed = worker.handle(ToWorker::Connection { is_up }).await;
        changed.expect("no error");
        worker.keep_jobs().await;
        worker.send_status().await;
        assert_eq!(messages(&scene) > before, is_up);
        scene.worker.held.clear();
        assert_eq!(scene.pulled().await.is_some(), is_up);
        scene.hold(&samples::job(3)).await;
    }
}

#[tokio::test]
async fn old_files_are_removed_once_a_day_but_not_those_of_a_run() {
    let mut scene = Scene::new().await;
    let now = Instant::now();
    let [first, of_run] = ["0a", "0b"].map(|folder| scene.old_file(folder));
    let file = samples::job(0).files.remove(0);
    let prepared = Prepared::sample(file, of_run.clone());
    let run = scene.run.clone();
    scene
        .worker
        .runs
        .state(&run)
        .engines
        .insert("files".to_string(), prepared);
    scene.worker.prune(now);
    assert!(!first.exists() && of_run.exists());
    let second = scene.old_file("0c");
    scene.worker.prune(now + DAY / 2);
    assert!(second.exists());
    scene.worker.prune(now + DAY);
    assert!(!second.exists() && of_run.exists());
}

#[tokio::test]
async fn a_worker_that_is_no_longer_excluded_plays_without_a_restart() {
    let mut scene = Scene::new().await;
    let run = scene.run.clone();
    let excluding = Notice {
        platform: platform(),
        threads: 1,
        exclude: vec![serde_json::from_value("all/box".into()).expect("a worker")],
        ..samples::notice()
    };
    scene.worker.update_run(run, excluding).await;
    assert!(scene.is_refused(DAY));
    let pulls = scene.pulls().await;
    scene.hear(1).await;
    assert!(!scene.is_refused(Duration::ZERO));
    assert_eq!(scene.pulls().await, pulls + 1);
}

#[tokio::test]
async fn a_run_without_a_notice_for_an_hour_is_removed_with_its_engines() {
    let mut scene = Scene::new().await;
    let run = scene.run.clone();
    let later = Instant::now() + 60 * MINUTE;
    scene.hold(&samples::job(3)).await;
    scene.worker.remove_gone_runs(later);
    assert!(scene.worker.runs.notice(&run).is_some(), "it is played");
    scene.worker.held.clear();
    scene.worker.remove_gone_runs(later);
    assert!(scene.worker.runs.notice(&run).is_none());
    let key = files_key(&samples::job(3));
    assert_eq!(scene.engines_ready(&run, &key), None);
}

/// The run may have ended while this worker was unreachable.
#[tokio::test]
async fn a_refused_run_without_a_notice_for_an_hour_is_forgotten() {
    let mut scene = Scene::new().await;
    scene.hold(&samples::job(3)).await;
    scene.worker.held.clear();
    scene.hear(2).await;
    let key = files_key(&samples::job(3));
    for (minutes, is_known) in [(59, true), (61, false)] {
        let now = Instant::now() + minutes * MINUTE;
        scene.worker.remove_gone_runs(now);
        assert_eq!(scene.is_refused(Duration::ZERO), is_known);
        let engines = scene.engines_ready(&scene.run, &key);
        assert_eq!(engines.is_some(), is_known);
    }
    let words = scene.worker.runs.refused_in_words(Instant::now());
    assert!(words.is_empty(), "{words:?}");
}

#[tokio::test]
async fn only_a_failure_in_a_game_stops_a_run_that_stops_at_failures() {
    for in_game in [true, false] {
        let mut scene = Scene::new().await;
        let mut job = samples::job(3);
        Arc::make_mut(&mut job.pair.rules).on_failure = OnFailure::Stop;
        scene.hold(&job).await;
        scene.play();
        let reason = "cannot restart new".to_string();
        let event = SlotEvent::Failed { reason, in_game };
        scene.worker.slot_event(0, event).await;
        let replies = scene.replies();
        let [Reply::Refused(refusal)] = &replies[..] else {
            panic!("{replies:?}");
        };
        assert_eq!(refusal.stops_run, in_game);
    }
}

#[tokio::test]
async fn a_worker_plays_other_runs_while_it_prepares_the_engines_of_one() {
    let mut scene = Scene::new().await;
    let other = name("other");
    let of_other = Job {
        run: other.clone(),
        ..samples::job(4)
    };
    // The server does not have their files: the worker tries for a minute.
    scene.take(&samples::job(3)).await;
    scene.take(&samples::job(5)).await;
    assert_eq!(scene.worker.preparing.len(), 1, "it is prepared once");
    assert_eq!(*scene.server.given_back.lock().expect("unpoisoned"), 2);
    assert_eq!(scene.pulled().await, None, "only the one that is prepared");
    let notice = Notice {
        platform: platform(),
        ..samples::notice()
    };
    scene.worker.update_run(other.clone(), notice).await;
    assert_eq!(scene.pulled().await, Some(other));
    scene.hold(&of_other).await;
    scene.worker.start_games();
    assert_eq!(scene.worker.held[0].phase, Phase::Playing);
    let preparation = Preparation {
        run: scene.run.clone(),
        key: files_key(&samples::job(3)),
        build: None,
        pair: 3,
        lease: lease(),
        took: MINUTE,
        prepared: Ok(scene.prepared()),
    };
    scene.worker.prepared(preparation).await;
    assert_eq!(scene.pulled().await, Some(scene.run.clone()));
    scene.take(&samples::job(3)).await;
    assert_eq!(scene.worker.held.len(), 2);
}

#[tokio::test]
async fn no_game_starts_while_the_speed_is_measured() {
    let mut scene = Scene::new().await;
    scene.hold(&samples::job(3)).await;
    let idle = Arc::clone(&scene.worker.idle);
    let measuring = idle.lock().await;
    scene.worker.start_games();
    assert_eq!(scene.worker.held[0].phase, Phase::Waiting);
    drop(measuring);
    scene.worker.start_games();
    assert_eq!(scene.worker.held[0].phase, Phase::Playing);
    assert_eq!(*idle.lock().await, 0, "the game has the only thread");
}

/// A worker's client can make the server send its replies to the subjects of orders.
#[tokio::test]
async fn only_orders_with_their_content_are_obeyed() {
    let mut scene = Scene::new().await;
    scene.hold(&samples::job(3)).await;
    let run = scene.run.clone();
    let of = |run: &Name| encode(&StopOrder { run: run.clone() }).expect("an order");
    let job = encode(&samples::job(3)).expect("a job");
    let newer = format!("{{\"hone\":{},\"body\":{{}}}}", VERSION + 1).into_bytes();
    let reply = b"{\"stream\":\"HONE_RESULTS\",\"seq\":5}".to_vec();
    for bytes in [
        Vec::new(),
        reply.clone(),
        job.clone(),
        of(&name("other")),
        newer.clone(),
    ] {
        let run = run.clone();
        let order = ToWorker::StopOrder { run, bytes };
        scene.worker.handle(order).await.expect("no error");
        assert_eq!(scene.worker.held.len(), 1);
    }
    for (bytes, is_refused) in [
        (Vec::new(), false),
        (reply, false),
        (job, false),
        (newer, true),
    ] {
        let run = run.clone();
        let notice = ToWorker::Notice { run, bytes };
        scene.worker.handle(notice).await.expect("no error");
        assert_eq!(scene.is_refused(Duration::ZERO), is_refused);
    }
    let bytes = of(&run);
    let order = ToWorker::StopOrder { run, bytes };
    scene.worker.handle(order).await.expect("no error");
    assert!(scene.worker.held.is_empty());
}

/// Another program may clean the cache.
#[tokio::test]
async fn an_engine_that_is_gone_from_the_cache_is_fetched_again_once() {
    let mut scene = Scene::new().await;
    let reason = "its working folder does not exist\nhelp: correct `dir` in [[engine]]";
    for is_first in [true, false] {
        scene.hold(&samples::job(3)).await;
        scene.play();
        fs::remove_file(scene.engine()).expect("removed");
        let reason = reason.to_string();
        let in_game = false;
        let event = SlotEvent::Failed { reason, in_game };
        scene.worker.slot_event(0, event).await;
        assert!(scene.worker.held.is_empty(), "others can play it");
        let key = files_key(&samples::job(3));
        assert_eq!(scene.engines_ready(&scene.run, &key), None);
        assert_eq!(scene.is_refused(Duration::ZERO), !is_first);
    }
    let replies = scene.replies();
    let [Reply::Refused(refusal)] = &replies[..] else {
        panic!("{replies:?}");
    };
    assert_eq!(refusal.reason, "engine is gone from this worker's cache");
}

#[tokio::test]
async fn an_engine_that_is_gone_before_its_first_search_is_fetched_again_once() {
    let mut scene = Scene::new().await;
    let run = scene.run.clone();
    for is_first in [true, false] {
        scene.worker.runs.state(&run).engines.begin("files");
        let preparation = Preparation {
            run: run.clone(),
            key: "files".to_string(),
            build: None,
            pair: 3,
            lease: lease(),
            took: MINUTE,
            prepared: Err(GoneFile::sample("engine").into()),
        };
        scene.worker.prepared(preparation).await;
        assert_eq!(scene.engines_ready(&run, "files"), None);
        assert_eq!(scene.is_refused(Duration::ZERO), !is_first);
    }
    assert_eq!(scene.replies().len(), 1);
}

#[tokio::test]
async fn a_pair_that_another_worker_must_play_does_not_keep_the_worker_from_the_others() {
    let mut scene = Scene::new().await;
    let mut job = samples::job(3);
    job.not_by = vec!["all/other".to_string(), scene.worker.id.to_string()];
    scene.hold(&job).await;
    assert!(scene.worker.held.is_empty());
    let times = scene.server.for_others.lock().expect("unpoisoned").clone();
    assert!(matches!(times[..], [time] if !time.is_zero()), "{times:?}");
    let run = scene.run.clone();
    assert_eq!(scene.pulled().await, Some(run));
    job.not_by.pop();
    scene.hold(&job).await;
    assert_eq!(scene.worker.held.len(), 1);
}
