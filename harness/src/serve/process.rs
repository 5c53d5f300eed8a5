//! Whether a process plays a run.

use std::fs::{File, TryLockError};
use std::path::Path;

use crate::ledger::GAMES_CSV;

/// Whether a process has locked the ledger of the run in a folder. It is
/// locked for a moment to find out, and shared with other readers: a process
/// that wants it tries for longer than that.
pub(super) fn is_played(run: &Path) -> bool {
    let locked = File::open(run.join(GAMES_CSV)).map(|file| file.try_lock_shared());
    matches!(locked, Ok(Err(TryLockError::WouldBlock)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_locked_ledger_is_being_played() {
        let dir = tempfile::tempdir().expect("a folder");
        assert!(!is_played(dir.path()));
        let file = File::create(dir.path().join(GAMES_CSV)).expect("made");
        assert!(!is_played(dir.path()));
        file.lock().expect("free");
        assert!(is_played(dir.path()));
        drop(file);
        assert!(!is_played(dir.path()));
    }
}
