//! A simulated worker: it takes jobs and always returns the same games.

use std::cell::Cell;
use std::time::Duration;

use anyhow::{Context, ensure};
use async_nats::{Client, ConnectOptions, Message};
use futures_util::StreamExt;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tokio::time::{Instant, interval, sleep, timeout};

use super::stage::WorkerAccess;

/// `VERSION` of the messages (`fleet/message/mod.rs`).
const PROTOCOL: u32 = 3;
/// Interval of status messages.
const STATUS_INTERVAL: Duration = Duration::from_secs(5);
/// Interval at which the server is notified that a job is in progress.
const PROGRESS_INTERVAL: Duration = Duration::from_secs(8);
/// Time after which a request for jobs expires.
const PULL_EXPIRES: Duration = Duration::from_secs(5);
/// Timeout of connections and requests.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Numbers of workers that were started and that have joined.
#[derive(Default)]
pub(crate) struct Counts {
    started: Cell<usize>,
    joined: Cell<usize>,
}

impl Counts {
    pub(crate) fn join(&self) {
        self.started.set(self.started.get() + 1);
    }

    pub(crate) fn joined(&self) -> usize {
        self.joined.get()
    }

    pub(crate) fn joining(&self) -> usize {
        self.started.get() - self.joined.get()
    }
}

/// Speed of a worker.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pace {
    /// Pairs at a time.
    pub(crate) cores: usize,
    /// Time of a pair.
    pub(crate) pair: Duration,
}

/// Works until it is dropped.
pub(crate) async fn work(
    access: &WorkerAccess,
    number: usize,
    run: &str,
    pace: Pace,
    counts: &Counts,
) -> anyhow::Result<()> {
    let client = loop {
        match connect(access).await {
            Ok(client) => break client,
            Err(error) => eprintln!("worker {number} connects again: {error:#}"),
        }
        sleep(Duration::from_secs(1)).await;
    };
    let mut listening = Vec::new();
    for subject in ["hone.run.*", "hone.stop.*"] {
        listening.push(client.subscribe(subject).await?);
    }
    let mut asks = client.subscribe("hone.ask").await?;
    let inbox = client.new_inbox();
    let mut jobs = client.subscribe(format!("{inbox}.*")).await?;
    client.publish("hone.ask-runs", Vec::new().into()).await?;
    counts.joined.set(counts.joined.get() + 1);
    let worker = Worker {
        client,
        name: format!("w{number}"),
        run: run.to_string(),
        pace,
    };
    // The status messages of the workers are spread over the interval.
    let start = Instant::now() + STATUS_INTERVAL.mul_f64((number % 1000) as f64 / 1000.0);
    let mut report = tokio::time::interval_at(start, STATUS_INTERVAL);
    worker.report(&[]).await?;
    let mut pulls = 0u64;
    loop {
        pulls += 1;
        worker.pull(&format!("{inbox}.{pulls}")).await?;
        let deadline = Instant::now() + PULL_EXPIRES + Duration::from_secs(2);
        let mut taken: Vec<Message> = Vec::new();
        while taken.len() < pace.cores {
            tokio::select! {
                message = jobs.next() => {
                    let message = message.context("the connection is closed")?;
                    match message.status {
                        None => taken.push(message),
                        // The server has no more jobs.
                        Some(_) => break,
                    }
                }
                () = tokio::time::sleep_until(deadline) => break,
                _ = report.tick() => worker.report(&[]).await?,
                _ = asks.next() => worker.report(&[]).await?,
                _ = listening[0].next() => {}
            }
        }
        if !taken.is_empty() {
            worker.play(&taken, &mut report).await?;
        }
    }
}

async fn connect(access: &WorkerAccess) -> anyhow::Result<Client> {
    let client = ConnectOptions::new()
        .nkey(access.seed.clone())
        .add_root_certificates(access.certificate.clone())
        .require_tls(true)
        .connection_timeout(TIMEOUT)
        .request_timeout(Some(TIMEOUT))
        .custom_inbox_prefix("_INBOX.workers")
        .connect(&access.url);
    Ok(client.await?)
}

struct Worker {
    client: Client,
    name: String,
    run: String,
    pace: Pace,
}

impl Worker {
    async fn pull(&self, reply: &str) -> anyhow::Result<()> {
        let call = format!("$JS.API.CONSUMER.MSG.NEXT.HONE_JOBS.{}", self.run);
        let body = json!({ "batch": self.pace.cores, "expires": PULL_EXPIRES.as_nanos() as u64 });
        let sent = self
            .client
            .publish_with_reply(call, reply.to_string(), body.to_string().into());
        Ok(sent.await?)
    }

