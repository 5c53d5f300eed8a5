//! The identity of an engine's program. A run must not mix two builds: the file is checked
//! before and after each start.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use hone_base::checksum::sha256_file;
use hone_base::diagnostic::Diagnostic;
use hone_base::platform::FileId;
use hone_builds::BuildHold;

/// Why an engine must not be started.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ProgramError {
    #[error("{}: {source}", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("{0}")]
    Replaced(#[source] Diagnostic),
}

fn short(sha256: &str) -> &str {
    sha256.get(..12).unwrap_or(sha256)
}

/// The identity of a program.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProgramFile {
    /// In hexadecimal digits; not checked if empty.
    sha256: String,
    /// Metadata of the file when it was read. If they are unchanged, the file is not read
    /// again.
    #[serde(skip)]
    stamp: Option<Stamp>,
    /// Protects a build in the cache from being pruned.
    #[serde(skip)]
    hold: BuildHold,
}

/// Metadata that change with the content of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp {
    len: u64,
    modified: Option<SystemTime>,
    id: FileId,
}

impl Stamp {
    fn of(path: &Path) -> io::Result<Self> {
        let file = fs::metadata(path)?;
        Ok(Self {
            len: file.len(),
            modified: file.modified().ok(),
            id: FileId::of(&file),
        })
    }
}

impl ProgramFile {
    /// Identifies the program at `path`.
    ///
    /// # Errors
    /// Those of reading the file.
    pub fn identify(path: &Path, hold: BuildHold) -> io::Result<Self> {
        let stamp = Some(Stamp::of(path)?);
        let sha256 = sha256_file(path)?;
        Ok(Self {
            sha256,
            stamp,
            hold,
        })
    }

    /// The SHA-256 in hexadecimal digits.
    pub fn sha256(&self) -> &str {
        &self.sha256
    }

    /// Checks that the file at `path` is this program.
    ///
    /// # Errors
    /// [`ProgramError`].
    pub(super) fn check(&self, path: &Path) -> Result<(), ProgramError> {
        if self.sha256.is_empty() {
            return Ok(());
        }
        let unread = |source| ProgramError::Read {
            path: path.to_path_buf(),
            source,
        };
        if self.stamp == Some(Stamp::of(path).map_err(unread)?) {
            return Ok(());
        }
        let now = sha256_file(path).map_err(unread)?;
        if now == self.sha256 {
            return Ok(());
        }
        let what = format!(
            "{} is not the program that this run was started with (sha256 {} then, {} now)",
            path.display(),
            short(&self.sha256),
            short(&now)
        );
        let help = "restore the file and resume the run, or start a new run; an engine that is built from a commit (`git` in [[engine]]) is kept in the cache";
        Err(ProgramError::Replaced(Diagnostic::new(what).help(help)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_content_is_refused_and_another_file_with_the_same_content_is_not() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("engine");
        let other = folder.path().join("other");
        fs::write(&path, "one").expect("written");
        let program = ProgramFile::identify(&path, BuildHold::default()).expect("read");
        program.check(&path).expect("the same");
        fs::write(&other, "one").expect("written");
        fs::rename(&other, &path).expect("replaced");
        program.check(&path).expect("the same content");
        fs::write(&path, "two").expect("written");
        let error = program.check(&path).expect_err("another content");
        assert!(matches!(error, ProgramError::Replaced(_)), "{error}");
        fs::remove_file(&path).expect("removed");
        let error = program.check(&path).expect_err("no file");
        assert!(matches!(error, ProgramError::Read { .. }), "{error}");
    }
}
