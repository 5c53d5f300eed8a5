//! `builds.csv`: the results of the commits' builds.

#![cfg_attr(not(test), warn(clippy::expect_used, clippy::indexing_slicing))]
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects, clippy::cast_possible_truncation))]

use std::path::Path;

use serde::{Deserialize, Serialize};

use hone_experiment::bisect::{BuildOutcome, Fingerprint};
use hone_run::files::table::{self, Table};

/// The results of the commits' builds, in the run's folder: a part of its
/// ledger, because commits that do not build change what is played.
const BUILDS_CSV: &str = "builds.csv";

/// A row of `builds.csv`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct BuildRow {
    /// Number of the commit in the history, from 0.
    pub(super) number: usize,
    pub(super) commit: String,
    /// Pairs absorbed before the build.
    pub(super) pairs: u64,
    /// Empty if it does not build.
    pub(super) sha256: String,
    /// The node count of its `bench`, if it has that command.
    pub(super) bench: Option<u64>,
    /// Why it cannot play.
    pub(super) reason: String,
}

impl BuildRow {
    /// The outcome of the build. If games depend on the engine's speed, an equal bench is not
    /// evidence, and it is left out.
    pub(super) fn outcome(&self, is_timed: bool) -> BuildOutcome {
        if self.sha256.is_empty() {
            return BuildOutcome::Skipped;
        }
        BuildOutcome::Built(Fingerprint {
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
    table::rows(&dir.join(BUILDS_CSV))
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

/// Appends a row, in one line, and syncs it to the disk before games depend on it.
///
/// # Errors
/// Those of the file system, and if the table is damaged.
pub(super) fn append(dir: &Path, row: &BuildRow) -> anyhow::Result<()> {
    let row = BuildRow {
        reason: row.reason.lines().collect::<Vec<_>>().join(" | "),
        ..row.clone()
    };
    let (mut builds, _) = Table::open::<BuildRow>(dir.join(BUILDS_CSV))?;
    builds.append(&row)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn row(number: usize, reason: &str) -> BuildRow {
        BuildRow {
            number,
            commit: "4".repeat(40),
            pairs: 8,
            sha256: String::new(),
            bench: None,
            reason: reason.to_string(),
        }
    }

    /// Messages of compilers may be in any language.
    #[test]
    fn rows_follow_the_whole_ones_of_a_torn_table() {
        let folder = tempfile::tempdir().expect("a folder");
        let dir = folder.path();
        let path = dir.join(BUILDS_CSV);
        append(dir, &row(3, "Fehler:\n\"größe\" fehlt")).expect("written");
        let first = row(3, "Fehler: | \"größe\" fehlt");
        let whole = fs::read(&path).expect("there");
        append(dir, &row(5, "\"ü\"")).expect("written");
        let text = fs::read(&path).expect("there");
        for len in whole.len()..text.len() {
            fs::write(&path, &text[..len]).expect("written");
            let rows = read(dir).expect("read");
            assert_eq!(rows, std::slice::from_ref(&first), "{len} bytes");
            append(dir, &row(7, "late")).expect("written");
            let rows = read(dir).expect("read");
            assert_eq!(rows, [first.clone(), row(7, "late")], "{len} bytes");
        }
    }
}