    async fn report(&self, pairs: &[u64]) -> anyhow::Result<()> {
        let mut holds = serde_json::Map::new();
        holds.insert(self.run.clone(), json!(pairs));
        let status = json!({
            "hone": "simulated", "platform": platform(), "processor": "simulated",
            "cores": self.pace.cores, "busy": pairs.len(), "games": 0, "time_forfeits": 0,
            "failures": 0, "pace": 0.0, "holds": holds, "refuses": {}, "leaving": false
        });
        let bytes = json!({ "hone": PROTOCOL, "body": status }).to_string();
        let subject = format!("hone.worker.workers.{}", self.name);
        Ok(self.client.publish(subject, bytes.into()).await?)
    }

    /// Waits for the time of a pair, then returns the games of all jobs.
    async fn play(
        &self,
        taken: &[Message],
        report: &mut tokio::time::Interval,
    ) -> anyhow::Result<()> {
        let mut pairs = Vec::new();
        let mut replies = Vec::new();
        for message in taken {
            let job: Value = serde_json::from_slice(&message.payload)?;
            let pair = job["body"]["pair"]["pair"].as_u64().context("a pair")?;
            let lease = job["body"]["lease"].as_str().context("a lease")?;
            pairs.push(pair);
            replies.push(reply(pair, lease));
        }
        let end = Instant::now() + self.pace.pair;
        let mut progress = interval(PROGRESS_INTERVAL);
        progress.tick().await;
        while Instant::now() < end {
            tokio::select! {
                () = tokio::time::sleep_until(end) => {}
                _ = report.tick() => self.report(&pairs).await?,
                _ = progress.tick() => {
                    for message in taken {
                        self.acknowledge(message, "+WPI").await?;
                    }
                }
            }
        }
        for (message, reply) in taken.iter().zip(replies) {
            self.answer(reply).await?;
            self.acknowledge(message, "+ACK").await?;
        }
        Ok(())
    }

    async fn answer(&self, reply: Vec<u8>) -> anyhow::Result<()> {
        let subject = format!("hone.result.workers.{}.{}", self.name, self.run);
        for _ in 0..10 {
            let stored = self.client.request(subject.clone(), reply.clone().into());
            if let Ok(Ok(answer)) = timeout(TIMEOUT, stored).await {
                let answer: Value = serde_json::from_slice(&answer.payload)?;
                ensure!(answer.get("error").is_none(), "refused: {answer}");
                return Ok(());
            }
            sleep(Duration::from_secs(1)).await;
        }
        anyhow::bail!("a result cannot be stored")
    }

    async fn acknowledge(&self, message: &Message, word: &'static str) -> anyhow::Result<()> {
        let reply = message.reply.clone().context("a delivery")?;
        Ok(self.client.publish(reply, word.into()).await?)
    }
}

fn platform() -> String {
    format!("{}-{}", std::env::consts::OS, std::env::consts::ARCH)
}

/// Two games: 1. f3 e5 2. g4 Qh4#.
fn reply(pair: u64, lease: &str) -> Vec<u8> {
    let effort = json!({
        "moves": 2, "depth": 2, "seldepth": 2, "latency_us": 0, "starved_us": 0, "illegal_pvs": 0
    });
    let game = json!({
        "outcome": "Black", "termination": "checkmate", "plies": 4, "ms": [1, 1],
        "nodes": [2, 2], "effort": [effort, effort], "digest": digest(), "line": null
    });
    let text = |white: &str, black: &str| {
        json!({
            "pgn": format!(
                "[Event \"?\"]\n[White \"{white}\"]\n[Black \"{black}\"]\n[Round \"{}\"]\n\
                 [Result \"0-1\"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n\n",
                pair + 1
            ),
            "epd": "",
            "reason": "Black mates"
        })
    };
    let played = json!({
        "pair": pair, "lease": lease, "finished_ms": 1, "games": [game, game],
        "texts": [text("one", "two"), text("two", "one")]
    });
    json!({ "hone": PROTOCOL, "body": { "played": played } })
        .to_string()
        .into_bytes()
}

/// The ledger's digest of these moves and this result.
fn digest() -> u64 {
    let hash = Sha256::digest("startpos\nf2f3 e7e5 g2g4 d8h4\n0-1\n");
    u64::from_be_bytes(hash[..8].try_into().expect("a SHA-256 has 32 bytes"))
}
