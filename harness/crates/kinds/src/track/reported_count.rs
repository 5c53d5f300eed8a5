//! The number of nights that an exit code has reported. If a process is killed or interrupted
//! after it has played a night, the next process reports that night.

#![cfg_attr(not(test), warn(clippy::expect_used, clippy::indexing_slicing))]
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects, clippy::cast_possible_truncation))]

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use hone_base::diagnostic::Diagnostic;
use hone_base::platform::{holder_in_words, lock_file};

/// The number of rows of the table that were reported, in the file that is
/// locked while a process plays nights.
#[derive(Debug)]
pub(super) struct Reported {
    path: PathBuf,
    file: File,
}

impl Reported {
    /// Takes the lock.
    ///
    /// # Errors
    /// If another process has it.
    pub(super) fn lock(path: &Path) -> anyhow::Result<Self> {
        let open = || {
            OpenOptions::new()
                .read(true)
                .write(true)
                .create(true)
                .truncate(false)
                .open(path)
        };
        let file = open().with_context(|| format!("cannot open {}", path.display()))?;
        match lock_file(&file) {
            Ok(()) => Ok(Self {
                path: path.to_path_buf(),
                file,
            }),
            Err(TryLockError::WouldBlock) => bail!(
                Diagnostic::new(format!(
                    "{} is in use by another `hone` process{}",
                    path.display(),
                    holder_in_words(&file)
                ))
                .help("wait until it ends, or stop it")
            ),
            Err(TryLockError::Error(error)) => {
                Err(error).with_context(|| format!("cannot lock {}", path.display()))
            }
        }
    }

    /// Number of the table's rows that have been reported; all `rows` if the file is empty.
    ///
    /// # Errors
    /// Those of the file system.
    pub(super) fn read(&mut self, rows: usize) -> anyhow::Result<usize> {
        let mut text = String::new();
        self.file
            .rewind()
            .and_then(|()| self.file.read_to_string(&mut text))
            .with_context(|| format!("cannot read {}", self.path.display()))?;
        if text.is_empty() {
            self.write(rows)?;
            return Ok(rows);
        }
        // Without a valid number, all nights are reported again rather than lost.
        Ok(text.trim().parse().unwrap_or(0).min(rows))
    }

    /// Stores the number of reported rows.
    ///
    /// # Errors
    /// Those of the file system.
    pub(super) fn write(&mut self, rows: usize) -> anyhow::Result<()> {
        let text = format!("{rows}\n");
        let mut write = || -> io::Result<()> {
            self.file.rewind()?;
            self.file.write_all(text.as_bytes())?;
            self.file.set_len(text.len() as u64)?;
            self.file.sync_data()
        };
        write().with_context(|| format!("cannot write {}", self.path.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_does_not_say_has_reported_its_nights() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("track.lock");
        let mut reported = Reported::lock(&path).expect("free");
        assert_eq!(reported.read(7).expect("reads"), 7);
        assert_eq!(reported.read(9).expect("reads"), 7);
        reported.write(12).expect("writes");
        assert_eq!(reported.read(13).expect("reads"), 12);
        // A truncated table has fewer rows.
        assert_eq!(reported.read(3).expect("reads"), 3);
        drop(reported);
        std::fs::write(&path, "x").expect("written");
        let mut damaged = Reported::lock(&path).expect("free");
        assert_eq!(damaged.read(5).expect("reads"), 0);
    }
}
