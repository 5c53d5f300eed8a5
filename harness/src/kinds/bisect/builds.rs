//! `builds.csv`: the results of the commits' builds.

#![cfg_attr(
    not(test),
    warn(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::indexing_slicing,
        clippy::string_slice,
        clippy::arithmetic_side_effects,
        clippy::cast_possible_truncation
    )
)]

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use anyhow::Context;
use serde::{Deserialize, Serialize};

use crate::experiment::bisect::{Fingerprint, Known};
use crate::platform::set_len;

/// The results of the commits' builds, in the run's folder: a part of its
/// ledger, because commits that do not build change what is played.
const BUILDS_CSV: &str = "builds.csv";

/// A row of `builds.csv`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct BuildRow {
    /// Number along the history, from 0.
    pub(super) number: usize,
    pub(super) commit: String,
    /// Pairs absorbed before.
    pub(super) pairs: u64,
    /// Empty if it does not build.
    pub(super) sha256: String,
    /// The node count of its `bench`, if it has that command.
    pub(super) bench: Option<u64>,
    /// Why it cannot play.
    pub(super) reason: String,
}

impl BuildRow {
    /// What it says of its commit. The bench is not evidence where games depend
    /// on the engine's speed.
    pub(super) fn known(&self, is_timed: bool) -> Known {
        if self.sha256.is_empty() {
            return Known::Skipped;
        }
        Known::Built(Fingerprint {
            sha256: self.sha256.clone(),
            bench: self.bench.filter(|_| !is_timed),
        })
    }
}

/// The rows so far.
///
/// # Errors
/// If the file cannot be read.
pub(super) fn read(dir: &Path) -> anyhow::Result<Vec<BuildRow>> {
    let path = dir.join(BUILDS_CSV);
    let text = match fs::read(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => {
            return Err(error).with_context(|| format!("cannot read {}", path.display()));
        }
    };
    let rows = csv::Reader::from_reader(whole_lines(&text)).into_deserialize();
    rows.collect::<Result<_, _>>()
        .with_context(|| format!("{} is damaged", path.display()))
}

/// The sha256 of a commit's program, if it was built in this run before.
///
/// # Errors
/// If the file cannot be read.
pub(super) fn program_sha256(dir: &Path, number: usize) -> anyhow::Result<Option<String>> {
    let mut rows = read(dir)?.into_iter();
    let built = rows.find(|row| row.number == number && !row.sha256.is_empty());
    Ok(built.map(|row| row.sha256))
}

/// What a kill cut off is left out.
fn whole_lines(text: &[u8]) -> &[u8] {
    let torn = text.rsplit(|byte| *byte == b'\n').next();
    text.strip_suffix(torn.unwrap_or_default()).unwrap_or(text)
}

fn open(dir: &Path) -> anyhow::Result<File> {
    let path = dir.join(BUILDS_CSV);
    let opened = || -> io::Result<File> {
        let mut file = OpenOptions::new().append(true).create(true).open(&path)?;
        let text = fs::read(&path)?;
        let whole = whole_lines(&text).len();
        set_len(&file, &path, whole as u64)?;
        if whole == 0 {
            file.write_all(b"number,commit,pairs,sha256,bench,reason\n")?;
        }
        Ok(file)
    };
    opened().with_context(|| format!("cannot write {}", path.display()))
}

/// Writes a row, in one line, and brings it to the disk before anything is
/// played that depends on it.
///
/// # Errors
/// Those of the file system.
pub(super) fn append(dir: &Path, row: &BuildRow) -> anyhow::Result<()> {
    let row = BuildRow {
        reason: row.reason.lines().collect::<Vec<_>>().join(" | "),
        ..row.clone()
    };
    let mut writer = csv::WriterBuilder::new()
        .has_headers(false)
        .from_writer(Vec::new());
    writer.serialize(row)?;
    let line = writer.into_inner().context("memory can be flushed")?;
    let mut builds = open(dir)?;
    builds
        .write_all(&line)
        .and_then(|()| builds.sync_data())
        .with_context(|| format!("cannot write {BUILDS_CSV}"))
}
