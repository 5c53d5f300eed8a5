//! Locks of files. The system releases them when the process ends, also if it is killed.

use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

/// How long to wait for a lock: a process that was just killed holds it until the system
/// has removed the process.
const TIMEOUT: Duration = Duration::from_secs(2);
const INTERVAL: Duration = Duration::from_millis(20);

/// Opens a lock file, and creates it if it does not exist. Some file systems lock only
/// files that are open for writing, Windows only files that are open for reading.
///
/// # Errors
/// Those of the file system.
pub fn open_lock(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.read(true).append(true).create(true).open(path)
}

/// As [`open_lock`], for a file that exists.
///
/// # Errors
/// Those of the file system.
pub fn open_existing_lock(path: &Path) -> io::Result<File> {
    File::options().read(true).append(true).open(path)
}

/// Locks the file at a path, which is created if it does not exist. `None` if another
/// process holds the lock.
///
/// # Errors
/// Those of the file system, which may not support locks.
pub fn lock_path(path: &Path) -> io::Result<Option<File>> {
    let file = open_lock(path)?;
    match try_lock(&file) {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// Locks a file, which others can still read. Waits up to 2 s for another process to
/// release the lock.
///
/// # Errors
/// If another process holds the lock, or the file system does not support locks.
pub fn lock_file(file: &File) -> Result<(), TryLockError> {
    let deadline = Instant::now() + TIMEOUT;
    loop {
        match try_lock(file) {
            Err(TryLockError::WouldBlock) if Instant::now() < deadline => {
                thread::sleep(INTERVAL);
            }
            taken => return taken,
        }
    }
}

/// ` (PID N)` for the process that holds the lock of a file; empty if the system does not
/// tell it.
pub fn holder_in_words(file: &File) -> String {
    holder(file).map_or(String::new(), |pid| format!(" (PID {pid})"))
}

#[cfg(target_os = "linux")]
fn holder(file: &File) -> Option<u32> {
    use std::os::unix::fs::MetadataExt;
    let inode = file.metadata().ok()?.ino().to_string();
    let locks = std::fs::read_to_string("/proc/locks").ok()?;
    locks.lines().find_map(|line| {
        // As in `1: FLOCK  ADVISORY  WRITE 1234 08:01:5678 0 EOF`; a waiting one has `->`.
        let words: Vec<&str> = line.split_whitespace().collect();
        let [_, "FLOCK", _, _, pid, place, ..] = words[..] else {
            return None;
        };
        let is_this = place.rsplit(':').next() == Some(&inode);
        // A process of another container has no number here.
        is_this.then(|| pid.parse().ok())?.filter(|pid| *pid > 0)
    })
}

#[cfg(not(target_os = "linux"))]
fn holder(_file: &File) -> Option<u32> {
    None
}

/// As [`lock_file`], without waiting.
#[cfg(not(windows))]
fn try_lock(file: &File) -> Result<(), TryLockError> {
    file.try_lock()
}

/// As [`lock_file`], without waiting. A lock on Windows prevents others from reading the
/// locked bytes, so a byte far beyond the end of the file is locked.
#[cfg(windows)]
fn try_lock(file: &File) -> Result<(), TryLockError> {
    use std::os::windows::io::AsRawHandle;
    use windows_sys::Win32::Foundation::{ERROR_IO_PENDING, ERROR_LOCK_VIOLATION};
    use windows_sys::Win32::Storage::FileSystem::{
        LOCKFILE_EXCLUSIVE_LOCK, LOCKFILE_FAIL_IMMEDIATELY, LockFileEx,
    };
    use windows_sys::Win32::System::IO::OVERLAPPED;

    let mut at = OVERLAPPED::default();
    at.Anonymous.Anonymous.OffsetHigh = i32::MAX.unsigned_abs();
    let flags = LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY;
    // SAFETY: the handle is open, and the struct lives until the call returns.
    if unsafe { LockFileEx(file.as_raw_handle(), flags, 0, 1, 0, &raw mut at) } != 0 {
        return Ok(());
    }
    let error = io::Error::last_os_error();
    let code = error.raw_os_error().map(i32::cast_unsigned);
    match code {
        Some(ERROR_LOCK_VIOLATION | ERROR_IO_PENDING) => Err(TryLockError::WouldBlock),
        _ => Err(TryLockError::Error(error)),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_locked_file_can_be_read_but_not_locked_again() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("games.csv");
        fs::write(&path, "text").expect("written");
        let held = open_existing_lock(&path).expect("open");
        try_lock(&held).expect("free");
        assert_eq!(fs::read_to_string(&path).expect("read"), "text");
        let other = open_existing_lock(&path).expect("open");
        assert!(matches!(try_lock(&other), Err(TryLockError::WouldBlock)));
        drop(held);
        try_lock(&other).expect("free again");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_holder_of_a_lock_is_named() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("games.csv");
        let held = open_lock(&path).expect("made");
        assert_eq!(holder_in_words(&held), "");
        try_lock(&held).expect("free");
        let other = open_existing_lock(&path).expect("open");
        let own = format!(" (PID {})", std::process::id());
        assert_eq!(holder_in_words(&other), own);
    }

    /// Windows does not lock a file that is open only for appending.
    #[test]
    fn every_opened_lock_can_be_taken() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("build.lock");
        open_existing_lock(&path).expect_err("it does not exist");
        assert!(!path.exists());
        open_lock(&path).and_then(|lock| lock.lock()).expect("free");
        let held = open_existing_lock(&path).expect("it exists");
        held.lock().expect("free");
        let other = open_existing_lock(&path).expect("it exists");
        assert!(matches!(other.try_lock(), Err(TryLockError::WouldBlock)));
    }

    #[test]
    fn a_held_lock_is_not_an_error_and_a_lock_that_cannot_be_made_is() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("lock");
        let held = lock_path(&path).expect("made");
        assert!(held.is_some());
        assert!(lock_path(&path).expect("there").is_none(), "it is held");
        drop(held);
        assert!(lock_path(&path).expect("there").is_some());
        lock_path(folder.path()).expect_err("a folder");
    }
}
