//! The runner of a run, over NATS.

use std::time::Duration;

use async_nats::{Client, Event, Subject, Subscriber};
use futures_util::StreamExt;
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::time::sleep;

use super::api::{call, number, put};
use super::pull::{Pull, Pulled};
use super::subjects::{self, ASK, ASK_RUNS, FILES, JOBS, RESULTS};
use super::worker::is_refusal;
use crate::fleet::ids::Name;
use crate::fleet::link::{FileStore, LinkError, RunnerLink, ToRunner};
use crate::fleet::runner::Change;

/// A worker tells at least this often that it still plays a job.
const KEEP: Duration = Duration::from_secs(30);
/// A result that is not on disk here after this long is delivered again.
const RECORD: Duration = Duration::from_secs(60);
/// A queue that has not been used for this long is removed.
const UNUSED: Duration = Duration::from_secs(7 * 24 * 60 * 60);
const BATCH: usize = 1000;
const WAIT: Duration = Duration::from_secs(5);
const AGAIN: Duration = Duration::from_secs(1);

/// One run's connection.
pub(crate) struct NatsRunner {
    client: Client,
    run: Name,
    results: Pull,
    statuses: Subscriber,
    asks: [Subscriber; 2],
    events: mpsc::UnboundedReceiver<Event>,
    /// The results could not be asked for: the server or its disk is new.
    refused: bool,
}

impl NatsRunner {
    /// # Errors
    /// If the server refuses what a run needs.
    pub(crate) async fn new(
        client: Client,
        run: Name,
        events: mpsc::UnboundedReceiver<Event>,
    ) -> Result<Self, LinkError> {
        let listen = async |subject: &str| {
            let subscribed = client.subscribe(subject.to_string()).await;
            subscribed.map_err(|error| LinkError::new("cannot listen", error))
        };
        let statuses = listen(subjects::ALL_WORKERS).await?;
        let asks = [listen(ASK).await?, listen(ASK_RUNS).await?];
        // What was delivered to an earlier process of this run, and not put on
        // disk, comes again at once.
        let stale = format!("CONSUMER.DELETE.{RESULTS}.{run}");
        let _ = call(&client, &stale, &Value::Null).await;
        let mut runner = Self {
            results: Pull::new(client.clone(), RESULTS).await?,
            client,
            run,
            statuses,
            asks,
            events,
            refused: false,
        };
        runner.backlog().await?;
        Ok(runner)
    }

    async fn ensure(
        &self,
        stream: &str,
        filter: &str,
        ack_wait: Duration,
        most: u32,
    ) -> Result<Value, LinkError> {
        let run = &self.run;
        let body = json!({
            "stream_name": stream,
            "config": {
                "durable_name": run,
                "name": run,
                "deliver_policy": "all",
                "ack_policy": "explicit",
                "replay_policy": "instant",
                "filter_subject": filter,
                "ack_wait": ack_wait.as_nanos() as u64,
                "max_deliver": -1,
                "max_ack_pending": most,
                "max_waiting": 16_384,
                "inactive_threshold": UNUSED.as_nanos() as u64,
            },
        });
        let name = format!("CONSUMER.CREATE.{stream}.{run}.{filter}");
        call(&self.client, &name, &body).await
    }
}

impl RunnerLink for NatsRunner {
    type Receipt = Subject;
    type Files = NatsStore;

    async fn withdraw(&self) -> Result<(), LinkError> {
        let filter = json!({ "filter": subjects::job(&self.run) });
        call(&self.client, &format!("STREAM.PURGE.{JOBS}"), &filter).await?;
        Ok(())
    }

    async fn backlog(&mut self) -> Result<u64, LinkError> {
        let filter = subjects::results_of(&self.run);
        self.ensure(RESULTS, &filter, RECORD, 500_000).await?;
        let filter = subjects::job(&self.run);
        let queue = self.ensure(JOBS, &filter, KEEP, 100_000).await?;
        Ok(number(&queue, "num_pending") + number(&queue, "num_ack_pending"))
    }

    async fn waiting(&self) -> Result<u64, LinkError> {
        let name = format!("CONSUMER.INFO.{RESULTS}.{}", self.run);
        Ok(number(
            &call(&self.client, &name, &Value::Null).await?,
            "num_pending",
        ))
    }

