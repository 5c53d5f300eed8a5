//! The connection of a worker, over NATS.

use std::time::Duration;

use async_nats::{Client, Event, Subject, Subscriber};
use futures_util::StreamExt;
use tokio::sync::mpsc;
use tokio::time::timeout;

use super::api::{put_until_stored, subscribe};
use super::denials::is_denial;
use super::pull::{Pull, Pulled};
use super::subjects::{self, ASK, ASK_RUNS, FILES, JOBS};
use crate::ids::{Name, WorkerId};
use crate::link::{FileSource, LinkError, ToWorker, WorkerLink};

/// Time limit for sending the last messages.
const FLUSH: Duration = Duration::from_secs(2);

/// One worker's connection.
pub(crate) struct NatsWorker {
    client: Client,
    id: WorkerId,
    jobs: Pull,
    /// The run of the open pull.
    pulled: Option<Name>,
    notices: Subscriber,
    stops: Subscriber,
    asks: Subscriber,
    watches: Subscriber,
    events: mpsc::UnboundedReceiver<Event>,
}

impl NatsWorker {
    /// # Errors
    /// If a subscription fails.
    pub(crate) async fn new(
        client: Client,
        id: WorkerId,
        events: mpsc::UnboundedReceiver<Event>,
    ) -> Result<Self, LinkError> {
        Ok(Self {
            notices: subscribe(&client, subjects::ALL_RUNS).await?,
            stops: subscribe(&client, subjects::ALL_STOPS).await?,
            asks: subscribe(&client, ASK).await?,
            watches: subscribe(&client, subjects::ALL_WATCHES).await?,
            jobs: Pull::new(client.clone(), JOBS).await?,
            client,
            id,
            pulled: None,
            events,
        })
    }

    async fn publish_to(&self, subject: impl Into<Subject>, bytes: Vec<u8>) {
        // This fails only once the client is closed, when the worker ends.
        let _ = self.client.publish(subject.into(), bytes.into()).await;
    }

    fn pull_ended(&mut self, jobs: usize) -> Option<ToWorker<Subject>> {
        let run = self.pulled.take()?;
        Some(ToWorker::PullEnded { run, jobs })
    }
}

impl WorkerLink for NatsWorker {
    type Delivery = Subject;
    type Files = NatsFiles;

    async fn next(&mut self) -> ToWorker<Subject> {
        loop {
            tokio::select! {
                pulled = self.jobs.next() => match pulled {
                    Pulled::Ended { messages, .. } => {
                        if let Some(ended) = self.pull_ended(messages) {
                            return ended;
                        }
                    }
                    Pulled::Message(message) => {
                        if let Some(delivery) = message.reply
                            && let Some(run) = subjects::last_name(&message.subject)
                        {
                            let bytes = message.payload.to_vec();
                            return ToWorker::Job { run, bytes, delivery };
                        }
                    }
                },
                Some(message) = self.notices.next() => {
                    if let Some(run) = subjects::last_name(&message.subject) {
                        return ToWorker::Notice { run, bytes: message.payload.to_vec() };
                    }
                }
                Some(message) = self.stops.next() => {
                    if let Some(run) = subjects::last_name(&message.subject) {
                        return ToWorker::StopOrder { run, bytes: message.payload.to_vec() };
                    }
                }
                Some(_) = self.asks.next() => return ToWorker::StatusRequested,
                Some(message) = self.watches.next() => {
                    if let Some(run) = subjects::last_name(&message.subject) {
                        return ToWorker::GamesRequested { run };
                    }
                }
                Some(event) = self.events.recv() => match event {
                    Event::Connected => return ToWorker::Connection { is_up: true },
                    Event::Disconnected => return ToWorker::Connection { is_up: false },
                    event if is_refusal(&event) => return ToWorker::CredentialRefused,
                    event if is_denial(&event) => {
                        return ToWorker::PermissionDenied { what: event.to_string() };
                    }
                    event => tracing::info!("{event}"),
                },
            }
        }
    }

    async fn pull(&mut self, run: &Name, jobs: usize, wait: Duration) {
        self.pulled = Some(run.clone());
        self.jobs.request(run.as_str(), jobs, wait).await;
    }

    async fn keep_alive(&self, delivery: &Subject) {
        self.publish_to(delivery.clone(), b"+WPI".to_vec()).await;
    }

    async fn done(&self, delivery: &Subject) {
        self.publish_to(delivery.clone(), b"+ACK".to_vec()).await;
    }

    async fn give_back(&self, delivery: &Subject) {
        self.publish_to(delivery.clone(), b"-NAK".to_vec()).await;
    }

    async fn give_back_for(&self, delivery: &Subject, time: Duration) {
        let answer = format!("-NAK {{\"delay\": {}}}", time.as_nanos());
        self.publish_to(delivery.clone(), answer.into_bytes()).await;
    }

    fn reply(&self, run: &Name, bytes: Vec<u8>) -> impl Future<Output = ()> + Send + 'static {
        put_until_stored(self.client.clone(), subjects::result(&self.id, run), bytes)
    }

    async fn send_status(&self, bytes: Vec<u8>) {
        self.publish_to(subjects::worker(&self.id), bytes).await;
    }

    async fn send_games(&self, run: &Name, bytes: Vec<u8>) {
        self.publish_to(subjects::board(&self.id, run), bytes).await;
    }

    async fn request_notices(&self) {
        self.publish_to(ASK_RUNS, Vec::new()).await;
    }

    fn files(&self) -> NatsFiles {
        NatsFiles {
            client: self.client.clone(),
        }
    }

    async fn flush(&self) {
        let _ = timeout(FLUSH, self.client.flush()).await;
    }
}

/// The files of jobs, over NATS.
pub(crate) struct NatsFiles {
    client: Client,
}

impl FileSource for NatsFiles {
    async fn chunk(&self, sha256: &str, chunk: u64) -> Result<Vec<u8>, LinkError> {
        let subject = subjects::file(sha256, chunk);
        let call = format!("$JS.API.DIRECT.GET.{FILES}.{subject}");
        let answer = self
            .client
            .request(call, Vec::new().into())
            .await
            .map_err(|error| LinkError::new("cannot fetch a file", error))?;
        match answer.status {
            None => Ok(answer.payload.to_vec()),
            Some(status) => Err(LinkError::new("the server does not have the file", status)),
        }
    }
}

/// Whether the server has refused the credential.
pub(super) fn is_refusal(event: &Event) -> bool {
    let text = event.to_string().to_lowercase();
    text.contains("authorization") || text.contains("authentication")
}
