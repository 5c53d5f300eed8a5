//! Brings what has been written to the disk, at least every second, on a
//! thread of its own: a slow disk must not hold up the games.

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

use super::files::LedgerError;
use super::log::Log;

const INTERVAL: Duration = Duration::from_millis(500);

#[derive(Debug)]
pub(super) struct Syncer {
    dirty: Arc<AtomicBool>,
    /// The first error since the last look; held while the thread syncs. The system
    /// reports an error of writing back once, and never to a later write.
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

    /// Something has been written.
    pub(super) fn mark(&self) {
        self.dirty.store(true, Ordering::Relaxed);
    }

    /// Whether all that was written so far could be synced. It does not wait for a slow
    /// disk: what is being synced now is looked at later.
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

    /// The same, after what is being synced now.
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

/// A thread that panicked with it has left it as it was.
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
