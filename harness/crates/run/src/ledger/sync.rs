//! Syncs the ledger's files to the disk in a separate thread, so that a slow disk does not
//! delay games.

use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{
    Arc, Mutex, MutexGuard, PoisonError,
    atomic::{AtomicBool, Ordering},
};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use super::error::LedgerError;
use super::log::Log;

/// Time between two syncs while data are written.
const INTERVAL: Duration = Duration::from_millis(500);

#[derive(Debug)]
pub(super) struct Syncer {
    dirty: Arc<AtomicBool>,
    /// The first error since the last check; locked while the thread syncs. The system
    /// reports a write-back error only once, so it is kept here.
    failed: Arc<Mutex<Option<LedgerError>>>,
    /// Closed to end the thread.
    ending: Option<mpsc::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Syncer {
    pub(super) fn start<'a>(logs: impl Iterator<Item = &'a Log>) -> io::Result<Self> {
        let files: Vec<(PathBuf, File)> = logs
            .map(|log| Ok((log.path.clone(), log.file.try_clone()?)))
            .collect::<io::Result<_>>()?;
        let dirty = Arc::new(AtomicBool::new(false));
        let failed = Arc::default();
        let (ending, ended) = mpsc::channel();
        let (seen, failures) = (Arc::clone(&dirty), Arc::clone(&failed));
        let thread = thread::Builder::new()
            .name("sync".to_string())
            .spawn(move || {
                loop {
                    let last = ended.recv_timeout(INTERVAL) != Err(RecvTimeoutError::Timeout);
                    if seen.swap(false, Ordering::Relaxed) {
                        sync(&files, &mut lock(&failures));
                    }
                    if last {
                        return;
                    }
                }
            })?;
        Ok(Self {
            dirty,
            failed,
            ending: Some(ending),
            thread: Some(thread),
        })
    }

    /// Has the files synced within [`INTERVAL`].
    pub(super) fn mark_dirty(&self) {
        self.dirty.store(true, Ordering::Relaxed);
    }

    /// Reports a failed sync. Does not wait for a sync in progress, whose error a later
    /// call reports.
    ///
    /// # Errors
    /// [`LedgerError::Io`], once.
    pub(super) fn check(&self) -> Result<(), LedgerError> {
        self.failed
            .try_lock()
            .ok()
            .and_then(|mut failed| failed.take())
            .map_or(Ok(()), Err)
    }

    /// Like [`Self::check`], but waits for a sync in progress.
    ///
    /// # Errors
    /// [`LedgerError::Io`], once.
    pub(super) fn finish(&self) -> Result<(), LedgerError> {
        lock(&self.failed).take().map_or(Ok(()), Err)
    }
}

/// Syncs all files, and keeps the first error.
fn sync(files: &[(PathBuf, File)], failed: &mut Option<LedgerError>) {
    for (path, file) in files {
        if let Err(source) = file.sync_data() {
            let path = path.clone();
            failed.get_or_insert(LedgerError::Io { path, source });
        }
    }
}

/// The value is valid even if a thread has panicked while it held the lock.
fn lock(failed: &Mutex<Option<LedgerError>>) -> MutexGuard<'_, Option<LedgerError>> {
    failed.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Drop for Syncer {
    fn drop(&mut self) {
        drop(self.ending.take());
        if let Some(thread) = self.thread.take() {
            // It cannot panic; if it did, the files are synced by the system.
            let _ = thread.join();
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn an_error_that_the_system_reports_once_is_kept() {
        // A pipe cannot be synced.
        let (_reader, writer) = io::pipe().expect("a pipe");
        let file = File::from(std::os::fd::OwnedFd::from(writer));
        let syncer = Syncer::start(std::iter::empty()).expect("a thread");
        let files = [("games.csv".into(), file)];
        sync(&files, &mut lock(&syncer.failed));
        let error = syncer.check().expect_err("kept");
        assert!(error.to_string().contains("games.csv"), "{error}");
        assert!(syncer.check().is_ok(), "reported once");
        sync(&files, &mut lock(&syncer.failed));
        assert!(syncer.finish().is_err());
    }
}
