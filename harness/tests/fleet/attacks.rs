//! Attacks with a worker's credential.

use std::fs;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use async_nats::{Client, ConnectOptions, Event};
use futures_util::StreamExt;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tokio::runtime::{Builder, Runtime};
use tokio::time::{sleep, timeout};

use crate::common::{Setup, engines, finish, on_run, rows, scripted, wait_until};
use crate::server::{Fleet, access};
use crate::{digest, fast_match, local_digest};

/// `VERSION` of the messages of `hone-fleet` (`message/mod.rs`).
const PROTOCOL: u32 = 4;

/// A client with a worker's credential that sends messages of its own.
struct Attacker {
    client: Client,
    /// Errors that the server has reported.
    errors: Arc<Mutex<Vec<String>>>,
}

fn runtime() -> Runtime {
    Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime")
}

impl Attacker {
    async fn new(fleet: &Fleet) -> Self {
        Self::with(fleet, &fleet.join).await
    }

    /// One with another credential.
    async fn with(fleet: &Fleet, credential: &str) -> Self {
        let access = access(credential);
        let errors = Arc::new(Mutex::new(Vec::new()));
        let reported = Arc::clone(&errors);
        let client = ConnectOptions::new()
            .nkey(access["seed"].as_str().expect("a seed").to_string())
            .add_root_certificates(fleet.data().join("server.crt"))
            .require_tls(true)
            .custom_inbox_prefix(format!(
                "_INBOX.{}",
                access["name"].as_str().expect("a name")
            ))
            .event_callback(move |event| {
                if let Event::ServerError(error) = event {
                    reported.lock().expect("unpoisoned").push(error.to_string());
                }
                async {}
            })
            .connect(access["url"].as_str().expect("an address"))
            .await
            .expect("it may connect");
        Self { client, errors }
    }

    /// Whether the server reports an error with these words within two minutes, which is long
    /// enough on a busy machine.
    async fn was_refused(&self, words: &str) -> bool {
        let deadline = Instant::now() + Duration::from_secs(120);
        while Instant::now() < deadline {
            let errors = self.errors.lock().expect("unpoisoned").join("\n");
            if errors.to_lowercase().contains(&words.to_lowercase()) {
                return true;
            }
            sleep(Duration::from_millis(25)).await;
        }
        false
    }

    async fn send(&self, subject: &str, bytes: Vec<u8>) {
        let sent = self.client.publish(subject.to_string(), bytes.into()).await;
        sent.expect("sent");
        self.client.flush().await.expect("sent");
    }

    /// Sends a message whose answers go to the subject `reply`.
    async fn send_with_reply(&self, subject: &str, reply: &str, bytes: &[u8]) {
        let (subject, reply) = (subject.to_string(), reply.to_string());
        let bytes = bytes.to_vec().into();
        let sent = self.client.publish_with_reply(subject, reply, bytes).await;
        sent.expect("sent");
    }

    /// Sends a request and returns its answer.
    async fn ask(&self, subject: &str, bytes: &[u8]) -> Value {
        let answer = self
            .client
            .request(subject.to_string(), bytes.to_vec().into())
            .await;
        let answer = answer.expect("an answer").payload;
        let answer: Value = serde_json::from_slice(&answer).expect("JSON");
        assert_eq!(answer["error"], Value::Null, "{subject}");
        answer
    }

    /// Creates a consumer of a stream for the run `victim`.
    async fn consume(&self, stream: &str, filter: &str) {
        let call = format!("$JS.API.CONSUMER.CREATE.{stream}.victim.{filter}");
        let body = json!({
            "stream_name": stream,
            "config": {
                "name": "victim", "durable_name": "victim",
                "ack_policy": "explicit", "filter_subject": filter
            }
        });
        self.ask(&call, body.to_string().as_bytes()).await;
    }
}

