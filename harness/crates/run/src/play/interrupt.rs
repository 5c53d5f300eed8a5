//! Ctrl-C and termination signals.

use std::time::Duration;

use tokio::sync::mpsc;

use hone_base::platform::{on_interrupt, on_termination};

/// Time that [`Interrupts::is_requested`] leaves for pending signals to become requests.
const SIGNAL_DELAY: Duration = Duration::from_millis(20);

/// Requests to stop: after the first, pairs in flight are finished; a further one
/// stops at once. A termination signal counts as both.
#[derive(Debug)]
pub struct Interrupts {
    requests: mpsc::UnboundedReceiver<Request>,
    /// Whether there has been a request.
    is_requested: bool,
}

/// A request to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Request {
    /// Finish the pairs in flight.
    Finish,
    /// Stop now.
    Now,
}

impl Interrupts {
    /// Listens for signals from now on. Must be called inside a runtime.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn listen() -> std::io::Result<Self> {
        let (sender, requests) = mpsc::unbounded_channel();
        let terminated = sender.clone();
        on_termination(move || terminated.send(Request::Now).is_ok())?;
        on_interrupt(move || sender.send(Request::Finish).is_ok())?;
        Ok(Self::of(requests))
    }

    /// A source of no requests.
    pub fn none() -> Self {
        let (_, requests) = mpsc::unbounded_channel();
        Self::of(requests)
    }

    fn of(requests: mpsc::UnboundedReceiver<Request>) -> Self {
        Self {
            requests,
            is_requested: false,
        }
    }

    /// Whether there has been a request, also one that [`Self::next`] has returned, or while
    /// nothing was waiting for one.
    pub async fn is_requested(&mut self) -> bool {
        self.is_requested
            || tokio::time::timeout(SIGNAL_DELAY, self.next())
                .await
                .is_ok()
    }

    /// The next request. Cancel safe.
    pub async fn next(&mut self) -> Request {
        match self.requests.recv().await {
            Some(request) => {
                self.is_requested = true;
                request
            }
            None => std::future::pending().await,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_known_also_after_it_was_received() {
        let runtime = hone_base::platform::runtime().expect("a runtime");
        let (sender, requests) = mpsc::unbounded_channel();
        let mut interrupts = Interrupts::of(requests);
        runtime.block_on(async {
            assert!(!interrupts.is_requested().await);
            sender.send(Request::Finish).expect("received");
            assert_eq!(interrupts.next().await, Request::Finish);
            assert!(interrupts.is_requested().await);
        });
    }
}
