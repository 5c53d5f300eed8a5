//! Everything that runs and workers tell of themselves.

use std::time::Duration;

use async_nats::connection::State;
use async_nats::{Client, Subscriber};
use futures_util::StreamExt;
use tokio::time::{Instant, timeout_at};

use super::subjects::{self, ASK};
use crate::fleet::ids::{Name, WorkerId};
use crate::fleet::link::LinkError;

/// What was heard.
pub(crate) enum Heard {
    Worker { worker: WorkerId, bytes: Vec<u8> },
    Run { run: Name, bytes: Vec<u8> },
}

/// Listens to the whole fleet.
pub(crate) struct Watch {
    client: Client,
    workers: Subscriber,
    runs: Subscriber,
}

impl Watch {
    /// # Errors
    /// If the server refuses.
    pub(crate) async fn new(client: Client) -> Result<Self, LinkError> {
        let failed = |error| LinkError::new("cannot listen", error);
        Ok(Self {
            workers: client
                .subscribe(subjects::ALL_WORKERS)
                .await
                .map_err(failed)?,
            runs: client.subscribe(subjects::ALL_RUNS).await.map_err(failed)?,
            client,
        })
    }

    /// Asks everybody, and gathers what comes within a time.
    ///
    /// # Errors
    /// If nothing can be sent.
    pub(crate) async fn ask(&mut self, time: Duration) -> Result<Vec<Heard>, LinkError> {
        let sent = self.client.publish(ASK, Vec::new().into()).await;
        sent.map_err(|error| LinkError::new("cannot ask", error))?;
        let deadline = Instant::now() + time;
        let mut heard = Vec::new();
        while let Ok(next) = timeout_at(deadline, self.next()).await {
            heard.extend(next);
        }
        Ok(heard)
    }

    /// Whether the server could be asked just now.
    pub(crate) fn is_connected(&self) -> bool {
        self.client.connection_state() == State::Connected
    }

    async fn next(&mut self) -> Option<Heard> {
        tokio::select! {
            Some(message) = self.workers.next() => {
                let worker = subjects::worker_of(&message.subject)?;
                Some(Heard::Worker { worker, bytes: message.payload.to_vec() })
            }
            Some(message) = self.runs.next() => {
                let run = subjects::last_name(&message.subject)?;
                Some(Heard::Run { run, bytes: message.payload.to_vec() })
            }
        }
    }
}
