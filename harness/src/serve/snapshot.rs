//! A page as it is now, in parts, so that a browser is sent only those that
//! have changed. Every part is written once, whatever the number of browsers.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use axum::body::Bytes;
use maud::Markup;
use serde_json::json;

/// A part of a page.
#[derive(Debug, Clone)]
pub(super) struct Part {
    /// Its element is `part-<name>`.
    pub name: String,
    /// The heading of its section; none if it stands above the sections.
    pub heading: Option<String>,
    pub html: Arc<str>,
    /// Changes with its HTML.
    pub hash: u64,
    /// As it is sent to a browser.
    pub event: Bytes,
}

/// A page as it is now.
#[derive(Debug, Clone, Default)]
pub(super) struct Snapshot {
    pub title: String,
    pub subtitle: String,
    /// What a preview of the page tells.
    pub description: String,
    pub parts: Vec<Part>,
    /// The same as JSON.
    pub json: Arc<str>,
    /// The workers of a run as JSON.
    pub workers: Arc<str>,
}

impl Part {
    pub(super) fn new(name: &str, heading: Option<&str>, html: Markup) -> Self {
        Self::of(name, heading, html.into_string(), "part")
    }

    /// Data for a script of the page, which is not HTML.
    pub(super) fn data(name: &str, json: String) -> Self {
        Self::of(name, None, json, name)
    }

    fn of(name: &str, heading: Option<&str>, html: String, event: &str) -> Self {
        let mut hasher = DefaultHasher::new();
        html.hash(&mut hasher);
        // A number that a script can hold without loss is long enough.
        let hash = hasher.finish() >> 12;
        let data = match event {
            "part" => {
                json!({ "name": name, "heading": heading, "html": html, "hash": hash }).to_string()
            }
            _ => html.replace('\n', " "),
        };
        Self {
            name: name.to_string(),
            heading: heading.map(str::to_string),
            html: html.into(),
            hash,
            event: format!("event: {event}\ndata: {data}\n\n").into(),
        }
    }
}
