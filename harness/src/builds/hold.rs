//! Builds in use: as long as a process may start a build's engine, no other process
//! prunes it.

use std::fs::{File, TryLockError};
use std::path::Path;
use std::sync::Arc;

/// Keeps a build in the cache: a shared lock on its record, until the last
/// copy of this is dropped. Where the file system has no locks it keeps
/// nothing.
#[derive(Debug, Clone, Default)]
pub struct BuildHold {
    _record: Option<Arc<File>>,
}

impl BuildHold {
    /// Holds the build with this record, if there is one.
    pub(super) fn of(record: &Path) -> Self {
        let lock = || {
            let record = File::open(record).ok()?;
            record.lock_shared().ok()?;
            Some(Arc::new(record))
        };
        Self { _record: lock() }
    }
}

/// The held lock does not belong to an engine's identity.
impl PartialEq for BuildHold {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for BuildHold {}

/// The right to remove a build.
#[derive(Debug)]
pub(super) struct Claim {
    _record: Option<File>,
}

impl Claim {
    /// `None` if the build with this record is in use.
    pub(super) fn of(record: &Path) -> Option<Self> {
        // Some file systems lock only what can be written, Windows only what can
        // be read.
        let record = File::options().read(true).append(true).open(record).ok();
        match record.as_ref().map(File::try_lock) {
            Some(Err(TryLockError::WouldBlock)) => None,
            _ => Some(Self { _record: record }),
        }
    }
}
