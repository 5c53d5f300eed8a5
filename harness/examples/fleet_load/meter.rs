//! Processor time and memory of a process.

use std::fs;

use anyhow::Context;

/// Measures the processor time of a process from [`Meter::start`] on.
pub(crate) struct Meter {
    pid: u32,
    before: u64,
}

/// The use of a process.
pub(crate) struct Used {
    /// Processor time in percent of one core.
    pub(crate) percent: f64,
    /// Resident memory.
    pub(crate) megabytes: u64,
}

impl Meter {
    pub(crate) fn start(pid: u32) -> Self {
        let before = ticks(pid);
        Self { pid, before }
    }

    pub(crate) fn read(&mut self, seconds: f64) -> Used {
        let used = ticks(self.pid).saturating_sub(self.before);
        // SAFETY: sysconf only reads a constant of the system.
        let a_second = unsafe { libc::sysconf(libc::_SC_CLK_TCK) } as f64;
        let status = fs::read_to_string(format!("/proc/{}/status", self.pid)).unwrap_or_default();
        let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kilobytes = resident.and_then(|text| text.split_whitespace().next()?.parse().ok());
        Used {
            percent: 100.0 * used as f64 / a_second / seconds,
            megabytes: kilobytes.unwrap_or(0u64) / 1024,
        }
    }
}

/// Processor time of a process in ticks.
fn ticks(pid: u32) -> u64 {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    // The name in parentheses may have spaces.
    let fields = stat.rsplit(") ").next().unwrap_or_default();
    let times = fields.split_whitespace().skip(11).take(2);
    times.filter_map(|text| text.parse::<u64>().ok()).sum()
}

/// The limit of open files of this process.
pub(crate) fn open_files() -> anyhow::Result<u64> {
    let limits = fs::read_to_string("/proc/self/limits").context("no limits are known")?;
    let line = limits
        .lines()
        .find_map(|line| line.strip_prefix("Max open files"));
    let soft = line.and_then(|line| line.split_whitespace().next());
    let soft = soft.context("no limit of open files is known")?;
    Ok(soft.parse().unwrap_or(u64::MAX))
}
