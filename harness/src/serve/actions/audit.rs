//! `audit.jsonl`: who did what, and what came of it. Append-only.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use anyhow::Context;
use serde::Serialize;

const NAME: &str = "audit.jsonl";

/// The file of all actions.
#[derive(Debug)]
pub(crate) struct Audit(Mutex<File>);

/// An action, allowed or not.
#[derive(Debug, Serialize)]
pub(crate) struct Event<'a> {
    /// The owner of the token; none if it was missing or wrong.
    pub by: Option<&'a str>,
    /// The address of the browser.
    pub from: String,
    pub action: &'a str,
    pub run: &'a str,
    /// `ok`, or why not.
    pub outcome: &'a str,
}

#[derive(Serialize)]
struct Line<'a> {
    time: jiff::Timestamp,
    #[serde(flatten)]
    event: &'a Event<'a>,
}

impl Audit {
    /// Opens the file in a folder.
    ///
    /// # Errors
    /// Those of the file system.
    pub(crate) fn open(folder: &Path) -> anyhow::Result<Self> {
        let path = folder.join(NAME);
        let file = OpenOptions::new().append(true).create(true).open(&path);
        let file = file.with_context(|| format!("cannot write {}", path.display()))?;
        Ok(Self(Mutex::new(file)))
    }

    /// Adds an action.
    ///
    /// # Errors
    /// Those of the file system: what cannot be noted must not be done.
    pub(crate) fn note(&self, event: &Event<'_>) -> anyhow::Result<()> {
        let time = jiff::Timestamp::now();
        let mut line = serde_json::to_vec(&Line { time, event })?;
        line.push(b'\n');
        let mut file = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        file.write_all(&line)
            .and_then(|()| file.sync_data())
            .context("cannot write the audit log")
    }
}
