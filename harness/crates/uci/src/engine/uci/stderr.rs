//! The last part of what an engine writes to its standard error.

#![cfg_attr(not(test), warn(clippy::unwrap_used, clippy::expect_used))]
#![cfg_attr(not(test), warn(clippy::indexing_slicing, clippy::string_slice))]
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects, clippy::cast_possible_truncation))]

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::AsyncReadExt;
use tokio::process::ChildStderr;
use tokio::task::JoinHandle;

/// Bytes kept of the end.
const MAX_BYTES: usize = 16 * 1024;

/// Reads the whole standard error, so that its pipe never fills up, and keeps the end.
#[derive(Debug)]
pub(super) struct KeptStderr {
    bytes: Arc<Mutex<Vec<u8>>>,
    /// Ends when all writing ends of the pipe are closed.
    reader: JoinHandle<()>,
}

impl KeptStderr {
    pub(super) fn of(source: ChildStderr) -> Self {
        let bytes = Arc::new(Mutex::new(Vec::new()));
        let reader = tokio::spawn(keep(source, Arc::clone(&bytes)));
        Self { bytes, reader }
    }

    pub(super) fn text(&self) -> String {
        let bytes = self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// Waits until all is read, at most for `timeout`: a child of the engine may keep the
    /// pipe open.
    pub(super) async fn complete(&mut self, timeout: Duration) {
        if !self.reader.is_finished() {
            let _ = tokio::time::timeout(timeout, &mut self.reader).await;
        }
    }
}

async fn keep(mut source: ChildStderr, kept: Arc<Mutex<Vec<u8>>>) {
    let mut chunk = vec![0; 4096];
    while let Ok(count) = source.read(&mut chunk).await {
        if count == 0 {
            return;
        }
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend_from_slice(chunk.get(..count).unwrap_or_default());
        let excess = kept.len().saturating_sub(MAX_BYTES);
        kept.drain(..excess);
    }
}
