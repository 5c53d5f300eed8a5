//! A finished pair whose result is deferred: writing it to the ledger must not
//! cost an engine clock time.

use tokio::sync::mpsc::UnboundedSender;

use crate::executor::{Event, PlayedPair};

/// Holds back a pair from its end until the next game's first `go` is on its
/// way, or until an engine is started or takes its time to get ready for it: the
/// thread that writes the ledger would otherwise wake up between the games.
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

    pub(super) fn put(&mut self, pair: PlayedPair) {
        self.send();
        self.finished = Some(Box::new(pair));
    }

    /// Hands over the pair, if one is deferred.
    pub(super) fn send(&mut self) {
        if let Some(pair) = self.finished.take() {
            // The receiver is gone only when the run is over.
            let _ = self.events.send(Event::Played(pair));
        }
    }
}
