//! A snapshot of a page in parts, so that a browser receives only changed parts. Every part is
//! rendered once, for any number of browsers.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use axum::body::Bytes;
use maud::{Markup, html};
use serde_json::json;

use hone_base::text::without_direction;

/// A part of a page.
#[derive(Debug, Clone)]
pub(super) struct Part {
    /// Its name; the id of its element is `part-<name>`.
    pub name: String,
    /// The heading of its section; `None` above the sections.
    pub heading: Option<String>,
    pub html: Arc<str>,
    /// Whether it has data for a script of the page instead of HTML.
    pub is_data: bool,
    /// Hash of its content.
    pub hash: u64,
    /// The server-sent event with its content.
    pub event: Bytes,
}

/// Name of the part with the title and the subtitle.
pub(super) const HEADER: &str = "header";

/// A snapshot of a page.
#[derive(Debug, Clone, Default)]
pub(super) struct Snapshot {
    /// What the page shows: another run at the same address has another identity.
    pub identity: String,
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

impl Snapshot {
    /// A page with these parts below its title and subtitle.
    pub(super) fn new(title: &str, subtitle: &str, description: String, parts: Vec<Part>) -> Self {
        let header = html! {
            h1 { (title) }
            p.subtitle { (subtitle) }
        };
        let header = Part::new(HEADER, None, header);
        Self {
            title: title.to_string(),
            subtitle: subtitle.to_string(),
            description,
            parts: std::iter::once(header).chain(parts).collect(),
            ..Self::default()
        }
    }
}

impl Part {
    pub(super) fn new(name: &str, heading: Option<&str>, html: Markup) -> Self {
        let html = without_direction(&html.0).into_owned();
        Self::of(name, heading, html, "part")
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
            is_data: event != "part",
            hash,
            event: format!("event: {event}\ndata: {data}\n\n").into(),
        }
    }
}
