//! The processes of a trial, which are found by a variable in their environment.

use std::fs;
use std::thread;
use std::time::{Duration, Instant};

/// Environment variable of a trial's `hone` and all its descendants.
pub(crate) const VARIABLE: &str = "HONE_CAMPAIGN";

/// A process of a trial.
#[derive(Debug)]
pub(crate) struct Process {
    pub(crate) pid: i32,
    parent: i32,
    command: String,
}

impl Process {
    /// The process that ends engines after `hone` was killed.
    pub(crate) fn is_guard(&self) -> bool {
        self.command.contains("guard-engines")
    }

    /// An engine that `hone`, with this process id, started.
    pub(crate) fn is_engine_of(&self, hone: i32) -> bool {
        let is_engine = ["scripted_engine", "stillwater"]
            .iter()
            .any(|name| self.command.contains(name));
        self.parent == hone && is_engine && !self.is_guard()
    }
}

/// All live processes with `mark` in their environment.
pub(crate) fn marked(mark: &str) -> Vec<Process> {
    let needle = format!("{VARIABLE}={mark}\0");
    let own = std::process::id().to_string();
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let pid = name.parse().ok()?;
            if name == own {
                return None;
            }
            let environment = fs::read(entry.path().join("environ")).ok()?;
            // While a process starts, the last variable may not end with NUL yet.
            memchr::memmem::find(&environment, needle.as_bytes())?;
            let stat = fs::read_to_string(entry.path().join("stat")).ok()?;
            let mut fields = stat.rsplit(')').next()?.split_whitespace();
            let is_zombie = fields.next()? == "Z";
            let parent = fields.next()?.parse().ok()?;
            let command = fs::read(entry.path().join("cmdline")).unwrap_or_default();
            let command = String::from_utf8_lossy(&command).replace('\0', " ");
            (!is_zombie).then_some(Process {
                pid,
                parent,
                command,
            })
        })
        .collect()
}

/// Waits until no process is left.
///
/// # Errors
/// If processes are left after 30 s.
pub(crate) fn none_left(mark: &str) -> anyhow::Result<()> {
    let deadline = Instant::now() + Duration::from_secs(30);
    loop {
        let left = marked(mark);
        if left.is_empty() {
            return Ok(());
        }
        anyhow::ensure!(Instant::now() < deadline, "processes are left: {left:?}");
        thread::sleep(Duration::from_millis(5));
    }
}

/// Kills all processes that are left, so that they do not disturb the next trial.
pub(crate) fn end_all(mark: &str) {
    for process in marked(mark) {
        send(process.pid, libc::SIGKILL);
    }
}

/// Sends a signal. False if the process does not exist.
pub(crate) fn send(pid: i32, signal: i32) -> bool {
    // SAFETY: kill takes any process id and signal.
    unsafe { libc::kill(pid, signal) == 0 }
}
