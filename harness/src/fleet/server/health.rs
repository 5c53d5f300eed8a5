//! Whether the server still stores messages. One whose disk was full does not,
//! also when there is room again, until it is started again.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use async_nats::Client;
use tokio::sync::mpsc;
use tokio::time::sleep;

use crate::fleet::nats::probe;

const PROBE: Duration = Duration::from_secs(10);
/// So many probes in a row fail before anything is done if the server's log
/// names a full disk, and otherwise: a busy disk lets probes fail too.
const FAILURES: u32 = 2;
const FAILURES_UNEXPLAINED: u32 = 12;
/// What the log has of a full disk, on Unix and on Windows.
const FULL: [&str; 2] = ["no space left on device", "not enough space on the disk"];
/// The part of the log that is read, from its end, in bytes.
const RECENT: usize = 16 * 1024;
/// Room that a server needs to start, in bytes.
const ROOM: usize = 4 * 1024 * 1024;

/// Reports whenever the server stores nothing, as long as somebody listens.
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

/// Tries whether there is room on the server's disk.
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
    fn room_is_tried_and_nothing_stays() {
        let folder = tempfile::tempdir().expect("a folder");
        check_room(folder.path()).expect("there is room");
        assert_eq!(folder.path().read_dir().expect("read").count(), 0);
        assert!(check_room(&folder.path().join("missing")).is_err());
    }
}
