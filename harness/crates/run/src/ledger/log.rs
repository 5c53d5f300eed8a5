//! An append-only file.

#![cfg_attr(not(test), warn(clippy::expect_used, clippy::indexing_slicing))]
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects, clippy::cast_possible_truncation))]

use std::fs::{File, OpenOptions};
use std::io::{self, Seek};
use std::path::{Path, PathBuf};

use super::error::LedgerError;
use hone_base::platform::{append_whole, is_same_file, set_len};

/// An append-only file.
#[derive(Debug)]
pub(super) struct Log {
    pub(super) path: PathBuf,
    pub(super) file: File,
    pub(super) len: u64,
}

impl Log {
    /// Opens a file, and makes it if `create` is set.
    pub(super) fn open(dir: &Path, name: &str, create: bool) -> Result<Self, LedgerError> {
        let path = dir.join(name);
        let open = || {
            let file = OpenOptions::new()
                .read(true)
                .append(true)
                .create(create)
                .open(&path)?;
            let len = file.metadata()?.len();
            io::Result::Ok((file, len))
        };
        match open() {
            Ok((file, len)) => Ok(Self { path, file, len }),
            Err(error) if !create && error.kind() == io::ErrorKind::NotFound => {
                Err(LedgerError::missing(&path))
            }
            Err(source) => Err(LedgerError::Io { path, source }),
        }
    }

    pub(super) fn error(&self, source: io::Error) -> LedgerError {
        LedgerError::Io {
            path: self.path.clone(),
            source,
        }
    }

    /// Appends bytes. If that fails after a part of them, removes this part.
    pub(super) fn append(&mut self, bytes: &[u8]) -> Result<(), LedgerError> {
        append_whole(&self.file, &self.path, self.len, bytes)
            .map_err(|source| self.error(source))?;
        self.len = self.len.saturating_add(bytes.len() as u64);
        Ok(())
    }

    pub(super) fn truncate(&mut self, len: u64) -> Result<(), LedgerError> {
        if len != self.len {
            set_len(&self.file, &self.path, len).map_err(|source| self.error(source))?;
            self.len = len;
        }
        Ok(())
    }

    /// Whether its path still names the open file.
    pub(super) fn is_in_place(&self) -> bool {
        is_same_file(&self.file, &self.path).unwrap_or(false)
    }

    /// Writes a deleted file again. Fails if another file has its path.
    pub(super) fn restore(&mut self) -> io::Result<()> {
        let mut copy = OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(&self.path)?;
        self.file.rewind()?;
        io::copy(&mut self.file, &mut copy)?;
        copy.sync_all()
    }
}
