//! The end of an engine's process.

use std::process::ExitStatus;
use std::time::{Duration, Instant};

use tokio::time::timeout_at;

use super::Client;
use crate::engine::uci::guard;

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
        const PATIENCE: Duration = Duration::from_millis(200);
        let status = tokio::time::timeout(PATIENCE, self.child.wait()).await;
        if status.is_ok() {
            self.stderr.complete(PATIENCE).await;
        }
        match status {
            Ok(Ok(status)) => describe(status),
            Ok(Err(error)) => error.to_string(),
            Err(_) => "still running".to_string(),
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

/// How a process ended, in words.
fn describe(status: ExitStatus) -> String {
    let text = status.to_string().replacen(": ", " ", 1);
    if text.contains("SIGILL") || text.contains(ILLEGAL_INSTRUCTION) {
        return format!("killed by {text}: perhaps it is built for another processor");
    }
    match text.starts_with("signal") {
        true => format!("killed by {text}"),
        false => text,
    }
}
