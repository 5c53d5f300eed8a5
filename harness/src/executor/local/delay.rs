//! How long this thread was ready to run but was kept waiting for a processor:
//! time that an engine's clock must not be charged with.

use std::time::Duration;

/// Reads the kernel's account of the calling thread.
#[derive(Debug)]
pub(super) struct DelayMeter {
    #[cfg(target_os = "linux")]
    account: Option<std::fs::File>,
    last: Duration,
}

impl DelayMeter {
    /// The meter of the calling thread. Where the system keeps no account it
    /// always reads zero.
    pub(super) fn new() -> Self {
        let mut meter = Self {
            #[cfg(target_os = "linux")]
            account: std::fs::File::open("/proc/thread-self/schedstat").ok(),
            last: Duration::ZERO,
        };
        meter.since_last();
        meter
    }

    /// The time waited since the last call.
    pub(super) fn since_last(&mut self) -> Duration {
        let total = self.total().unwrap_or(self.last);
        let waited = total.saturating_sub(self.last);
        self.last = total;
        waited
    }

    #[cfg(target_os = "linux")]
    fn total(&self) -> Option<Duration> {
        use std::os::unix::fs::FileExt;
        let mut text = [0; 96];
        let count = self.account.as_ref()?.read_at(&mut text, 0).ok()?;
        // "on-cpu-ns waiting-ns timeslices"
        let text = std::str::from_utf8(&text[..count]).ok()?;
        let nanos = text.split_whitespace().nth(1)?.parse().ok()?;
        Some(Duration::from_nanos(nanos))
    }

    #[cfg(not(target_os = "linux"))]
    fn total(&self) -> Option<Duration> {
        None
    }
}
