//! A finished pair whose result is sent later: writing it to the ledger must not cost an
//! engine clock time.

use tokio::sync::mpsc::UnboundedSender;

use crate::executor::{Event, PlayedPair};

/// Holds a finished pair until the first `go` of the next game is sent, or until an engine
/// is started or is slow to get ready: otherwise the thread that writes the ledger would
/// run between the games.
pub(super) struct DeferredResult {
    events: UnboundedSender<Event>,
    finished: Option<Box<PlayedPair>>,
}

impl DeferredResult {
    pub(super) fn new(events: UnboundedSender<Event>) -> Self {
        Self {
            events,
            finished: None,
        }
    }

    /// Defers a pair; sends the one before.
    pub(super) fn put(&mut self, pair: PlayedPair) {
        self.send();
        self.finished = Some(Box::new(pair));
    }

    /// Sends the deferred pair, if there is one.
    pub(super) fn send(&mut self) {
        if let Some(pair) = self.finished.take() {
            // Fails only when the run is over.
            let _ = self.events.send(Event::Played(pair));
        }
    }
}
