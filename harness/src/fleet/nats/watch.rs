//! The notices of all runs and the statuses of all workers.

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

    /// What the games of runs are watched with.
    ///
    /// # Errors
    /// If the server refuses.
    #[cfg(feature = "serve")]
    pub(crate) async fn boards(&self) -> Result<BoardWatch, LinkError> {
        BoardWatch::new(self.client.clone()).await
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

/// Watches games on other machines.
#[cfg(feature = "serve")]
pub(crate) struct BoardWatch {
    client: Client,
    boards: Subscriber,
}

#[cfg(feature = "serve")]
impl BoardWatch {
    /// # Errors
    /// If the server refuses.
    pub(crate) async fn new(client: Client) -> Result<Self, LinkError> {
        let failed = |error| LinkError::new("cannot listen", error);
        let boards = client.subscribe(subjects::ALL_BOARDS).await;
        Ok(Self {
            boards: boards.map_err(failed)?,
            client,
        })
    }

    /// Asks the workers for the games of a run, for some seconds.
    pub(crate) async fn ask(&self, run: &Name) {
        // It fails only once the client is closed.
        let _ = self
            .client
            .publish(subjects::watch(run), Vec::new().into())
            .await;
    }

    /// The run, the worker, and what it sent; `None` once the client is closed.
    /// Cancel safe.
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
