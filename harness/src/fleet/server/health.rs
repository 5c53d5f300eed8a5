//! Checks whether the server still stores messages. After its disk was full, it does not
//! until it is restarted, even when there is room again.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use async_nats::Client;
use tokio::sync::mpsc;
use tokio::time::sleep;

use crate::fleet::nats::probe;

/// Time between two probes.
const PROBE: Duration = Duration::from_secs(10);
/// Number of consecutive failed probes after which the server counts as stuck, if its log
/// names a full disk.
const FAILURES: u32 = 2;
/// The same for any other log: probes also fail when the disk is busy.
const FAILURES_UNEXPLAINED: u32 = 12;
/// Messages of a full disk in the log, on Unix and on Windows.
const FULL: [&str; 2] = ["no space left on device", "not enough space on the disk"];
/// Length of the end of the log that is searched, in bytes.
const RECENT: usize = 16 * 1024;
/// Free space that the server needs to start, in bytes.
const ROOM: usize = 4 * 1024 * 1024;

/// Sends a message whenever the server is stuck, until the receiver is dropped.
pub(super) fn watch(client: Client, log: PathBuf) -> mpsc::Receiver<()> {
    let (stuck, receiver) = mpsc::channel(1);
    tokio::spawn(async move {
        let mut failures = 0;
        loop {
            sleep(PROBE).await;
            failures = match probe(&client).await {
                Ok(()) => 0,
                Err(error) => {
                    tracing::info!("{error}");
                    failures + 1
                }
            };
            let is_stuck = failures >= FAILURES && names_full_disk(&log);
            if is_stuck || failures >= FAILURES_UNEXPLAINED {
                failures = 0;
                if stuck.send(()).await.is_err() {
                    return;
                }
            }
        }
    });
    receiver
}

fn names_full_disk(log: &Path) -> bool {
    let text = std::fs::read(log).unwrap_or_default();
    let recent = &text[text.len().saturating_sub(RECENT)..];
    let recent = String::from_utf8_lossy(recent);
    FULL.iter().any(|words| recent.contains(words))
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
    fn only_the_end_of_the_log_counts() {
        let folder = tempfile::tempdir().expect("a folder");
        let log = folder.path().join("log");
        assert!(!names_full_disk(&log));
        std::fs::write(&log, "write x: no space left on device\n").expect("written");
        assert!(names_full_disk(&log));
        let later = "a line of no interest\n".repeat(1000);
        std::fs::write(&log, format!("no space left on device\n{later}")).expect("written");
        assert!(!names_full_disk(&log));
    }

    #[test]
    fn the_check_for_room_leaves_no_file() {
        let folder = tempfile::tempdir().expect("a folder");
        check_room(folder.path()).expect("there is room");
        assert_eq!(folder.path().read_dir().expect("read").count(), 0);
        assert!(check_room(&folder.path().join("missing")).is_err());
    }
}
