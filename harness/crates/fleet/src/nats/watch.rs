//! The notices of all runs and the statuses of all workers.

use std::time::Duration;

use async_nats::connection::State;
use async_nats::{Client, Event, Subscriber};
use futures_util::StreamExt;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::{Instant, timeout_at};

use super::api::subscribe;
use super::denials;
use super::subjects::{self, ALL_RUNS, ALL_WORKERS, ASK};
use crate::ids::{Name, WorkerId};
use crate::link::LinkError;

/// A status of a worker or a notice of a run.
pub(crate) enum FleetMessage {
    Worker { worker: WorkerId, bytes: Vec<u8> },
    Run { run: Name, bytes: Vec<u8> },
}

/// Receives the statuses and notices of the whole fleet.
pub(crate) struct Watch {
    client: Client,
    workers: Subscriber,
    runs: Subscriber,
    events: UnboundedReceiver<Event>,
}

impl Watch {
    /// `events`: the changes of the client's connection.
    ///
    /// # Errors
    /// If the client is closed.
    pub(crate) async fn new(
        client: Client,
        events: UnboundedReceiver<Event>,
    ) -> Result<Self, LinkError> {
        Ok(Self {
            workers: subscribe(&client, ALL_WORKERS).await?,
            runs: subscribe(&client, ALL_RUNS).await?,
            client,
            events,
        })
    }

    /// Requests all statuses and notices, and collects those that arrive within `time`.
    ///
    /// # Errors
    /// If the request cannot be sent, or the server denies it or the answers.
    pub(crate) async fn collect(&mut self, time: Duration) -> Result<Vec<FleetMessage>, LinkError> {
        let sent = self.client.publish(ASK, Vec::new().into()).await;
        sent.map_err(|error| LinkError::new("cannot publish a message", error))?;
        let deadline = Instant::now() + time;
        let mut messages = Vec::new();
        while let Ok(next) = timeout_at(deadline, self.next()).await {
            messages.extend(next);
        }
        let needed = [ALL_WORKERS, ALL_RUNS, ASK];
        let mut denials = denials::arrived(&mut self.events);
        match denials.find(|denial| denials::is_about(denial, &needed)) {
            Some(denial) => Err(denials::error(&denial)),
            None => Ok(messages),
        }
    }

    /// Receives the games of runs.
    ///
    /// # Errors
    /// If the server refuses.
    pub(crate) async fn boards(&self) -> Result<BoardWatch, LinkError> {
        BoardWatch::new(self.client.clone()).await
    }

    /// Whether the client is connected to the server.
    pub(crate) fn is_connected(&self) -> bool {
        self.client.connection_state() == State::Connected
    }

    async fn next(&mut self) -> Option<FleetMessage> {
        tokio::select! {
            Some(message) = self.workers.next() => {
                let worker = subjects::worker_of(&message.subject)?;
                Some(FleetMessage::Worker { worker, bytes: message.payload.to_vec() })
            }
            Some(message) = self.runs.next() => {
                let run = subjects::last_name(&message.subject)?;
                Some(FleetMessage::Run { run, bytes: message.payload.to_vec() })
            }
        }
    }
}

/// Receives the games of workers while they are played.
pub(crate) struct BoardWatch {
    client: Client,
    boards: Subscriber,
}

impl BoardWatch {
    /// # Errors
    /// If the server refuses.
    pub(crate) async fn new(client: Client) -> Result<Self, LinkError> {
        Ok(Self {
            boards: subscribe(&client, subjects::ALL_BOARDS).await?,
            client,
        })
    }

    /// Requests the games of a run; the workers send them for some seconds.
    pub(crate) async fn request(&self, run: &Name) {
        // This fails only once the client is closed.
        let _ = self
            .client
            .publish(subjects::watch(run), Vec::new().into())
            .await;
    }

    /// The next message with its run and worker; `None` once the client is closed. Cancel
    /// safe.
    pub(crate) async fn next(&mut self) -> Option<(Name, WorkerId, Vec<u8>)> {
        loop {
            let message = self.boards.next().await?;
            let run = subjects::last_name(&message.subject);
            if let (Some(run), Some(worker)) = (run, subjects::worker_of(&message.subject)) {
                return Some((run, worker, message.payload.to_vec()));
            }
        }
    }
}
