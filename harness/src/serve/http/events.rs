//! Server-sent events: the changed parts of a page. A slow browser skips intermediate states;
//! nothing is queued for it.

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use tokio::sync::{OwnedSemaphorePermit, watch};
use tokio::time::timeout;

use crate::serve::opened::Viewer;
use crate::serve::overview::Overview;
use crate::serve::pages::assets;
use crate::serve::snapshot::{Part, Snapshot};

/// Interval of keep-alive events, by which both ends detect a lost connection. They are events,
/// because scripts do not receive the comments of a stream.
const ALIVE: Duration = Duration::from_secs(15);

/// A page that changes.
pub(super) trait Pages: Clone + Send + Sync + 'static {
    fn parts(&self) -> &[Part];
}

impl Pages for Arc<Snapshot> {
    fn parts(&self) -> &[Part] {
        &self.parts
    }
}

impl Pages for Arc<Overview> {
    fn parts(&self) -> &[Part] {
        &self.snapshot.parts
    }
}

struct Follower<P> {
    page: watch::Receiver<P>,
    ending: watch::Receiver<bool>,
    /// Hashes of the parts that the browser has.
    has: HashMap<String, u64>,
    is_first: bool,
    _place: OwnedSemaphorePermit,
    _viewer: Option<Viewer>,
}

/// The stream of a page's changes. `have` lists the hashes of the parts that the browser has,
/// separated by dots.
pub(super) fn events<P: Pages>(
    page: watch::Receiver<P>,
    have: &str,
    ending: watch::Receiver<bool>,
    place: OwnedSemaphorePermit,
    viewer: Option<Viewer>,
) -> Response {
    let known: Vec<u64> = have
        .split('.')
        .filter_map(|hash| hash.parse().ok())
        .collect();
    let has = page
        .borrow()
        .parts()
        .iter()
        .filter(|part| known.contains(&part.hash))
        .map(|part| (part.name.clone(), part.hash))
        .collect();
    let follower = Follower {
        page,
        ending,
        has,
        is_first: true,
        _place: place,
        _viewer: viewer,
    };
    let changes = stream::unfold(follower, |mut follower| async move {
        let bytes = follower.next().await?;
        Some((Ok::<Bytes, Infallible>(bytes), follower))
    });
    let headers = [
        (CONTENT_TYPE, "text/event-stream"),
        (CACHE_CONTROL, "no-store"),
    ];
    (headers, Body::from_stream(changes)).into_response()
}

impl<P: Pages> Follower<P> {
    /// The next bytes to send; `None` once the page is closed.
    async fn next(&mut self) -> Option<Bytes> {
        if std::mem::take(&mut self.is_first) {
            let version = &assets::script().address;
            let mut first =
                format!("retry: 2000\nevent: version\ndata: {version}\n\n").into_bytes();
            first.extend_from_slice(&self.changed());
            return Some(first.into());
        }
        loop {
            let change = tokio::select! {
                change = timeout(ALIVE, self.page.changed()) => change,
                _ = self.ending.wait_for(|ending| *ending) => return None,
            };
            match change {
                // The browser requests the page again, which reads it again.
                Ok(Err(_)) => return None,
                Err(_) => return Some(Bytes::from_static(b"event: alive\ndata: {}\n\n")),
                Ok(Ok(())) => {}
            }
            let changed = self.changed();
            if !changed.is_empty() {
                return Some(changed);
            }
        }
    }

    /// The parts that the browser does not have.
    fn changed(&mut self) -> Bytes {
        let page = self.page.borrow_and_update().clone();
        let mut events: Vec<&Bytes> = Vec::new();
        for part in page.parts() {
            if self.has.insert(part.name.clone(), part.hash) != Some(part.hash) {
                events.push(&part.event);
            }
        }
        match &events[..] {
            // Shared by all browsers.
            [one] => (*one).clone(),
            several => several
                .iter()
                .flat_map(|event| event.iter().copied())
                .collect(),
        }
    }
}
