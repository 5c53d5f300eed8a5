//! Whether a process plays a run.

use std::fs::{self, File, TryLockError};
use std::path::Path;

use crate::ledger::GAMES_CSV;

/// Whether a process has locked the ledger of the run in a folder. It is
/// locked for a moment to find out, and shared with other readers: a process
/// that wants it tries for longer than that.
pub(super) fn is_played(run: &Path) -> bool {
    let locked = File::open(run.join(GAMES_CSV)).map(|file| file.try_lock_shared());
    matches!(locked, Ok(Err(TryLockError::WouldBlock)))
}

/// The same for the whole run: its later stages and its verifying test have ledgers of
/// their own, in folders within.
pub(super) fn is_whole_run_played(run: &Path) -> bool {
    let folders = fs::read_dir(run).into_iter().flatten().flatten();
    is_played(run) || folders.into_iter().any(|folder| is_played(&folder.path()))
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

    #[test]
    fn a_run_is_played_while_its_later_stage_is() {
        let dir = tempfile::tempdir().expect("a folder");
        let stage = dir.path().join("stage-2");
        fs::create_dir(&stage).expect("made");
        File::create(dir.path().join(GAMES_CSV)).expect("made");
        let file = File::create(stage.join(GAMES_CSV)).expect("made");
        assert!(!is_whole_run_played(dir.path()));
        file.lock().expect("free");
        assert!(is_whole_run_played(dir.path()) && !is_played(dir.path()));
    }
}
