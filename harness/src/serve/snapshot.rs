//! A snapshot of a page in parts, so that a browser receives only changed parts. Every part is
//! rendered once, for any number of browsers.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use axum::body::Bytes;
use maud::Markup;
use serde_json::json;

/// A part of a page.
#[derive(Debug, Clone)]
pub(super) struct Part {
    /// Its name; the id of its element is `part-<name>`.
    pub name: String,
    /// The heading of its section; `None` above the sections.
    pub heading: Option<String>,
    pub html: Arc<str>,
    /// Hash of its HTML.
    pub hash: u64,
    /// The server-sent event with its HTML.
    pub event: Bytes,
}

/// A snapshot of a page.
#[derive(Debug, Clone, Default)]
pub(super) struct Snapshot {
    pub title: String,
    pub subtitle: String,
    /// Text of a link preview.
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

    /// A part with data for a script of the page instead of HTML.
    pub(super) fn data(name: &str, json: String) -> Self {
        Self::of(name, None, json, name)
    }

    fn of(name: &str, heading: Option<&str>, html: String, event: &str) -> Self {
        let mut hasher = DefaultHasher::new();
        html.hash(&mut hasher);
        // 52 bits, which a JavaScript number holds exactly, are enough.
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
