//! Builds in use: as long as a process may start a build's engine, no other process
//! prunes it.

use std::fs::{File, TryLockError};
use std::path::Path;
use std::sync::Arc;

use crate::platform::open_existing_lock;

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

/// The right to remove a build.
#[derive(Debug)]
pub(super) struct Claim {
    _record: Option<File>,
}

impl Claim {
    /// `None` if the build with this record is in use.
    pub(super) fn of(record: &Path) -> Option<Self> {
        let record = open_existing_lock(record).ok();
        match record.as_ref().map(File::try_lock) {
            Some(Err(TryLockError::WouldBlock)) => None,
            _ => Some(Self { _record: record }),
        }
    }
}
