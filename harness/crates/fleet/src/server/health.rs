//! Checks whether the server still stores messages. After its disk was full, it does not
//! until it is restarted, even when there is room again. The same is true of its storage
//! limit, 75 % of the space that was free when it started.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use async_nats::Client;
use tokio::sync::mpsc;
use tokio::time::sleep;

use crate::nats::probe;

/// Time between two probes.
const PROBE: Duration = Duration::from_secs(10);
/// Number of consecutive failed probes after which the server counts as stuck, if its log
/// names a full disk.
const FAILURES: u32 = 2;
/// The same for any other log: probes also fail when the disk is busy. A server at its storage
/// limit may get below it without a restart.
const FAILURES_UNEXPLAINED: u32 = 12;
/// Messages of a full disk in the log, on Unix and on Windows.
const FULL: [&str; 2] = ["no space left on device", "not enough space on the disk"];
/// Message of the storage limit in the log; before version 2.12 without the word "file".
const LIMIT: &str = "resource limits exceeded for server";
/// Length of the end of the log that is searched, in bytes.
const RECENT: usize = 16 * 1024;
/// Free space that the server needs to start, in bytes.
const ROOM: usize = 4 * 1024 * 1024;

/// A fault of a server that does not store messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    /// It has reached its storage limit.
    Limit,
    /// It is stuck, and must be restarted.
    Stuck,
}

/// The cause that the log names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cause {
    FullDisk,
    Limit,
}

/// Consecutive failures of probes.
#[derive(Debug, Default)]
struct Failures {
    count: u32,
    /// Whether the limit was reported since the last success.
    is_reported: bool,
}

impl Failures {
    /// Counts a failed probe. Returns the fault that it shows.
    fn add(&mut self, cause: Option<Cause>) -> Option<Fault> {
        self.count += 1;
        let is_explained = self.count >= FAILURES;
        let is_full = is_explained && cause == Some(Cause::FullDisk);
        if is_full || self.count >= FAILURES_UNEXPLAINED {
            self.count = 0;
            return Some(Fault::Stuck);
        }
        let is_limit = is_explained && cause == Some(Cause::Limit);
        (is_limit && !std::mem::replace(&mut self.is_reported, true)).then_some(Fault::Limit)
    }
}

/// Sends the faults of the server, until the receiver is dropped.
pub(super) fn watch(client: Client, log: PathBuf) -> mpsc::Receiver<Fault> {
    let (faults, receiver) = mpsc::channel(1);
    tokio::spawn(async move {
        let mut failures = Failures::default();
        loop {
            sleep(PROBE).await;
            let Err(error) = probe(&client).await else {
                failures = Failures::default();
                continue;
            };
            tracing::info!("{error}");
            if let Some(fault) = failures.add(cause(&log))
                && faults.send(fault).await.is_err()
            {
                return;
            }
        }
    });
    receiver
}

/// The last cause in the end of the log.
fn cause(log: &Path) -> Option<Cause> {
    let text = std::fs::read(log).unwrap_or_default();
    let recent = &text[text.len().saturating_sub(RECENT)..];
    let recent = String::from_utf8_lossy(recent);
    let full = FULL.map(|words| (words, Cause::FullDisk));
    let places = full.into_iter().chain([(LIMIT, Cause::Limit)]);
    let places = places.filter_map(|(words, cause)| Some((recent.rfind(words)?, cause)));
    places.max_by_key(|(at, _)| *at).map(|(_, cause)| cause)
}

/// Checks that the server's disk has room, by writing [`ROOM`] bytes.
///
/// # Errors
/// Those of the file system.
pub(super) fn check_room(data: &Path) -> std::io::Result<()> {
    let path = data.join("room.partial");
    let written = File::create(&path).and_then(|mut file| {
        file.write_all(&vec![0; ROOM])?;
        file.sync_all()
    });
    let removed = std::fs::remove_file(&path);
    written.and(removed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_cause_in_the_end_of_the_log_counts() {
        let folder = tempfile::tempdir().expect("a folder");
        let log = folder.path().join("log");
        assert_eq!(cause(&log), None);
        let full = "write x: no space left on device\n";
        let limit = "[ERR] JetStream file resource limits exceeded for server\n";
        let limit_of_2_10 = "[ERR] JetStream resource limits exceeded for server\n";
        let later = "a line of no interest\n".repeat(1000);
        for (text, expected) in [
            (full.to_string(), Some(Cause::FullDisk)),
            (full.to_string() + limit, Some(Cause::Limit)),
            (full.to_string() + limit_of_2_10, Some(Cause::Limit)),
            (limit.to_string() + full, Some(Cause::FullDisk)),
            (full.to_string() + limit + &later, None),
        ] {
            std::fs::write(&log, text).expect("written");
            assert_eq!(cause(&log), expected);
        }
    }

    #[test]
    fn a_storage_limit_is_reported_once_and_long_before_the_restart() {
        let mut failures = Failures::default();
        let faults =
            (1..=2 * FAILURES_UNEXPLAINED).map(|at| (at, failures.add(Some(Cause::Limit))));
        let faults: Vec<_> = faults
            .filter_map(|(at, fault)| Some((at, fault?)))
            .collect();
        let expected = [
            (FAILURES, Fault::Limit),
            (FAILURES_UNEXPLAINED, Fault::Stuck),
            (2 * FAILURES_UNEXPLAINED, Fault::Stuck),
        ];
        assert_eq!(faults, expected);
        let mut failures = Failures::default();
        assert_eq!(failures.add(Some(Cause::FullDisk)), None);
        assert_eq!(failures.add(Some(Cause::FullDisk)), Some(Fault::Stuck));
    }

    #[test]
    fn the_check_for_room_leaves_no_file() {
        let folder = tempfile::tempdir().expect("a folder");
        check_room(folder.path()).expect("there is room");
        assert_eq!(folder.path().read_dir().expect("read").count(), 0);
        assert!(check_room(&folder.path().join("missing")).is_err());
    }
}
