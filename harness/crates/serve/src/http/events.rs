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

use crate::opened::Viewer;
use crate::overview::Overview;
use crate::pages::assets;
use crate::snapshot::{Part, Snapshot};

/// Interval of keep-alive events, by which both ends detect a lost connection. They are events,
/// because scripts do not receive the comments of a stream.
const ALIVE: Duration = Duration::from_secs(15);

/// A page that changes.
pub(super) trait Pages: Clone + Send + Sync + 'static {
    fn snapshot(&self) -> &Snapshot;
}

impl Pages for Arc<Snapshot> {
    fn snapshot(&self) -> &Snapshot {
        self
    }
}

impl Pages for Arc<Overview> {
    fn snapshot(&self) -> &Snapshot {
        &self.snapshot
    }
}

struct Follower<P> {
    page: watch::Receiver<P>,
    ending: watch::Receiver<bool>,
    /// Hashes of the parts that the browser has.
    has: HashMap<String, u64>,
    /// The last event with the names of all parts.
    names: Bytes,
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
        .snapshot()
        .parts
        .iter()
        .filter(|part| known.contains(&part.hash))
        .map(|part| (part.name.clone(), part.hash))
        .collect();
    let follower = Follower {
        page,
        ending,
        has,
        names: Bytes::new(),
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
            let identity = self.page.borrow().snapshot().identity.clone();
            let mut first = format!(
                "retry: 2000\nevent: version\ndata: {version}\n\n\
                 event: page\ndata: {identity}\n\n"
            )
            .into_bytes();
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

    /// The parts that the browser does not have, and the names of all parts if these have
    /// changed.
    fn changed(&mut self) -> Bytes {
        let page = self.page.borrow_and_update().clone();
        let parts = &page.snapshot().parts;
        let mut events: Vec<&Bytes> = Vec::new();
        let names = names(parts);
        // Without parts, nothing has been read yet.
        if !parts.is_empty() && names != self.names {
            self.names = names;
            events.push(&self.names);
        }
        for part in parts {
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

/// The event with the names of a page's parts, by which the browser removes the others.
fn names(parts: &[Part]) -> Bytes {
    let names = parts.iter().filter(|part| !part.is_data);
    let names: Vec<&str> = names.map(|part| part.name.as_str()).collect();
    format!("event: parts\ndata: {}\n\n", names.join(" ")).into()
}

#[cfg(test)]
mod tests {
    use maud::html;
    use tokio::sync::Semaphore;

    use super::*;

    fn page(title: &str, parts: &[&str]) -> Arc<Snapshot> {
        let parts = parts.iter();
        let parts = parts.map(|name| Part::new(name, None, html! { p { (name) } }));
        Arc::new(Snapshot::new(title, "", String::new(), parts.collect()))
    }

    #[test]
    fn a_browser_gets_a_new_title_and_the_names_of_the_parts_that_are_left() {
        let (sender, receiver) = watch::channel(page("one", &["lead", "results"]));
        let place = Arc::new(Semaphore::new(1)).try_acquire_owned();
        let mut follower = Follower {
            page: receiver,
            ending: watch::channel(false).1,
            has: HashMap::new(),
            names: Bytes::new(),
            is_first: false,
            _place: place.expect("free"),
            _viewer: None,
        };
        let mut changed = || String::from_utf8(follower.changed().to_vec()).expect("text");
        let first = changed();
        assert!(
            first.starts_with("event: parts\ndata: header lead results\n\n"),
            "{first}"
        );
        assert_eq!(first.matches("event: part\n").count(), 3, "{first}");
        sender.send_replace(page("two", &["lead", "results"]));
        let renamed = changed();
        assert!(renamed.contains("<h1>two</h1>"), "{renamed}");
        assert_eq!(renamed.matches("event: ").count(), 1, "{renamed}");
        sender.send_replace(page("two", &["lead"]));
        assert_eq!(changed(), "event: parts\ndata: header lead\n\n");
        sender.send_replace(page("two", &["lead"]));
        assert_eq!(changed(), "");
    }
}
