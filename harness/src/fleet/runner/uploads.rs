//! Uploads the files of jobs to the fleet's file store.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::Mutex;
use tokio::time::sleep;

use super::files::{LocalFile, read_chunk};
use crate::fleet::link::FileStore;

/// Time limit for the attempts to store a file.
const STORE: Duration = Duration::from_secs(120);
/// Time between two attempts.
const RETRY: Duration = Duration::from_secs(1);

/// A fleet's file store. Clones share their state and upload one file at a time.
#[derive(Clone)]
pub(super) struct Uploads<S> {
    store: S,
    /// SHA-256 of the files that were stored completely.
    stored: Arc<Mutex<BTreeSet<String>>>,
}

impl<S: FileStore> Uploads<S> {
    pub(super) fn to(store: S) -> Self {
        Self {
            store,
            stored: Arc::default(),
        }
    }

    /// Stores the missing parts of files.
    ///
    /// # Errors
    /// The path of the file that cannot be stored, and why.
    pub(super) async fn put(&self, files: &[LocalFile]) -> Result<(), String> {
        for file in files {
            let mut stored = self.stored.lock().await;
            if !stored.contains(&file.file.sha256) {
                self.put_with_retries(file).await?;
                stored.insert(file.file.sha256.clone());
            }
        }
        Ok(())
    }

    /// Stores files again that were stored and of which the server has lost a part.
    ///
    /// # Errors
    /// Those of [`Uploads::put`].
    pub(super) async fn restore(&self, files: &[LocalFile]) -> Result<(), String> {
        // The next call checks files while none is being stored.
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
                    self.put_with_retries(file).await?;
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

    async fn put_with_retries(&self, file: &LocalFile) -> Result<(), String> {
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
            sleep(RETRY).await;
        }
    }

    async fn put_missing(&self, file: &LocalFile) -> anyhow::Result<()> {
        let sha256 = &file.file.sha256;
        let stored: BTreeSet<u64> = self.store.parts(sha256).await?.into_iter().collect();
        for chunk in (0..file.file.chunks()).filter(|chunk| !stored.contains(chunk)) {
            let bytes = read_chunk(&file.path, chunk)?;
            self.store.put(sha256, chunk, bytes).await?;
        }
        Ok(())
    }
}
