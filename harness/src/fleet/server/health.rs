//! Whether the server still stores messages. One whose disk was full does not,
//! also when there is room again, until it is started again.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::time::Duration;

use async_nats::Client;
use tokio::sync::mpsc;
use tokio::time::sleep;

use crate::fleet::nats::probe;

const PROBE: Duration = Duration::from_secs(10);
/// So many probes in a row fail before anything is done: one may fail because
/// the machine is busy.
const FAILURES: u32 = 2;
/// Room that a server needs to start, in bytes.
const ROOM: usize = 4 * 1024 * 1024;

/// Reports whenever the server stores nothing, as long as somebody listens.
pub(super) fn watch(client: Client) -> mpsc::Receiver<()> {
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
            if failures >= FAILURES {
                failures = 0;
                if stuck.send(()).await.is_err() {
                    return;
                }
            }
        }
    });
    receiver
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
    fn room_is_tried_and_nothing_stays() {
        let folder = tempfile::tempdir().expect("a folder");
        check_room(folder.path()).expect("there is room");
        assert_eq!(folder.path().read_dir().expect("read").count(), 0);
        assert!(check_room(&folder.path().join("missing")).is_err());
    }
}