#[test]
fn a_worker_cannot_send_jobs_or_read_messages_for_others() {
    let Some(fleet) = Fleet::start() else { return };
    runtime().block_on(async {
        let attacker = Attacker::new(&fleet).await;
        for subject in [
            "hone.ask",
            "hone.job.x",
            "hone.run.x",
            "hone.stop.x",
            "hone.file.abc.0",
            "hone.result.owner.x.y",
            "hone.worker.owner.x",
            "$JS.API.STREAM.PURGE.HONE_RESULTS",
            "$JS.API.STREAM.DELETE.HONE_JOBS",
            "$JS.API.CONSUMER.CREATE.HONE_FILES.x",
            "$JS.API.STREAM.MSG.GET.HONE_RESULTS",
            "$JS.ACK.HONE_RESULTS.x.1.1.1.1.1",
            "$SYS.REQ.SERVER.PING",
        ] {
            attacker.send(subject, b"{}".to_vec()).await;
            let words = format!("publish to \"{subject}\"");
            assert!(attacker.was_refused(&words).await, "{subject} was accepted");
        }
        for subject in [
            "hone.>",
            "hone.job.*",
            "hone.result.>",
            "_INBOX.owner.>",
            ">",
        ] {
            let _subscriber = attacker.client.subscribe(subject).await.expect("sent");
            let words = format!("subscription to \"{subject}\"");
            assert!(attacker.was_refused(&words).await, "{subject} can be read");
        }
    });
}

/// The server answers a message on the subject that its sender chooses, and does not check the
/// sender's permissions for it.
#[test]
fn an_answer_to_a_worker_purges_no_stream_overwrites_no_file_and_stops_no_run() {
    let Some(fleet) = Fleet::start() else { return };
    let join = fleet.credential(&["anna"]);
    // Returns when the server accepts the new credential.
    let mut worker = fleet.worker_with("one", &join, &["--cores", "1"]);
    wait_until("the worker", || {
        assert!(!worker.has_ended(), "{}", worker.printed());
        worker.printed().contains("worker anna/one at ")
    });
    let mine = "hone.result.workers.evil.victim";
    let part = b"a part of an engine";
    runtime().block_on(async {
        let owner = Attacker::with(&fleet, &fleet.submit).await;
        let anna = Attacker::with(&fleet, &join).await;
        let attacker = Attacker::new(&fleet).await;
        owner.consume("HONE_JOBS", "hone.job.victim").await;
        owner
            .consume("HONE_RESULTS", "hone.result.*.*.victim")
            .await;
        owner.ask("hone.file.abc.0", part).await;
        anna.ask("hone.result.anna.box.victim", b"a result").await;
        let orders = anna.client.subscribe("hone.stop.*").await;
        let mut orders = orders.expect("allowed");
        anna.client.flush().await.expect("sent");
        let replies = [
            "hone.stop.victim",
            "hone.file.abc.0",
            "$JS.API.STREAM.PURGE.HONE_FILES",
            "$JS.API.STREAM.PURGE.HONE_RESULTS",
            "$JS.API.STREAM.DELETE.HONE_RESULTS",
        ];
        for reply in replies {
            let pull = "$JS.API.CONSUMER.MSG.NEXT.HONE_JOBS.victim";
            let body = json!({ "batch": 1, "no_wait": true }).to_string();
            attacker.send_with_reply(pull, reply, body.as_bytes()).await;
            attacker.send_with_reply(mine, reply, b"a result").await;
        }
        // When these are stored, so are the messages before them.
        attacker.ask(mine, b"a result").await;
        owner.ask("hone.file.abc.1", part).await;
        let read = "$JS.API.DIRECT.GET.HONE_FILES.hone.file.abc.0";
        let read = attacker.client.request(read, Vec::new().into()).await;
        assert_eq!(read.expect("an answer").payload.as_ref(), part);
        let order = timeout(Duration::from_millis(500), orders.next()).await;
        assert!(order.is_err(), "{order:?}");
        let info = "$JS.API.CONSUMER.INFO.HONE_RESULTS.victim";
        for _ in 0..20 {
            let stored = owner.ask(info, b"").await;
            assert_eq!(stored["num_pending"], replies.len() + 2, "{stored}");
            sleep(Duration::from_millis(50)).await;
        }
    });
}

