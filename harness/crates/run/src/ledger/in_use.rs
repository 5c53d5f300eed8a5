//! Whether a process plays a run.

use std::fs::{self, TryLockError};
use std::path::Path;

use super::files::GAMES_CSV;
use hone_base::platform::open_regular;

/// Whether a process has locked the ledger of the run in a folder. The check takes a shared
/// lock for a moment; a process that needs the lock retries for longer than that.
pub fn is_played(run: &Path) -> bool {
    let locked = open_regular(&run.join(GAMES_CSV)).map(|file| file.try_lock_shared());
    matches!(locked, Ok(Err(TryLockError::WouldBlock)))
}

/// The same for the whole run, including the ledgers of its later stages and its verifying test
/// in subfolders.
pub fn is_whole_run_played(run: &Path) -> bool {
    let folders = fs::read_dir(run).into_iter().flatten().flatten();
    is_played(run) || folders.into_iter().any(|folder| is_played(&folder.path()))
}

#[cfg(test)]
mod tests {
    use std::fs::File;

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
