//! The lock of a run: only the process that holds it writes into the run's folder. It is a
//! file lock on `games.csv`, which the system releases when the process ends, even if it is
//! killed.

use std::fs::TryLockError;
use std::path::Path;

use super::error::LedgerError;
use super::files::{GAMES_CSV, GAMES_PGN};
use super::log::Log;
use super::recovery::Recovery;
use super::row::HEADER;
use hone_base::platform::lock_file;

/// The lock of a run's folder, with the open files of its ledger.
#[derive(Debug)]
pub struct Lock {
    pub(super) csv: Log,
    pub(super) pgn: Log,
}

impl Lock {
    /// Locks the folder of a new run, and makes the empty files of its ledger.
    ///
    /// # Errors
    /// [`LedgerError`]: another `hone` has locked it.
    pub fn begin(dir: &Path) -> Result<Self, LedgerError> {
        Self::of(dir, true)
    }

    /// Refuses files that contain games.
    ///
    /// # Errors
    /// [`LedgerError::Changed`].
    pub fn check_empty(&self) -> Result<(), LedgerError> {
        for (log, allowed) in [(&self.csv, HEADER.len()), (&self.pgn, 0)] {
            if log.len > allowed as u64 {
                let what = "contains games, but run.toml is missing next to it";
                return Err(LedgerError::changed(
                    &log.path,
                    what,
                    "choose another --out",
                ));
            }
        }
        Ok(())
    }

    /// Locks the folder of an existing run.
    ///
    /// # Errors
    /// [`LedgerError`]: another `hone` has locked it, or a file is missing.
    pub fn resume(dir: &Path, recovery: Recovery) -> Result<Self, LedgerError> {
        Self::of(dir, recovery == Recovery::Replay)
    }

    fn of(dir: &Path, create: bool) -> Result<Self, LedgerError> {
        let csv = Log::open(dir, GAMES_CSV, create)?;
        match lock_file(&csv.file) {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(LedgerError::locked(&csv.path, &csv.file)),
            Err(TryLockError::Error(source)) => return Err(csv.error(source)),
        }
        // Another process may have written until the lock was taken.
        let csv = Log {
            len: csv.file.metadata().map_err(|error| csv.error(error))?.len(),
            ..csv
        };
        let pgn = Log::open(dir, GAMES_PGN, create)?;
        Ok(Self { csv, pgn })
    }
}

#[cfg(test)]
mod tests {
    use std::thread;
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_lock_that_becomes_free_in_a_moment_is_waited_for() {
        let dir = tempfile::tempdir().expect("a folder");
        let held = Lock::begin(dir.path()).expect("free");
        thread::scope(|scope| {
            scope.spawn(|| {
                thread::sleep(Duration::from_millis(100));
                drop(held);
            });
            Lock::begin(dir.path()).expect("free after a moment");
        });
    }

    #[test]
    fn a_lock_that_stays_held_is_refused() {
        let dir = tempfile::tempdir().expect("a folder");
        let _held = Lock::begin(dir.path()).expect("free");
        let refused = Lock::begin(dir.path()).expect_err("held");
        assert!(matches!(refused, LedgerError::Locked(_)), "{refused}");
    }
}
