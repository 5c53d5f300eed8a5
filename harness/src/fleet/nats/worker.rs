//! A worker, over NATS.

use std::time::Duration;

use async_nats::{Client, Event, Subject, Subscriber};
use futures_util::StreamExt;
use tokio::sync::mpsc;
use tokio::time::{sleep, timeout};

use super::api::put;
use super::pull::{Pull, Pulled};
use super::subjects::{self, ASK, ASK_RUNS, FILES, JOBS};
use crate::fleet::ids::{Name, WorkerId};
use crate::fleet::link::{FileSource, LinkError, ToWorker, WorkerLink};

const AGAIN: Duration = Duration::from_secs(1);
/// How long a farewell may take.
const FAREWELL: Duration = Duration::from_secs(2);

/// One worker's connection.
pub(crate) struct NatsWorker {
    client: Client,
    id: WorkerId,
    jobs: Pull,
    /// The run that was asked for jobs last.
    pulled: Option<Name>,
    notices: Subscriber,
    stops: Subscriber,
    asks: Subscriber,
    watches: Subscriber,
    events: mpsc::UnboundedReceiver<Event>,
}

impl NatsWorker {
    /// # Errors
    /// If the server does not let a worker listen.
    pub(crate) async fn new(
        client: Client,
        id: WorkerId,
        events: mpsc::UnboundedReceiver<Event>,
    ) -> Result<Self, LinkError> {
        let listen = async |subject: &str| {
            let subscribed = client.subscribe(subject.to_string()).await;
            subscribed.map_err(|error| LinkError::new("cannot listen", error))
        };
        Ok(Self {
            notices: listen(subjects::ALL_RUNS).await?,
            stops: listen(subjects::ALL_STOPS).await?,
            asks: listen(ASK).await?,
            watches: listen(subjects::ALL_WATCHES).await?,
            jobs: Pull::new(client.clone(), JOBS).await?,
            client,
            id,
            pulled: None,
            events,
        })
    }

    async fn tell(&self, subject: impl Into<Subject>, bytes: Vec<u8>) {
        // It fails only once the client is closed, which ends the worker.
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
                        return ToWorker::Stopped { run };
                    }
                }
                Some(_) = self.asks.next() => return ToWorker::StatusRequested,
                Some(message) = self.watches.next() => {
                    if let Some(run) = subjects::last_name(&message.subject) {
                        return ToWorker::Watched { run };
                    }
                }
                Some(event) = self.events.recv() => match event {
                    Event::Connected => return ToWorker::Connection { is_up: true },
                    Event::Disconnected => return ToWorker::Connection { is_up: false },
                    event if is_refusal(&event) => return ToWorker::Expelled,
                    event if is_denial(&event) => {
                        return ToWorker::Denied { what: event.to_string() };
                    }
                    event => tracing::info!("{event}"),
                },
            }
        }
    }

    async fn pull(&mut self, run: &Name, jobs: usize, wait: Duration) {
        self.pulled = Some(run.clone());
        self.jobs.ask(run.as_str(), jobs, wait).await;
    }

    async fn keep(&self, delivery: &Subject) {
        self.tell(delivery.clone(), b"+WPI".to_vec()).await;
    }

    async fn done(&self, delivery: &Subject) {
        self.tell(delivery.clone(), b"+ACK".to_vec()).await;
    }

    async fn give_back(&self, delivery: &Subject) {
        self.tell(delivery.clone(), b"-NAK".to_vec()).await;
    }

    fn reply(&self, run: &Name, bytes: Vec<u8>) -> impl Future<Output = ()> + Send + 'static {
        let client = self.client.clone();
        let subject = subjects::result(&self.id, run);
        async move {
            while let Err(error) = put(&client, subject.clone(), bytes.clone()).await {
                tracing::info!("a result is sent again: {error}");
                sleep(AGAIN).await;
            }
        }
    }

    async fn report(&self, bytes: Vec<u8>) {
        self.tell(subjects::worker(&self.id), bytes).await;
    }

    async fn show(&self, run: &Name, bytes: Vec<u8>) {
        self.tell(subjects::board(&self.id, run), bytes).await;
    }

    async fn ask(&self) {
        self.tell(ASK_RUNS, Vec::new()).await;
    }

    fn files(&self) -> NatsFiles {
        NatsFiles {
            client: self.client.clone(),
        }
    }

    async fn flush(&self) {
        let _ = timeout(FAREWELL, self.client.flush()).await;
    }
}

/// The files, over NATS.
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

/// Whether the server does not let the credential do something.
fn is_denial(event: &Event) -> bool {
    let text = event.to_string().to_lowercase();
    text.contains("permissions violation")
}

/// Whether the server has refused the credential.
pub(super) fn is_refusal(event: &Event) -> bool {
    let text = event.to_string().to_lowercase();
    text.contains("authorization") || text.contains("authentication")
}
