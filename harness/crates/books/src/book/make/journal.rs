//! The journal: a file with all judgements, so that an interrupted `hone book make` can
//! continue.

#![cfg_attr(not(test), warn(clippy::expect_used, clippy::indexing_slicing))]
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects, clippy::cast_possible_truncation))]

use std::{
    collections::HashMap,
    fs::{File, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
};

use thiserror::Error;

use super::judge::Judgement;
use hone_base::diagnostic::Diagnostic;
use hone_base::platform::set_len;

/// A text file next to the future book: the recipe in the first line, then one line for each
/// judgement with the draw and the score or `-`.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: File,
    /// The judgements of earlier sessions, by draw.
    known: HashMap<u64, Judgement>,
}

/// Why a journal cannot be used.
#[derive(Debug, Error)]
pub enum JournalError {
    #[error("cannot read {}: {source}", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("cannot write {}: {source}", path.display())]
    Write { path: PathBuf, source: io::Error },
    #[error("{0}")]
    Foreign(#[source] Diagnostic),
}

impl Journal {
    /// Opens the journal at `path` or creates it; `heading` identifies the recipe. An
    /// incomplete last line is dropped.
    ///
    /// # Errors
    /// See [`JournalError`].
    pub fn open(path: &Path, heading: &str) -> Result<Self, JournalError> {
        let failed = |source| JournalError::Write {
            path: path.to_owned(),
            source,
        };
        let mut whole = match std::fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(source) => {
                let path = path.to_owned();
                return Err(JournalError::Read { path, source });
            }
        };
        let end = whole.iter().rposition(|byte| *byte == b'\n');
        whole.truncate(end.map_or(0, |end| end.saturating_add(1)));
        let text = String::from_utf8_lossy(&whole);
        let mut lines = text.lines();
        let known = match lines.next() {
            Some(first) if first != heading => {
                let foreign = format!(
                    "{} belongs to another `hone book make` (other options, games or engine)",
                    path.display()
                );
                let help = "finish that one with its own options, or delete the file";
                return Err(JournalError::Foreign(Diagnostic::new(foreign).help(help)));
            }
            _ => lines.filter_map(read_line).collect(),
        };
        let mut file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(path)
            .map_err(failed)?;
        set_len(&file, path, whole.len() as u64).map_err(failed)?;
        if whole.is_empty() {
            writeln!(file, "{heading}").map_err(failed)?;
        }
        let path = path.to_owned();
        Ok(Self { path, file, known })
    }

    /// Number of earlier judgements that have not been taken.
    pub fn known(&self) -> usize {
        self.known.len()
    }

    /// Takes an earlier judgement.
    pub(super) fn take(&mut self, draw: u64) -> Option<Judgement> {
        self.known.remove(&draw)
    }

    /// Adds a judgement.
    ///
    /// # Errors
    /// [`JournalError::Write`], for instance if the disk is full.
    pub fn add(&mut self, draw: u64, judgement: Judgement) -> Result<(), JournalError> {
        let line = match judgement {
            Judgement::Unfit => format!("{draw} -\n"),
            Judgement::Score(score) => format!("{draw} {score}\n"),
        };
        self.file
            .write_all(line.as_bytes())
            .map_err(|source| JournalError::Write {
                path: self.path.clone(),
                source,
            })
    }

    /// Removes the journal once the book is written.
    ///
    /// # Errors
    /// [`JournalError::Write`].
    pub fn remove(self) -> Result<(), JournalError> {
        std::fs::remove_file(&self.path).map_err(|source| JournalError::Write {
            path: self.path.clone(),
            source,
        })
    }
}

fn read_line(line: &str) -> Option<(u64, Judgement)> {
    let (draw, score) = line.split_once(' ')?;
    let judgement = match score {
        "-" => Judgement::Unfit,
        score => Judgement::Score(score.parse().ok()?),
    };
    Some((draw.parse().ok()?, judgement))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn judgements_come_back_and_a_torn_line_is_forgotten() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.partial");
        let mut journal = Journal::open(&path, "recipe").unwrap();
        assert_eq!(journal.known(), 0);
        journal.add(3, Judgement::Score(-12)).unwrap();
        journal.add(1, Judgement::Unfit).unwrap();
        drop(journal);
        let mut file = OpenOptions::new().append(true).open(&path).unwrap();
        file.write_all(b"7 1").unwrap();
        let mut journal = Journal::open(&path, "recipe").unwrap();
        assert_eq!(
            journal.known,
            HashMap::from([(3, Judgement::Score(-12)), (1, Judgement::Unfit)])
        );
        journal.add(7, Judgement::Score(15)).unwrap();
        let mut journal = Journal::open(&path, "recipe").unwrap();
        assert_eq!(journal.take(7), Some(Judgement::Score(15)));
        assert_eq!(journal.take(7), None);
        journal.remove().unwrap();
        assert!(!path.exists());
    }

    #[test]
    fn a_heading_torn_within_a_character_is_written_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.partial");
        let torn = "größer".as_bytes();
        std::fs::write(&path, &torn[..3]).unwrap();
        let mut journal = Journal::open(&path, "größer").unwrap();
        assert_eq!(journal.known(), 0);
        journal.add(3, Judgement::Unfit).unwrap();
        let journal = Journal::open(&path, "größer").unwrap();
        assert_eq!(journal.known, HashMap::from([(3, Judgement::Unfit)]));
    }

    #[test]
    fn a_journal_that_cannot_be_read_is_not_called_unwritable() {
        let folder = tempfile::tempdir().unwrap();
        let error = Journal::open(folder.path(), "recipe").unwrap_err();
        assert!(matches!(error, JournalError::Read { .. }), "{error}");
    }

    #[test]
    fn the_journal_of_other_work_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.partial");
        Journal::open(&path, "one").unwrap();
        let error = Journal::open(&path, "two").unwrap_err();
        assert!(matches!(error, JournalError::Foreign(_)), "{error}");
    }
}
