//! An append-only CSV table in a run's folder, synced to disk.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::platform::write_whole;
use crate::run::files::table::{rows, whole_rows};

/// A table that is open for appending.
#[derive(Debug)]
pub(crate) struct Table {
    path: PathBuf,
    is_empty: bool,
    /// Rows that are not in the file yet.
    added: Vec<u8>,
}

impl Table {
    /// Opens a table and reads its rows. An incomplete last row, left by a kill, is
    /// removed. A table with the columns of an earlier version is rewritten with the
    /// current ones.
    ///
    /// # Errors
    /// Those of the file system.
    pub(crate) fn open<T: DeserializeOwned + Serialize>(
        path: PathBuf,
    ) -> anyhow::Result<(Self, Vec<T>)> {
        let failed = || format!("cannot use {}", path.display());
        repair(&path).with_context(failed)?;
        let rows: Vec<T> = rows(&path)?;
        if let Some(first) = rows.first() {
            let current = text(first, true)?;
            let current = current.split(|byte| *byte == b'\n').next();
            let content = std::fs::read(&path).with_context(failed)?;
            if content.split(|byte| *byte == b'\n').next() != current {
                rewrite(&path, &rows).with_context(failed)?;
            }
        }
        let table = Self {
            is_empty: rows.is_empty(),
            path,
            added: Vec::new(),
        };
        Ok((table, rows))
    }

    /// Adds a row and syncs it to disk.
    ///
    /// # Errors
    /// Those of the file system.
    pub(crate) fn append(&mut self, row: &impl Serialize) -> anyhow::Result<()> {
        self.add(row)?;
        self.sync()
    }

    /// Adds a row; it is on disk after [`Table::sync`].
    ///
    /// # Errors
    /// If it cannot be serialised as CSV.
    pub(crate) fn add(&mut self, row: &impl Serialize) -> anyhow::Result<()> {
        self.added.extend(text(row, self.is_empty)?);
        self.is_empty = false;
        Ok(())
    }

    /// Writes the added rows and syncs them to disk.
    ///
    /// # Errors
    /// Those of the file system.
    pub(crate) fn sync(&mut self) -> anyhow::Result<()> {
        if self.added.is_empty() {
            return Ok(());
        }
        let write = || {
            let mut file = File::options().create(true).append(true).open(&self.path)?;
            file.write_all(&self.added)?;
            file.sync_data()
        };
        write().with_context(|| format!("cannot write {}", self.path.display()))?;
        self.added.clear();
        Ok(())
    }
}

/// A row as CSV, after the names of the columns if `has_header`.
fn text(row: &impl Serialize, has_header: bool) -> anyhow::Result<Vec<u8>> {
    let mut writer = csv::WriterBuilder::new()
        .has_headers(has_header)
        .from_writer(Vec::new());
    writer.serialize(row)?;
    Ok(writer.into_inner()?)
}

fn rewrite(path: &Path, rows: &[impl Serialize]) -> anyhow::Result<()> {
    let mut all = Vec::new();
    for (number, row) in rows.iter().enumerate() {
        all.extend(text(row, number == 0)?);
    }
    write_whole(path, |file| Ok(file.write_all(&all)?))
}

/// Removes everything after the last complete row, and a header without rows.
fn repair(path: &Path) -> std::io::Result<()> {
    let text = match std::fs::read(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        read => read?,
    };
    let table = whole_rows(&text);
    let lines = table.iter().filter(|byte| **byte == b'\n').count();
    let whole = if lines > 1 { table.len() } else { 0 };
    if whole < text.len() {
        File::options()
            .write(true)
            .open(path)?
            .set_len(whole as u64)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Row {
        number: u32,
        #[serde(default)]
        newer: bool,
    }

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Note {
        pair: u32,
        reason: String,
    }

    fn row(number: u32) -> Row {
        Row {
            number,
            newer: number > 1,
        }
    }

    #[test]
    fn added_rows_are_written_by_sync_and_only_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("table.csv");
        let (mut table, rows) = Table::open::<Row>(path.clone()).expect("new");
        assert!(rows.is_empty());
        for number in 0..3 {
            table.add(&row(number)).expect("added");
        }
        assert!(!path.exists(), "nothing is written before it is synced");
        for _ in 0..2 {
            table.sync().expect("written");
            let (_, rows) = Table::open::<Row>(path.clone()).expect("read");
            assert_eq!(rows, [row(0), row(1), row(2)]);
        }
        table.append(&row(3)).expect("written");
        let (_, rows) = Table::open::<Row>(path).expect("read");
        assert_eq!(rows.len(), 4);
    }

    #[test]
    fn new_rows_follow_the_complete_rows_of_a_torn_table() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("table.csv");
        let row = |reason: &str| Note {
            pair: 7,
            reason: reason.to_string(),
        };
        let first = "7,it stopped\n";
        let torn = "7,\"it wrote:\n\"\"größer\"\"\n\"\n";
        for len in 0..torn.len() {
            let mut text = format!("pair,reason\n{first}").into_bytes();
            text.extend_from_slice(&torn.as_bytes()[..len]);
            std::fs::write(&path, text).expect("written");
            let (mut table, rows) = Table::open::<Note>(path.clone()).expect("read");
            assert_eq!(rows, [row("it stopped")], "{len} bytes");
            table.append(&row("late")).expect("written");
            let (_, rows) = Table::open::<Note>(path.clone()).expect("read");
            assert_eq!(rows, [row("it stopped"), row("late")], "{len} bytes");
        }
    }

    #[test]
    fn a_table_of_an_earlier_version_gets_the_new_columns() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("table.csv");
        std::fs::write(&path, "number\n0\n1\n").expect("written");
        let (mut table, rows) = Table::open::<Row>(path.clone()).expect("read");
        assert_eq!(rows, [row(0), row(1)]);
        table.append(&row(2)).expect("written");
        let (_, rows) = Table::open::<Row>(path).expect("read");
        assert_eq!(rows, [row(0), row(1), row(2)]);
    }
}
