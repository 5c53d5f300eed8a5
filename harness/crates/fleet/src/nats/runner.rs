//! The connection of a run's runner, over NATS.

use std::time::Duration;

use async_nats::{Client, Event, HeaderMap, Message, Subject, Subscriber};
use futures_util::StreamExt;
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until};

use super::api::{call, number, put, put_until_stored, subscribe};
use super::denials;
use super::pull::{Pull, Pulled};
use super::subjects::{self, ASK, ASK_RUNS, FILES, JOBS, RESULTS};
use super::worker::is_refusal;
use crate::ids::{Name, ProcessId};
use crate::link::{ConnectionChange, FileStore, LinkError, RunnerLink, ToRunner};

/// A job that its worker does not keep alive for this long is delivered to another one.
const JOB_ACK_WAIT: Duration = Duration::from_secs(30);
/// A result that is not acknowledged for this long is delivered again.
const RESULT_ACK_WAIT: Duration = Duration::from_secs(60);
/// A consumer that has not been used for this long is removed.
const UNUSED: Duration = Duration::from_secs(7 * 24 * 60 * 60);
/// Maximum number of results in a request.
const BATCH: usize = 1000;
/// Time limit of a request for results.
const WAIT: Duration = Duration::from_secs(5);
/// The header of a notice with the process of the run that has sent it: it is for other
/// processes of the run, not for workers.
const PROCESS: &str = "Hone-Process";
/// Time before a refused request for results is repeated.
const RETRY: Duration = Duration::from_secs(1);

