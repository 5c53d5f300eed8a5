//! Uploads the files of jobs to the fleet's file store.

use std::collections::BTreeSet;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::Mutex;
use tokio::task::spawn_blocking;
use tokio::time::sleep;

use super::content::Content;
use super::files::LocalFile;
use crate::link::{FileStore, LinkError};
use hone_base::diagnostic::Diagnostic;
use hone_base::errln;

/// Time limit for the attempts to store a file.
const STORE: Duration = Duration::from_secs(120);
/// Time between two attempts.
const RETRY: Duration = Duration::from_secs(1);

/// The parts of a file that are sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Parts {
    /// Those that the server does not have.
    Missing,
    /// All, because the server has others.
    All,
}

/// Why an attempt to store a file has failed.
#[derive(Debug, thiserror::Error)]
enum StoreError {
    #[error("{0}")]
    Link(#[from] LinkError),
    #[error("{0}")]
    File(#[from] io::Error),
    #[error("the file has changed since the run identified it")]
    Changed,
}

/// The error of a file that is not stored.
fn cannot_store(file: &LocalFile, error: StoreError) -> Diagnostic {
    let path = file.path.display();
    let fault = Diagnostic::new(format!(
        "cannot store {path} on the fleet's server: {error}"
    ));
    match error {
        StoreError::Changed => fault.help(
            "restore the file and use `hone resume`, or start a new run; do not rebuild an engine until the run has sent it",
        ),
        error => fault.because(error),
    }
}

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
    pub(super) async fn put(&self, files: &[LocalFile]) -> Result<(), Diagnostic> {
        for file in files {
            let mut stored = self.stored.lock().await;
            if !stored.contains(&file.file.sha256) {
                let put = self.put_with_retries(file, Parts::Missing).await;
                put.map_err(|error| cannot_store(file, error))?;
                stored.insert(file.file.sha256.clone());
            }
        }
        Ok(())
    }

    /// Stores files again that were stored and of which the server has lost a part.
    ///
    /// # Errors
    /// Those of [`Uploads::put`].
    pub(super) async fn restore(&self, files: &[LocalFile]) -> Result<(), Diagnostic> {
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
                    if !self.put_again(file).await? {
                        stored.remove(sha256);
                    }
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

    /// Stores the missing parts of a file that was stored before. Returns whether it is stored.
    /// For a file that has changed, it prints a warning only: it may be the program of an
    /// earlier commit in a bisection.
    async fn put_again(&self, file: &LocalFile) -> Result<bool, Diagnostic> {
        tracing::info!("{} is stored again", file.path.display());
        match self.put_with_retries(file, Parts::Missing).await {
            Ok(()) => Ok(true),
            Err(StoreError::Changed) => {
                errln!(
                    "warning: the fleet's server has lost parts of {}, and the file has changed since",
                    file.path.display()
                );
                Ok(false)
            }
            Err(error) => Err(cannot_store(file, error)),
        }
    }

    /// Stores all parts of files again: the server has wrong ones.
    ///
    /// # Errors
    /// Those of [`Uploads::put`].
    pub(super) async fn replace(&self, files: &[LocalFile]) -> Result<(), Diagnostic> {
        for file in files {
            let mut stored = self.stored.lock().await;
            let put = self.put_with_retries(file, Parts::All).await;
            put.map_err(|error| cannot_store(file, error))?;
            stored.insert(file.file.sha256.clone());
        }
        Ok(())
    }

    async fn put_with_retries(&self, file: &LocalFile, which: Parts) -> Result<(), StoreError> {
        let deadline = Instant::now() + STORE;
        loop {
            match self.put_parts(file, which).await {
                Ok(()) => return Ok(()),
                Err(error @ StoreError::Changed) => return Err(error),
                Err(error) if Instant::now() > deadline => return Err(error),
                Err(error) => {
                    tracing::info!("{} is stored again: {error}", file.path.display());
                }
            }
            sleep(RETRY).await;
        }
    }

    /// Sends no part of another content than the job announces, because parts that the server
    /// has are not sent again.
    async fn put_parts(&self, file: &LocalFile, which: Parts) -> Result<(), StoreError> {
        let sha256 = &file.file.sha256;
        let stored: BTreeSet<u64> = match which {
            Parts::Missing => self.store.parts(sha256).await?.into_iter().collect(),
            Parts::All => BTreeSet::new(),
        };
        let missing: Vec<u64> = (0..file.file.chunks())
            .filter(|chunk| !stored.contains(chunk))
            .collect();
        if missing.is_empty() {
            return Ok(());
        }
        let path = file.path.clone();
        // In another thread: with a large file it takes seconds.
        let opened = spawn_blocking(move || Content::open(&path)).await;
        let mut content = opened.map_err(io::Error::other)??;
        if !content.is_of(&file.file) {
            return Err(StoreError::Changed);
        }
        for chunk in missing {
            let bytes = content.part(chunk)?.ok_or(StoreError::Changed)?;
            self.store.put(sha256, chunk, bytes).await?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::path::{Path, PathBuf};
    use std::{fs, sync};

    use super::*;
    use crate::message::{CHUNK, FileRef};
    use hone_base::checksum::sha256_of;

    /// A store whose first part overwrites a file while it is sent.
    #[derive(Clone, Default)]
    struct Store {
        parts: Arc<sync::Mutex<BTreeMap<u64, Vec<u8>>>>,
        overwrites: Option<PathBuf>,
    }

    impl FileStore for Store {
        async fn parts(&self, _sha256: &str) -> Result<Vec<u64>, LinkError> {
            let parts = self.parts.lock().expect("unpoisoned");
            Ok(parts.keys().copied().collect())
        }

        async fn put(&self, _sha256: &str, chunk: u64, bytes: Vec<u8>) -> Result<(), LinkError> {
            if let Some(path) = &self.overwrites {
                fs::write(path, content(2)).expect("written");
            }
            self.parts.lock().expect("unpoisoned").insert(chunk, bytes);
            Ok(())
        }
    }

    impl Store {
        fn stored(&self) -> Vec<u8> {
            let parts = self.parts.lock().expect("unpoisoned");
            parts.values().flatten().copied().collect()
        }
    }

    /// A content of three parts.
    fn content(byte: u8) -> Vec<u8> {
        vec![byte; CHUNK * 2 + 9]
    }

    fn local_file(path: &Path) -> LocalFile {
        fs::write(path, content(1)).expect("written");
        LocalFile {
            path: path.to_path_buf(),
            file: FileRef {
                sha256: sha256_of(&content(1)),
                bytes: content(1).len() as u64,
                name: "engine".to_string(),
                player: 0,
                option: None,
                bench: None,
            },
        }
    }

    #[tokio::test]
    async fn a_file_that_changes_while_it_is_sent_stops_the_run_and_leaves_no_wrong_part() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("engine");
        let file = local_file(&path);
        let store = Store {
            overwrites: Some(path.clone()),
            ..Store::default()
        };
        let stored = store.clone();
        let error = Uploads::to(store).put(std::slice::from_ref(&file)).await;
        let error = error.expect_err("it has changed");
        assert!(error.what().contains("has changed"), "{error}");
        assert_eq!(error.help_lines().len(), 1);
        assert_eq!(stored.stored(), vec![1; CHUNK]);
        // A later run with the original file sends the rest.
        let file = local_file(&path);
        let store = Store {
            parts: Arc::clone(&stored.parts),
            overwrites: None,
        };
        let uploads = Uploads::to(store);
        uploads.put(&[file]).await.expect("stored");
        assert_eq!(stored.stored(), content(1));
    }

    #[tokio::test]
    async fn a_file_that_has_changed_since_it_was_sent_is_not_restored_and_the_run_continues() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("engine");
        let files = [local_file(&path)];
        let store = Store::default();
        let uploads = Uploads::to(store.clone());
        uploads.put(&files).await.expect("stored");
        store.parts.lock().expect("unpoisoned").clear();
        fs::write(&path, content(2)).expect("written");
        uploads.restore(&files).await.expect("only a warning");
        assert!(store.stored().is_empty());
    }

    #[tokio::test]
    async fn wrong_parts_on_the_server_are_replaced() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = local_file(&folder.path().join("engine"));
        let store = Store::default();
        store
            .parts
            .lock()
            .expect("unpoisoned")
            .insert(1, vec![2; CHUNK]);
        let uploads = Uploads::to(store.clone());
        let files = [file];
        uploads.put(&files).await.expect("it seems complete");
        assert_ne!(store.stored(), content(1));
        uploads.replace(&files).await.expect("stored");
        assert_eq!(store.stored(), content(1));
    }
}