    fn publish(&self, bytes: Vec<u8>) -> impl Future<Output = ()> + Send + 'static {
        let client = self.client.clone();
        let subject = subjects::job(&self.run);
        async move {
            while let Err(error) = put(&client, subject.clone(), bytes.clone()).await {
                tracing::info!("a job is sent again: {error}");
                sleep(AGAIN).await;
            }
        }
    }

    async fn announce(&self, bytes: Vec<u8>) -> Result<(), LinkError> {
        self.tell(subjects::run(&self.run), bytes).await
    }

    async fn ask(&self) -> Result<(), LinkError> {
        self.tell(ASK.to_string(), Vec::new()).await
    }

    async fn stop(&self) -> Result<(), LinkError> {
        self.tell(subjects::stop(&self.run), Vec::new()).await
    }

    async fn next(&mut self) -> ToRunner<Subject> {
        loop {
            if !self.results.is_open() {
                if self.refused {
                    // A worker that is asked to wait still receives the other
                    // messages.
                    tokio::select! {
                        () = sleep(AGAIN) => self.refused = false,
                        heard = heard(&mut self.statuses, &mut self.asks) => return heard,
                        change = changed(&mut self.events) => return ToRunner::Connection(change),
                    }
                    continue;
                }
                self.results.ask(self.run.as_str(), BATCH, WAIT).await;
            }
            let pulled = tokio::select! {
                pulled = self.results.next() => pulled,
                heard = heard(&mut self.statuses, &mut self.asks) => return heard,
                change = changed(&mut self.events) => return ToRunner::Connection(change),
            };
            match pulled {
                Pulled::Ended { is_refused, .. } => self.refused = is_refused,
                Pulled::Message(message) => {
                    let Some(receipt) = message.reply else {
                        continue;
                    };
                    let Some(worker) = subjects::worker_of(&message.subject) else {
                        continue;
                    };
                    return ToRunner::Reply {
                        worker,
                        bytes: message.payload.to_vec(),
                        receipt,
                    };
                }
            }
        }
    }

    async fn acknowledge(&self, receipt: Subject) -> Result<(), LinkError> {
        self.tell(receipt.to_string(), b"+ACK".to_vec()).await
    }

    fn files(&self) -> NatsStore {
        NatsStore {
            client: self.client.clone(),
        }
    }

    async fn remove(&self) -> Result<(), LinkError> {
        self.withdraw().await?;
        let run = &self.run;
        for stream in [JOBS, RESULTS] {
            call(
                &self.client,
                &format!("CONSUMER.DELETE.{stream}.{run}"),
                &Value::Null,
            )
            .await?;
        }
        let filter = json!({ "filter": subjects::results_of(run) });
        call(&self.client, &format!("STREAM.PURGE.{RESULTS}"), &filter).await?;
        Ok(())
    }

    async fn flush(&self) {
        let _ = self.client.flush().await;
    }
}

/// The files of jobs, over NATS.
#[derive(Clone)]
pub(crate) struct NatsStore {
    client: Client,
}

impl FileStore for NatsStore {
    async fn parts(&self, sha256: &str) -> Result<Vec<u64>, LinkError> {
        let filter = json!({ "subjects_filter": format!("hone.file.{sha256}.*") });
        let info = call(&self.client, &format!("STREAM.INFO.{FILES}"), &filter).await?;
        let there = info.pointer("/state/subjects").and_then(Value::as_object);
        let numbers = there.into_iter().flat_map(|map| map.keys());
        Ok(numbers
            .filter_map(|subject| subject.rsplit('.').next()?.parse().ok())
            .collect())
    }

    async fn put(&self, sha256: &str, chunk: u64, bytes: Vec<u8>) -> Result<(), LinkError> {
        put(&self.client, subjects::file(sha256, chunk), bytes).await
    }
}

impl NatsRunner {
    async fn tell(&self, subject: String, bytes: Vec<u8>) -> Result<(), LinkError> {
        let sent = self.client.publish(subject, bytes.into()).await;
        sent.map_err(|error| LinkError::new("cannot send", error))
    }
}

/// What happens to the connection. Cancel safe.
async fn changed(events: &mut mpsc::UnboundedReceiver<Event>) -> Change {
    loop {
        match events.recv().await {
            None => std::future::pending().await,
            Some(Event::Connected) => return Change::Up,
            Some(Event::Disconnected) => return Change::Down,
            Some(event) if is_refusal(&event) => return Change::Refused,
            Some(event) => tracing::info!("{event}"),
        }
    }
}

/// The status of workers, and requests. Cancel safe.
async fn heard(statuses: &mut Subscriber, asks: &mut [Subscriber; 2]) -> ToRunner<Subject> {
    let [of_all, of_runs] = asks;
    loop {
        tokio::select! {
            status = statuses.next() => match status {
                None => std::future::pending().await,
                Some(message) => {
                    if let Some(worker) = subjects::worker_of(&message.subject) {
                        let bytes = message.payload.to_vec();
                        return ToRunner::Status { worker, bytes };
                    }
                }
            },
            Some(_) = of_runs.next() => return ToRunner::StatusRequested,
            ask = of_all.next() => match ask {
                None => std::future::pending().await,
                Some(_) => return ToRunner::StatusRequested,
            },
        }
    }
}
