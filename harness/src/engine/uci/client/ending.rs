//! The end of an engine's process.

use std::process::ExitStatus;
use std::time::{Duration, Instant};

use tokio::time::timeout_at;

use super::Client;
use crate::engine::uci::guard;
use crate::engine::uci::memory_size::MemorySize;
use crate::platform::{peak_memory, peak_memory_of_ended};

impl Client {
    /// Closes the engine's input, as happens when the controlling program dies,
    /// and says whether the engine ends within `patience`. It and all its
    /// descendants are gone afterwards.
    pub async fn hang_up(mut self, patience: Duration) -> bool {
        self.stdin = None;
        let ended = tokio::time::timeout(patience, self.child.wait()).await;
        self.kill().await;
        matches!(ended, Ok(Ok(_)))
    }

    /// How the process ended, in words; "still running" if it does after a
    /// short wait. Its last words are then in [`Client::stderr`].
    pub async fn exit_status(&mut self) -> String {
        let status = self.ended().await;
        status.unwrap_or_else(|| "still running".to_string())
    }

    /// As [`Client::exit_status`]; `None` if the process is still running.
    pub(crate) async fn ended(&mut self) -> Option<String> {
        const PATIENCE: Duration = Duration::from_millis(200);
        self.await_peak(PATIENCE).await;
        let status = tokio::time::timeout(PATIENCE, self.child.wait()).await;
        if status.is_ok() {
            self.stderr.complete(PATIENCE).await;
        }
        match status {
            Ok(Ok(status)) => Some(describe(status, self.is_sandboxed)),
            Ok(Err(error)) => Some(error.to_string()),
            Err(_) => None,
        }
    }

    /// Whether the process has ended.
    pub(super) fn has_ended(&mut self) -> bool {
        self.keep_peak();
        matches!(self.child.try_wait(), Ok(Some(_)))
    }

    /// The most memory that its process has had at once, in bytes, where that
    /// is known. Of an engine that has ended in a sandbox it is not.
    pub(crate) fn peak_memory(&self) -> Option<u64> {
        self.peak.or_else(|| peak_memory(self.engine_pid()))
    }

    /// The limit on its memory.
    pub(crate) fn max_memory(&self) -> Option<MemorySize> {
        self.max_memory
    }

    /// The peak can be asked for between the end of a process and the first
    /// wait for it.
    fn keep_peak(&mut self) {
        // A sandbox's own process says nothing of the engine.
        if self.peak.is_none() && !self.is_sandboxed {
            self.peak = peak_memory_of_ended(self.pid);
        }
    }

    /// Waits a moment for the end of a process and keeps its peak.
    async fn await_peak(&mut self, patience: Duration) {
        let deadline = Instant::now() + patience;
        // Without an id it has been waited for.
        while self.child.id().is_some() && self.peak.is_none() && Instant::now() < deadline {
            self.keep_peak();
            match self.is_sandboxed {
                true => return,
                false => tokio::time::sleep(Duration::from_millis(1)).await,
            }
        }
    }

    /// Asks the engine to quit, and ends it and all its descendants if it does
    /// not within `patience`.
    pub async fn quit(mut self, patience: Duration) {
        let deadline = Instant::now() + patience;
        if self.send(b"quit\n", deadline).await.is_ok() {
            let _ = timeout_at(deadline.into(), self.child.wait()).await;
        }
        self.kill().await;
    }

    /// Ends the engine and all its descendants at once.
    pub async fn kill(mut self) {
        tracing::info!("engine {} ended", self.pid);
        // The drop must not signal a process id that is no longer ours.
        if let Some(group) = self.group.take() {
            group.kill();
        }
        let _ = self.child.kill().await;
        guard::forget(self.pid);
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        if let Some(group) = self.group.take() {
            group.kill();
            guard::forget(self.pid);
        }
    }
}

/// `STATUS_ILLEGAL_INSTRUCTION` of Windows as an exit code.
const ILLEGAL_INSTRUCTION: &str = "0xc000001d";

/// How a process ended, in words. A sandbox exits with 128 and the number of the
/// signal that killed the process in it.
fn describe(status: ExitStatus, is_sandboxed: bool) -> String {
    #[cfg(unix)]
    let status = {
        use std::os::unix::process::ExitStatusExt;
        match status.code() {
            Some(code @ 129..) if is_sandboxed => ExitStatus::from_raw(code - 128),
            _ => status,
        }
    };
    #[cfg(not(unix))]
    let _ = is_sandboxed;
    let text = status.to_string().replacen(": ", " ", 1);
    if text.contains("SIGILL") || text.contains(ILLEGAL_INSTRUCTION) {
        return format!("killed by {text}: perhaps it is built for another processor");
    }
    match text.starts_with("signal") {
        true => format!("killed by {text}"),
        false => text,
    }
}