/// Checks that the server lets a credential see workers and use the queue and the results,
/// before a run has a folder.
///
/// # Errors
/// [`LinkError`]: a permission is denied, a stream is missing, or the server does not answer.
pub(crate) async fn check_rights(
    client: &Client,
    events: &mut mpsc::UnboundedReceiver<Event>,
) -> Result<(), LinkError> {
    let _statuses = subscribe(client, subjects::ALL_WORKERS).await?;
    for stream in [RESULTS, JOBS] {
        // No run has this name.
        let name = format!("CONSUMER.INFO.{stream}.probe");
        let answer = tokio::select! {
            biased;
            denial = denials::next(events) => return Err(denials::error(&denial)),
            answer = call(client, &name, &Value::Null) => answer,
        };
        match answer {
            Err(error) if !error.is_missing => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

/// One run's connection.
pub(crate) struct NatsRunner {
    client: Client,
    run: Name,
    results: Pull,
    heard: Heard,
    events: mpsc::UnboundedReceiver<Event>,
    /// When results are requested again after a request was refused, because the server has
    /// lost the consumer.
    retry_at: Option<Instant>,
}

/// The subscriptions of a run.
struct Heard {
    statuses: Subscriber,
    asks: [Subscriber; 2],
    /// The notices of this run.
    notices: Subscriber,
}

impl NatsRunner {
    /// # Errors
    /// If the server refuses what a run needs.
    pub(crate) async fn new(
        client: Client,
        run: Name,
        events: mpsc::UnboundedReceiver<Event>,
    ) -> Result<Self, LinkError> {
        let heard = Heard::of(&client, &run).await?;
        // Results that were delivered to an earlier process of this run, and that it did
        // not put on disk, are delivered again at once.
        let stale = format!("CONSUMER.DELETE.{RESULTS}.{run}");
        let _ = call(&client, &stale, &Value::Null).await;
        let mut runner = Self {
            results: Pull::new(client.clone(), RESULTS).await?,
            client,
            run,
            heard,
            events,
            retry_at: None,
        };
        match runner.backlog().await {
            Ok(_) => Ok(runner),
            // The server does not answer a request that it denies.
            Err(error) => Err(denials::arrived(&mut runner.events)
                .last()
                .map_or(error, |denial| denials::error(&denial))),
        }
    }

    /// Creates this run's consumer of a stream, or updates it. Returns its state.
    async fn ensure_consumer(
        &self,
        stream: &str,
        filter: &str,
        ack_wait: Duration,
        max_ack_pending: u32,
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
                "max_ack_pending": max_ack_pending,
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

    async fn purge_jobs(&self) -> Result<(), LinkError> {
        let filter = json!({ "filter": subjects::job(&self.run) });
        call(&self.client, &format!("STREAM.PURGE.{JOBS}"), &filter).await?;
        Ok(())
    }

    async fn backlog(&mut self) -> Result<u64, LinkError> {
        let filter = subjects::results_of(&self.run);
        self.ensure_consumer(RESULTS, &filter, RESULT_ACK_WAIT, 500_000)
            .await?;
        let filter = subjects::job(&self.run);
        let queue = self
            .ensure_consumer(JOBS, &filter, JOB_ACK_WAIT, 100_000)
            .await?;
        Ok(number(&queue, "num_pending") + number(&queue, "num_ack_pending"))
    }

    async fn waiting_results(&self) -> Result<u64, LinkError> {
        let name = format!("CONSUMER.INFO.{RESULTS}.{}", self.run);
        Ok(number(
            &call(&self.client, &name, &Value::Null).await?,
            "num_pending",
        ))
    }

    fn publish(&self, bytes: Vec<u8>) -> impl Future<Output = ()> + Send + 'static {
        put_until_stored(self.client.clone(), subjects::job(&self.run), bytes)
    }

    async fn announce(&self, bytes: Vec<u8>, process: ProcessId) -> Result<(), LinkError> {
        let mut headers = HeaderMap::new();
        headers.insert(PROCESS, process.to_string());
        let subject = subjects::run(&self.run);
        let sent = self
            .client
            .publish_with_headers(subject, headers, bytes.into());
        sent.await.map_err(|error| cannot_publish(&error))
    }

    async fn request_statuses(&self) -> Result<(), LinkError> {
        self.publish_to(ASK.to_string(), Vec::new()).await
    }

    async fn stop(&self, bytes: Vec<u8>) -> Result<(), LinkError> {
        self.publish_to(subjects::stop(&self.run), bytes).await
    }

    async fn next(&mut self) -> ToRunner<Subject> {
        loop {
            if !self.results.is_open() {
                if let Some(time) = self.retry_at {
                    // Other messages are received meanwhile.
                    tokio::select! {
                        () = sleep_until(time) => self.retry_at = None,
                        message = self.heard.next() => return message,
                        change = change(&mut self.events) => return ToRunner::Connection(change),
                    }
                    continue;
                }
                self.results.request(self.run.as_str(), BATCH, WAIT).await;
            }
            let pulled = tokio::select! {
                pulled = self.results.next() => pulled,
                message = self.heard.next() => return message,
                change = change(&mut self.events) => return ToRunner::Connection(change),
            };
            match pulled {
                Pulled::Ended { is_refused, .. } => {
                    self.retry_at = is_refused.then(|| Instant::now() + RETRY);
                }
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
        self.publish_to(receipt.to_string(), b"+ACK".to_vec()).await
    }

    fn files(&self) -> NatsStore {
        NatsStore {
            client: self.client.clone(),
        }
    }

    async fn remove(&self) -> Result<(), LinkError> {
        self.purge_jobs().await?;
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

/// The store for the files of jobs, over NATS.
#[derive(Clone)]
pub(crate) struct NatsStore {
    client: Client,
}

impl FileStore for NatsStore {
    async fn parts(&self, sha256: &str) -> Result<Vec<u64>, LinkError> {
        let filter = json!({ "subjects_filter": subjects::parts_of(sha256) });
        let info = call(&self.client, &format!("STREAM.INFO.{FILES}"), &filter).await?;
        let stored = info.pointer("/state/subjects").and_then(Value::as_object);
        let numbers = stored.into_iter().flat_map(|map| map.keys());
        Ok(numbers
            .filter_map(|subject| subject.rsplit('.').next()?.parse().ok())
            .collect())
    }

    async fn put(&self, sha256: &str, chunk: u64, bytes: Vec<u8>) -> Result<(), LinkError> {
        put(&self.client, subjects::file(sha256, chunk), bytes).await
    }
}

impl NatsRunner {
    async fn publish_to(&self, subject: String, bytes: Vec<u8>) -> Result<(), LinkError> {
        let sent = self.client.publish(subject, bytes.into()).await;
        sent.map_err(|error| cannot_publish(&error))
    }
}

fn cannot_publish(error: &dyn std::fmt::Display) -> LinkError {
    LinkError::new("cannot publish a message", error)
}

/// The process that has sent a notice; `None` for another message, and for a notice of an
/// earlier version of `hone`.
fn process_of(notice: &Message) -> Option<ProcessId> {
    ProcessId::parse(notice.headers.as_ref()?.get(PROCESS)?.as_str())
}

/// The next change of the connection. Cancel safe.
async fn change(events: &mut mpsc::UnboundedReceiver<Event>) -> ConnectionChange {
    loop {
        match events.recv().await {
            None => std::future::pending().await,
            Some(Event::Connected) => return ConnectionChange::Up,
            Some(Event::Disconnected) => return ConnectionChange::Down,
            Some(event) if is_refusal(&event) => return ConnectionChange::Refused,
            Some(event) => tracing::info!("{event}"),
        }
    }
}

impl Heard {
    async fn of(client: &Client, run: &Name) -> Result<Self, LinkError> {
        Ok(Self {
            statuses: subscribe(client, subjects::ALL_WORKERS).await?,
            asks: [
                subscribe(client, ASK).await?,
                subscribe(client, ASK_RUNS).await?,
            ],
            notices: subscribe(client, &subjects::run(run)).await?,
        })
    }

    /// The next status, request or notice. Cancel safe.
    async fn next(&mut self) -> ToRunner<Subject> {
        let [of_all, of_runs] = &mut self.asks;
        loop {
            tokio::select! {
                status = self.statuses.next() => match status {
                    None => std::future::pending().await,
                    Some(message) => {
                        if let Some(worker) = subjects::worker_of(&message.subject) {
                            let bytes = message.payload.to_vec();
                            return ToRunner::Status { worker, bytes };
                        }
                    }
                },
                Some(notice) = self.notices.next() => {
                    if let Some(process) = process_of(&notice) {
                        return ToRunner::Announced(process);
                    }
                }
                Some(_) = of_runs.next() => return ToRunner::NoticeRequested,
                ask = of_all.next() => match ask {
                    None => std::future::pending().await,
                    Some(_) => return ToRunner::NoticeRequested,
                },
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::sleep;

    use super::super::connect::offline;
    use super::*;
    use crate::samples::name;

    #[tokio::test]
    async fn results_are_requested_again_while_other_messages_arrive() {
        let client = offline(100).await;
        let (sender, events) = mpsc::unbounded_channel();
        let results = Pull::new(client.clone(), RESULTS).await;
        let heard = Heard::of(&client, &name("run")).await;
        let mut runner = NatsRunner {
            run: name("run"),
            results: results.expect("a subscription"),
            heard: heard.expect("subscriptions"),
            events,
            retry_at: Some(Instant::now() + RETRY),
            client,
        };
        for _ in 0..100 {
            sender.send(Event::Connected).expect("a receiver");
            runner.next().await;
            if runner.results.is_open() {
                return;
            }
            sleep(RETRY / 10).await;
        }
        panic!("no request");
    }
}
