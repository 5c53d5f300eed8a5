//! Puts the files of jobs into the fleet's store.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::Mutex;
use tokio::time::sleep;

use super::files::{LocalFile, read_chunk};
use crate::fleet::link::FileStore;

/// How long a file is tried to be stored, and how long is waited between.
const STORE: Duration = Duration::from_secs(120);
const AGAIN: Duration = Duration::from_secs(1);

/// A fleet's store. Clones share it, and put one file at a time into it.
#[derive(Clone)]
pub(super) struct Uploads<S> {
    store: S,
    /// Hashes of files that are there.
    stored: Arc<Mutex<BTreeSet<String>>>,
}

impl<S: FileStore> Uploads<S> {
    pub(super) fn to(store: S) -> Self {
        Self {
            store,
            stored: Arc::default(),
        }
    }

    /// Stores files, except the parts that are there.
    ///
    /// # Errors
    /// Which file cannot be stored, and why.
    pub(super) async fn put(&self, files: &[LocalFile]) -> Result<(), String> {
        for file in files {
            let mut stored = self.stored.lock().await;
            if !stored.contains(&file.file.sha256) {
                self.put_patiently(file).await?;
                stored.insert(file.file.sha256.clone());
            }
        }
        Ok(())
    }

    /// Stores those files again of which the server has lost a part, as with its disk.
    ///
    /// # Errors
    /// Those of [`Uploads::put`].
    pub(super) async fn keep(&self, files: &[LocalFile]) -> Result<(), String> {
        // Not while a file is being stored: this is repeated.
        let Ok(mut stored) = self.stored.try_lock() else {
            return Ok(());
        };
        for file in files {
            let sha256 = &file.file.sha256;
            if !stored.contains(sha256) {
                continue;
            }
            match self.store.parts(sha256).await {
                Ok(parts) if (parts.len() as u64) < file.file.chunks() => {
                    tracing::info!("{} is stored again", file.path.display());
                    stored.remove(sha256);
                    self.put_patiently(file).await?;
                    stored.insert(sha256.clone());
                }
                Ok(_) => {}
                Err(error) => {
                    tracing::info!("{error}");
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    async fn put_patiently(&self, file: &LocalFile) -> Result<(), String> {
        let deadline = Instant::now() + STORE;
        let path = file.path.display();
        loop {
            match self.put_missing(file).await {
                Ok(()) => return Ok(()),
                Err(error) if Instant::now() > deadline => {
                    return Err(format!(
                        "cannot store {path} on the fleet's server: {error}"
                    ));
                }
                Err(error) => tracing::info!("{path} is stored again: {error}"),
            }
            sleep(AGAIN).await;
        }
    }

    async fn put_missing(&self, file: &LocalFile) -> anyhow::Result<()> {
        let sha256 = &file.file.sha256;
        let there: BTreeSet<u64> = self.store.parts(sha256).await?.into_iter().collect();
        for chunk in (0..file.file.chunks()).filter(|chunk| !there.contains(chunk)) {
            let bytes = read_chunk(&file.path, chunk)?;
            self.store.put(sha256, chunk, bytes).await?;
        }
        Ok(())
    }
}