#[test]
fn results_that_are_malformed_altered_or_too_long_change_nothing() {
    let Some(fleet) = Fleet::start() else { return };
    let setup = fast_match(40, "");
    let mut runner = fleet.start_run(&setup, &[]);
    let warned = |words: &str| wait_until(words, || runner.printed().contains(words));
    runtime().block_on(async {
        let attacker = Attacker::new(&fleet).await;
        let run = run_of(&attacker).await;
        let mine = format!("hone.result.workers.evil.{run}");
        attacker.send(&mine, b"not JSON".to_vec()).await;
        warned("malformed");
        let lease = "0123456789abcdef0123456789abcdef";
        attacker.send(&mine, reply(0, lease)).await;
        warned("was not given");
        // A job that it takes, and answers with a wrong result.
        let job = take_job(&attacker, &run).await;
        let (pair, lease) = pair_and_lease(&job);
        attacker.send(&mine, reply(pair, lease)).await;
        warned(&format!("of pair {} that is refused", pair + 1));
        let engine = &job["body"]["pair"]["players"][0]["launch"]["program"];
        assert!(!engine.as_str().expect("a name").contains('/'), "{engine}");
        // The server closes the connection.
        let long = vec![b'x'; 100_000_000];
        let _ = attacker.client.publish(mine, long.into()).await;
        let _ = timeout(Duration::from_secs(5), attacker.client.flush()).await;
    });
    assert_eq!(rows(&setup.run("fleet")), 0);
    let _worker = fleet.worker("honest", &["--cores", "2"]);
    assert_eq!(runner.wait(), Some(0), "{}", runner.printed());
    assert_eq!(digest(&setup.run("fleet")), local_digest(&setup));
    assert_eq!(on_run("verify", &setup.run("fleet")).code, Some(0));
}

#[test]
fn a_result_that_is_sent_repeatedly_counts_once() {
    let Some(fleet) = Fleet::start() else { return };
    let cmd = scripted();
    let players = engines(("one", &cmd, ""), ("two", &cmd, ""));
    let setup = Setup::new(&format!(
        "{players}[match]\nlimit = \"nodes=1\"\npairs = 3\nopenings = \"none\"\n"
    ));
    let mut runner = fleet.start_run(&setup, &[]);
    runtime().block_on(async {
        let attacker = Attacker::new(&fleet).await;
        let run = run_of(&attacker).await;
        let mut replies = Vec::new();
        for _ in 0..3 {
            let job = take_job(&attacker, &run).await;
            let (pair, lease) = pair_and_lease(&job);
            let reply = fools_mate(pair, lease);
            for name in ["evil", "twin"] {
                let mine = format!("hone.result.workers.{name}.{run}");
                attacker.send(&mine, reply.clone()).await;
                replies.push((mine, reply.clone()));
            }
            for (mine, reply) in &replies {
                attacker.send(mine, reply.clone()).await;
            }
        }
    });
    assert_eq!(runner.wait(), Some(0), "{}", runner.printed());
    let run = setup.run("fleet");
    let games = fs::read_to_string(run.join("games.csv")).expect("the games");
    let mut known: Vec<_> = games
        .lines()
        .skip(1)
        .map(|row| row.split(',').take(2).collect::<Vec<_>>())
        .collect();
    known.sort_unstable();
    let all = ["1", "2", "3"].map(|pair| [vec![pair, "1"], vec![pair, "2"]]);
    assert_eq!(known, all.concat(), "{games}");
    assert_eq!(on_run("verify", &run).code, Some(0));
}

/// A result of two legal games: 1. f3 e5 2. g4 Qh4#.
fn fools_mate(pair: u64, lease: &str) -> Vec<u8> {
    let hash = Sha256::digest("startpos\nf2f3 e7e5 g2g4 d8h4\n0-1\n");
    let digest = u64::from_be_bytes(hash[..8].try_into().expect("a SHA-256 has 32 bytes"));
    let effort = json!({
        "moves": 2, "depth": 2, "seldepth": 2, "latency_us": 0, "starved_us": 0, "illegal_pvs": 0
    });
    let game = json!({
        "outcome": "Black", "termination": "checkmate", "plies": 4, "ms": [1, 1],
        "nodes": [2, 2], "effort": [effort, effort], "digest": digest, "line": null
    });
    let text = |white: &str, black: &str| {
        let pgn = format!(
            "[Event \"?\"]\n[White \"{white}\"]\n[Black \"{black}\"]\n[Round \"{}\"]\n\
             [Result \"0-1\"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n\n",
            pair + 1
        );
        json!({ "pgn": pgn, "epd": "", "detail": "none" })
    };
    let played = json!({
        "pair": pair, "lease": lease, "finished_ms": 1, "games": [game, game],
        "texts": [text("one", "two"), text("two", "one")]
    });
    json!({ "hone": PROTOCOL, "body": { "played": played } })
        .to_string()
        .into_bytes()
}

