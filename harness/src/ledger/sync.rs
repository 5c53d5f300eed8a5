//! Brings what has been written to the disk, at least every second, on a
//! thread of its own: a slow disk must not hold up the games.

use std::fs::File;
use std::io;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};
use std::thread::{self, JoinHandle};
use std::time::Duration;

const INTERVAL: Duration = Duration::from_millis(500);

#[derive(Debug)]
pub(super) struct Syncer {
    dirty: Arc<AtomicBool>,
    /// Closed to end the thread.
    ending: Option<mpsc::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Syncer {
    pub(super) fn start<'a>(files: impl Iterator<Item = &'a File>) -> io::Result<Self> {
        let files: Vec<File> = files.map(File::try_clone).collect::<io::Result<_>>()?;
        let dirty = Arc::new(AtomicBool::new(false));
        let (ending, ended) = mpsc::channel();
        let seen = Arc::clone(&dirty);
        let thread = thread::Builder::new()
            .name("sync".to_string())
            .spawn(move || {
                loop {
                    let last = ended.recv_timeout(INTERVAL) != Err(RecvTimeoutError::Timeout);
                    if seen.swap(false, Ordering::Relaxed) {
                        for file in &files {
                            // A disk that fails here fails the next write too,
                            // which is reported.
                            let _ = file.sync_data();
                        }
                    }
                    if last {
                        return;
                    }
                }
            })?;
        Ok(Self {
            dirty,
            ending: Some(ending),
            thread: Some(thread),
        })
    }

    /// Something has been written.
    pub(super) fn mark(&self) {
        self.dirty.store(true, Ordering::Relaxed);
    }
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
