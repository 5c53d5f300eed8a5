//! How long threads were ready to run but were kept waiting for a processor:
//! `hone`'s own, which an engine's clock must not be charged with, and an
//! engine's, which tells whether the machine made it lose on time.

use std::time::Duration;

/// Reads the kernel's account of the calling thread.
#[derive(Debug)]
pub(crate) struct DelayMeter {
    #[cfg(target_os = "linux")]
    account: Option<std::fs::File>,
    last: Duration,
}

impl DelayMeter {
    /// The meter of the calling thread. Where the system keeps no account it
    /// always reads zero.
    pub(crate) fn new() -> Self {
        let mut meter = Self {
            #[cfg(target_os = "linux")]
            account: std::fs::File::open("/proc/thread-self/schedstat").ok(),
            last: Duration::ZERO,
        };
        meter.since_last();
        meter
    }

    /// The time waited since the last call.
    pub(crate) fn since_last(&mut self) -> Duration {
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

/// Whether [`waited_by`] knows anything on this system.
pub(crate) const CAN_SEE_STARVATION: bool = cfg!(target_os = "linux");

/// How long the threads of a process have waited so far, in sum; `None` where
/// the system does not tell.
#[cfg(target_os = "linux")]
pub(crate) fn waited_by(pid: u32) -> Option<Duration> {
    let mut nanos = 0;
    for thread in std::fs::read_dir(format!("/proc/{pid}/task")).ok()? {
        let account = std::fs::read_to_string(thread.ok()?.path().join("schedstat")).ok()?;
        let waited: u64 = account.split_whitespace().nth(1)?.parse().ok()?;
        nanos += waited;
    }
    Some(Duration::from_nanos(nanos))
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn waited_by(_pid: u32) -> Option<Duration> {
    None
}
