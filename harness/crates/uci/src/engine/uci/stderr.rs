//! The first and the last part of what an engine writes to its standard error.

#![cfg_attr(not(test), warn(clippy::expect_used, clippy::indexing_slicing))]
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects, clippy::cast_possible_truncation))]

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::AsyncReadExt;
use tokio::process::ChildStderr;
use tokio::task::JoinHandle;

/// Bytes kept of the start, where the cause of a crash stands before its backtrace.
const MAX_START: usize = 8 * 1024;
/// Bytes kept of the end.
const MAX_END: usize = 16 * 1024;

/// Reads the whole standard error, so that its pipe never fills up, and keeps both ends.
#[derive(Debug)]
pub(super) struct KeptStderr {
    kept: Arc<Mutex<Kept>>,
    /// Ends when all writing ends of the pipe are closed.
    reader: JoinHandle<()>,
}

impl KeptStderr {
    pub(super) fn of(source: ChildStderr) -> Self {
        let kept = Arc::new(Mutex::new(Kept::default()));
        let reader = tokio::spawn(keep(source, Arc::clone(&kept)));
        Self { kept, reader }
    }

    pub(super) fn text(&self) -> String {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.text()
    }

    /// Waits until all is read, at most for `timeout`: a child of the engine may keep the
    /// pipe open.
    pub(super) async fn complete(&mut self, timeout: Duration) {
        if !self.reader.is_finished() {
            let _ = tokio::time::timeout(timeout, &mut self.reader).await;
        }
    }
}

/// Both ends of a text.
#[derive(Debug, Default)]
struct Kept {
    start: Vec<u8>,
    end: Vec<u8>,
    /// Whether something between them was left out.
    is_cut: bool,
}

impl Kept {
    fn push(&mut self, bytes: &[u8]) {
        let room = MAX_START.saturating_sub(self.start.len()).min(bytes.len());
        let (start, end) = bytes.split_at(room);
        self.start.extend_from_slice(start);
        self.end.extend_from_slice(end);
        let excess = self.end.len().saturating_sub(MAX_END);
        self.is_cut |= excess > 0;
        self.end.drain(..excess);
    }

    fn text(&self) -> String {
        let gap: &[u8] = if self.is_cut {
            "\n…\n".as_bytes()
        } else {
            b""
        };
        let bytes = [&self.start, gap, &self.end].concat();
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

async fn keep(mut source: ChildStderr, kept: Arc<Mutex<Kept>>) {
    let mut chunk = vec![0; 4096];
    while let Ok(count) = source.read(&mut chunk).await {
        if count == 0 {
            return;
        }
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.push(chunk.get(..count).unwrap_or_default());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ends_are_kept() {
        let mut kept = Kept::default();
        kept.push("first é ".as_bytes());
        kept.push(&b"x".repeat(MAX_START - 9 + MAX_END));
        assert!(!kept.text().contains('…'));
        kept.push(b" last");
        let text = kept.text();
        assert!(text.starts_with("first é x") && text.ends_with("x last"));
        assert_eq!(text.len(), MAX_START + MAX_END + "\n…\n".len());
        assert_eq!(text.matches("x\n…\nx").count(), 1);
    }
}
