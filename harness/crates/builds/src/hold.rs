//! Folders of the cache in use: as long as a process may start a build's engine or works in a
//! tree, no other process removes it.

use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hone_base::platform::{open_existing_lock, open_lock, process_mark};

/// Part of the name of a folder that is being removed; a unique suffix follows. No other
/// folder of the cache has a `~` in its name.
const REMOVED: &str = "~removed-";

/// Keeps a build in the cache by a shared lock on its record, until the last clone is
/// dropped. It has no effect on file systems without locks.
#[derive(Debug, Clone, Default)]
pub struct BuildHold {
    _record: Option<Arc<File>>,
}

impl BuildHold {
    /// Holds the build with this record, if it exists.
    pub(super) fn of(record: &Path) -> Self {
        let lock = || {
            let record = File::open(record).ok()?;
            record.lock_shared().ok()?;
            Some(Arc::new(record))
        };
        Self { _record: lock() }
    }
}

/// The lock is not part of an engine's identity: all are equal.
impl PartialEq for BuildHold {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for BuildHold {}

/// The right to remove a folder: the lock that its users take, if it has one.
#[derive(Debug, Default)]
pub(super) struct Claim {
    lock: Option<File>,
}

impl Claim {
    /// `None` if the build with this record is in use.
    pub(super) fn of_build(record: &Path) -> Option<Self> {
        let lock = open_existing_lock(record).ok();
        match lock.as_ref().map(File::try_lock) {
            Some(Err(TryLockError::WouldBlock)) => None,
            _ => Some(Self { lock }),
        }
    }

    /// `None` if another process has the lock of a work tree, or the tree does not exist.
    pub(super) fn of_tree(lock: &Path) -> Option<Self> {
        let lock = open_lock(lock).ok()?;
        lock.try_lock().ok()?;
        Some(Self { lock: Some(lock) })
    }

    /// Removes the folder. It gets another name first, so that no process finds a part of
    /// it. Returns `false` if it is gone or was taken meanwhile.
    ///
    /// # Errors
    /// Those of the file system.
    pub(super) fn remove(self, dir: &Path) -> io::Result<bool> {
        // Windows does not rename a folder that has an open file.
        let _held = self.lock.filter(|_| cfg!(unix));
        let renamed = with_suffix(dir, &format!("{REMOVED}{}", process_mark()));
        match fs::rename(dir, &renamed) {
            Ok(()) => remove_all(&renamed).map(|_| true),
            // A new build may take its place at any time, so nothing more is removed.
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
            Err(error) if is_in_use(&error) => Ok(false),
            // A full disk may have no room for the name.
            Err(_) => remove_all(dir),
        }
    }
}

/// Whether a folder was not renamed because another process has opened a file in it.
fn is_in_use(error: &io::Error) -> bool {
    const SHARING_VIOLATION: i32 = 32;
    cfg!(windows)
        && (error.kind() == ErrorKind::PermissionDenied
            || error.raw_os_error() == Some(SHARING_VIOLATION))
}

/// Whether a folder is one that a process is removing, or has left unfinished.
pub(super) fn is_being_removed(dir: &Path) -> bool {
    let name = dir.file_name().unwrap_or_default();
    name.to_string_lossy().contains(REMOVED)
}

/// Removes a folder. Returns `false` if another process was faster.
///
/// # Errors
/// Those of the file system.
pub(super) fn remove_all(dir: &Path) -> io::Result<bool> {
    match fs::remove_dir_all(dir) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

fn with_suffix(dir: &Path, suffix: &str) -> PathBuf {
    let mut name = dir.file_name().unwrap_or_default().to_os_string();
    name.push(suffix);
    dir.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_gets_a_work_tree_that_is_being_removed() {
        let parent = tempfile::tempdir().unwrap();
        let tree = parent.path().join("tree");
        fs::create_dir(&tree).unwrap();
        let lock = tree.join("lock");
        let claim = Claim::of_tree(&lock).unwrap();
        assert!(Claim::of_tree(&lock).is_none());
        assert!(claim.remove(&tree).unwrap());
        assert!(Claim::of_tree(&lock).is_none(), "it does not exist");
        assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_folder_that_another_process_has_removed_is_not_an_error() {
        let parent = tempfile::tempdir().unwrap();
        let gone = parent.path().join("build");
        assert!(!Claim::default().remove(&gone).unwrap());
        assert!(!remove_all(&gone).unwrap());
    }
}