/// Takes jobs of the run as worker `evil` and answers them with other games.
pub(crate) fn send_wrong_results(fleet: &Fleet, count: u32) {
    runtime().block_on(async {
        let attacker = Attacker::new(fleet).await;
        let run = run_of(&attacker).await;
        let mine = format!("hone.result.workers.evil.{run}");
        for _ in 0..count {
            let job = take_job(&attacker, &run).await;
            let (pair, lease) = pair_and_lease(&job);
            attacker.send(&mine, reply(pair, lease)).await;
        }
    });
}

/// The id of the run, from its next notice.
async fn run_of(attacker: &Attacker) -> String {
    let mut notices = attacker
        .client
        .subscribe("hone.run.*")
        .await
        .expect("allowed");
    let notice = timeout(Duration::from_secs(60), notices.next()).await;
    let notice = notice.expect("in time").expect("a notice");
    let run = notice.subject.rsplit('.').next();
    run.expect("a run").to_string()
}

/// A well-formed result whose games are impossible.
fn reply(pair: u64, lease: &str) -> Vec<u8> {
    let effort = json!({
        "moves": 1, "depth": 1, "seldepth": 1, "latency_us": 0, "starved_us": 0, "illegal_pvs": 0
    });
    let game = json!({
        "outcome": "White", "termination": "checkmate", "plies": 4, "ms": [1, 1],
        "nodes": [1, 1], "effort": [effort, effort], "digest": 1, "line": null
    });
    let text = json!({ "pgn": "[Event \"?\"]\n\n1. e4 1-0\n\n", "epd": "", "detail": "none" });
    let played = json!({
        "pair": pair, "lease": lease, "finished_ms": 1, "games": [game, game],
        "texts": [text, text]
    });
    json!({ "hone": PROTOCOL, "body": { "played": played } })
        .to_string()
        .into_bytes()
}

/// The number of the pair in a job, from 0, and the job's lease.
fn pair_and_lease(job: &Value) -> (u64, &str) {
    let pair = job["body"]["pair"]["pair"].as_u64().expect("a pair");
    (pair, job["body"]["lease"].as_str().expect("a lease"))
}

/// Pulls a job, and acknowledges it so that no other worker gets it.
async fn take_job(attacker: &Attacker, run: &str) -> Value {
    let client = &attacker.client;
    let inbox = client.new_inbox();
    let mut answers = client.subscribe(inbox.clone()).await.expect("allowed");
    for _ in 0..50 {
        let call = format!("$JS.API.CONSUMER.MSG.NEXT.HONE_JOBS.{run}");
        let body = json!({ "batch": 1, "expires": 1_000_000_000u64 }).to_string();
        let sent = client.publish_with_reply(call, inbox.clone(), body.into());
        sent.await.expect("sent");
        let answer = timeout(Duration::from_secs(3), answers.next()).await;
        if let Ok(Some(message)) = answer
            && message.status.is_none()
        {
            let reply = message.reply.expect("a delivery").to_string();
            attacker.send(&reply, b"+ACK".to_vec()).await;
            return serde_json::from_slice(&message.payload).expect("a job");
        }
    }
    panic!("no job came");
}

#[test]
fn a_revoked_credential_ends_its_workers_and_is_refused() {
    let Some(fleet) = Fleet::start() else { return };
    let join = fleet.credential(&["anna", "--expires", "1d"]);
    let mut worker = fleet.worker_with("one", &join, &["--cores", "1"]);
    wait_until("the worker", || {
        assert!(!worker.has_ended(), "{}", worker.printed());
        let status = finish(fleet.hone(&["fleet", "status", "--json"])).json();
        let workers = status["workers"].as_array();
        workers.is_some_and(|workers| !workers.is_empty())
    });
    let revoked = finish(fleet.tokens(&["revoke", "anna"]));
    assert_eq!(revoked.code, Some(0), "{}", revoked.stderr);
    assert_eq!(worker.wait(), Some(2), "{}", worker.printed());
    assert!(worker.printed().contains("revoked"), "{}", worker.printed());
    let mut again = fleet.worker_with("two", &join, &["--cores", "1"]);
    assert_eq!(again.wait(), Some(2), "{}", again.printed());
    let listed = finish(fleet.tokens(&["tokens", "--json"])).json();
    let tokens = listed["tokens"].as_array().expect("a list");
    let anna = tokens.iter().find(|token| token["name"] == "anna");
    assert_eq!(anna.expect("listed")["state"], "revoked");
}
