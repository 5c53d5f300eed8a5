//! An append-only table in a run's folder: each row is on disk before anything
//! depends on it.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::run::machines::rows;

/// A table that is being written.
#[derive(Debug)]
pub(crate) struct Table {
    path: PathBuf,
    is_empty: bool,
}

impl Table {
    /// Opens a table, with its rows. One that a kill has torn is removed.
    ///
    /// # Errors
    /// Those of the file system.
    pub(crate) fn open<T: DeserializeOwned>(path: PathBuf) -> anyhow::Result<(Self, Vec<T>)> {
        repair(&path).with_context(|| format!("cannot use {}", path.display()))?;
        let rows: Vec<T> = rows(&path)?;
        let is_empty = rows.is_empty();
        Ok((Self { path, is_empty }, rows))
    }

    /// Adds a row; it is on disk when this returns.
    ///
    /// # Errors
    /// Those of the file system.
    pub(crate) fn append(&mut self, row: &impl Serialize) -> anyhow::Result<()> {
        let mut writer = csv::WriterBuilder::new()
            .has_headers(self.is_empty)
            .from_writer(Vec::new());
        writer.serialize(row)?;
        let bytes = writer.into_inner()?;
        let write = || {
            let mut file = File::options().create(true).append(true).open(&self.path)?;
            file.write_all(&bytes)?;
            file.sync_data()
        };
        write().with_context(|| format!("cannot write {}", self.path.display()))?;
        self.is_empty = false;
        Ok(())
    }
}

/// Removes what follows the last whole row, and a header without rows.
fn repair(path: &Path) -> std::io::Result<()> {
    let text = match std::fs::read(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        read => read?,
    };
    let ends = text.iter().filter(|byte| **byte == b'\n').count();
    let last = text.iter().rposition(|byte| *byte == b'\n');
    let whole = match (ends, last) {
        (2.., Some(at)) => at + 1,
        _ => 0,
    };
    if whole < text.len() {
        File::options()
            .write(true)
            .open(path)?
            .set_len(whole as u64)?;
    }
    Ok(())
}
