//! The end of an engine's process.

use std::process::ExitStatus;
use std::time::{Duration, Instant};

use tokio::time::timeout_at;

use super::Client;
use crate::engine::uci::memory_size::MemorySize;
use hone_base::platform::{guard, peak_memory, peak_memory_of_ended};

impl Client {
    /// Closes the engine's input, as happens when the controlling program dies. Returns
    /// whether the engine ends within `timeout`, and kills its process group.
    pub(crate) async fn hang_up(mut self, timeout: Duration) -> bool {
        self.stdin = None;
        let ended = tokio::time::timeout(timeout, self.child.wait()).await;
        self.kill().await;
        matches!(ended, Ok(Ok(_)))
    }

    /// How the process ended, in words, as [`Client::ended`]; `still running` if it has
    /// not.
    pub async fn exit_status(&mut self) -> String {
        let status = self.ended().await;
        status.unwrap_or_else(|| "still running".to_string())
    }

    /// Waits up to 0.4 s for the end of the process and describes it, as `killed by signal
    /// 11 (SIGSEGV)`. [`Client::stderr`] is then complete. `None` if the process is still
    /// running.
    pub async fn ended(&mut self) -> Option<String> {
        const TIMEOUT: Duration = Duration::from_millis(200);
        self.await_peak(TIMEOUT).await;
        let status = tokio::time::timeout(TIMEOUT, self.child.wait()).await;
        if status.is_ok() {
            self.stderr.complete(TIMEOUT).await;
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

    /// Peak memory of the engine's process in bytes; `None` where the system does not
    /// report it, and for an engine that has ended in a sandbox.
    pub fn peak_memory(&self) -> Option<u64> {
        self.peak.or_else(|| peak_memory(self.engine_pid()))
    }

    /// The limit on the engine's memory (`max_memory`).
    pub fn max_memory(&self) -> Option<MemorySize> {
        self.max_memory
    }

    /// Keeps the peak memory of a process that has ended. The system reports it only until
    /// the process is reaped.
    fn keep_peak(&mut self) {
        // In a sandbox the child is bubblewrap, not the engine.
        if self.peak.is_none() && !self.is_sandboxed {
            self.peak = peak_memory_of_ended(self.pid);
        }
    }

    /// Waits up to `timeout` for the end of the process and keeps its peak memory.
    async fn await_peak(&mut self, timeout: Duration) {
        if self.is_sandboxed {
            return;
        }
        let deadline = Instant::now() + timeout;
        // A process without an id has been reaped.
        while self.child.id().is_some() && self.peak.is_none() && Instant::now() < deadline {
            self.keep_peak();
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }

    /// Sends `quit`, waits up to `timeout` for the end of the engine, and kills its
    /// process group.
    pub async fn quit(mut self, timeout: Duration) {
        let deadline = Instant::now() + timeout;
        if self.send(b"quit\n", deadline).await.is_ok() {
            let _ = timeout_at(deadline.into(), self.child.wait()).await;
        }
        self.kill().await;
    }

    /// Kills the engine's process group.
    pub async fn kill(mut self) {
        tracing::info!("engine {} ended", self.pid);
        // Taken, so that the drop does not signal an id that the system may have reused.
        if let Some(group) = self.group.take() {
            group.kill();
        }
        let _ = self.child.kill().await;
        guard::unregister(self.pid);
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        if let Some(group) = self.group.take() {
            group.kill();
            guard::unregister(self.pid);
        }
    }
}

/// `STATUS_ILLEGAL_INSTRUCTION` of Windows as an exit code.
const ILLEGAL_INSTRUCTION: &str = "0xc000001d";

/// How a process ended, in words. If a signal (1 to 64) has killed the process in a
/// sandbox, the sandbox exits with 128 plus its number.
fn describe(status: ExitStatus, is_sandboxed: bool) -> String {
    #[cfg(unix)]
    let status = {
        use std::os::unix::process::ExitStatusExt;
        match status.code() {
            Some(code @ 129..=192) if is_sandboxed => ExitStatus::from_raw(code - 128),
            _ => status,
        }
    };
    #[cfg(not(unix))]
    let _ = is_sandboxed;
    let text = status.to_string().replacen(": ", " ", 1);
    if text.contains("SIGILL") || text.contains(ILLEGAL_INSTRUCTION) {
        return format!("killed by {text}: perhaps it is built for another processor");
    }
    if text.starts_with("signal") {
        format!("killed by {text}")
    } else {
        text
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::process::ExitStatusExt;

    use super::*;

    #[test]
    fn a_sandbox_reports_signals_and_exit_codes() {
        for (code, is_sandboxed, words) in [
            (139, true, "killed by signal 11 (SIGSEGV)"),
            (139, false, "exit status 139"),
            (1, true, "exit status 1"),
            (255, true, "exit status 255"),
        ] {
            let status = ExitStatus::from_raw(code << 8);
            assert_eq!(describe(status, is_sandboxed), words);
        }
    }
}
