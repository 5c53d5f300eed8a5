//! Files of jobs on this machine: fetched once, by their hash, and kept.

use std::fs::{self, File, TryLockError};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use anyhow::{Context, bail, ensure};
use tokio::time::sleep;

use crate::builds::sha256_file;
use crate::fleet::link::FileSource;
use crate::fleet::message::{CHUNK, FileRef};

/// How often another worker's fetching is looked at.
const LOCKED: Duration = Duration::from_millis(200);
/// How often a file is tried to be fetched, and how long is waited between.
const TRIES: u32 = 30;
const AGAIN: Duration = Duration::from_secs(2);
const UNUSED: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// Where the files are: `fleet/files/<sha256>/<name>` in the cache.
#[derive(Debug, Clone)]
pub(super) struct Store {
    dir: PathBuf,
}

impl Store {
    pub(super) fn at(cache: &Path) -> Self {
        Self {
            dir: cache.join("fleet").join("files"),
        }
    }

    /// Removes files that no worker has used for a month.
    pub(super) fn prune(&self) {
        let Ok(folders) = fs::read_dir(&self.dir) else {
            return;
        };
        for folder in folders.flatten().map(|entry| entry.path()) {
            let mut files = fs::read_dir(&folder).into_iter().flatten().flatten();
            let is_old = |file: fs::DirEntry| {
                let modified = file.metadata().and_then(|data| data.modified());
                modified.is_ok_and(|time| time.elapsed().is_ok_and(|age| age > UNUSED))
            };
            if files.all(is_old) {
                // Another worker may do the same.
                let _ = fs::remove_dir_all(&folder);
            }
        }
    }

    /// [`Store::fetch`], also if the server is away for a while.
    ///
    /// # Errors
    /// Those of the last try.
    pub(super) async fn fetch_patiently(
        &self,
        file: &FileRef,
        source: &impl FileSource,
    ) -> anyhow::Result<PathBuf> {
        for _ in 1..TRIES {
            match self.fetch(file, source).await {
                Ok(path) => return Ok(path),
                Err(error) => tracing::info!("{} is fetched again: {error:#}", file.name),
            }
            sleep(AGAIN).await;
        }
        self.fetch(file, source).await
    }

    /// The file's path, fetched if it is not there whole. What an earlier try
    /// has fetched is not fetched again; of several workers on this machine one
    /// fetches.
    ///
    /// # Errors
    /// If it cannot be fetched, or is not what its hash names.
    pub(super) async fn fetch(
        &self,
        file: &FileRef,
        source: &impl FileSource,
    ) -> anyhow::Result<PathBuf> {
        let folder = self.dir.join(&file.sha256);
        let path = folder.join(&file.name);
        let is_there = || anyhow::Ok(path.is_file() && sha256_file(&path)? == file.sha256);
        if is_there()? {
            // Kept from being pruned; a folder that cannot be written stays.
            let _ = File::open(&path).and_then(|file| file.set_modified(SystemTime::now()));
            return Ok(path);
        }
        fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
        let partial = folder.join(format!("{}.partial", file.name));
        let mut out = File::options().create(true).append(true).open(&partial)?;
        while let Err(TryLockError::WouldBlock) = out.try_lock() {
            sleep(LOCKED).await;
        }
        if is_there()? {
            return Ok(path);
        }
        append_missing(&mut out, file, source).await?;
        drop(out);
        let found = sha256_file(&partial)?;
        if found != file.sha256 {
            fs::remove_file(&partial)?;
            bail!(
                "{} came with sha256 {}, and {} was announced",
                file.name,
                &found[..12],
                &file.sha256[..12]
            );
        }
        make_executable(&partial)?;
        fs::rename(&partial, &path)?;
        Ok(path)
    }
}

/// Completes what there is of a file.
async fn append_missing(
    out: &mut File,
    file: &FileRef,
    source: &impl FileSource,
) -> anyhow::Result<()> {
    let there = out.metadata()?.len() / CHUNK as u64;
    out.set_len(there * CHUNK as u64)?;
    for chunk in there..file.chunks() {
        let bytes = source.chunk(&file.sha256, chunk).await?;
        ensure!(bytes.len() <= CHUNK, "a part of {} is too long", file.name);
        out.write_all(&bytes)?;
    }
    Ok(out.sync_all()?)
}

fn make_executable(path: &Path) -> std::io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(path, fs::Permissions::from_mode(0o755))?;
    }
    let _ = path;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use sha2::{Digest, Sha256};

    use super::*;
    use crate::fleet::link::LinkError;

    /// A file that is sent up to a part, and which parts were asked for.
    struct Parts {
        content: Vec<u8>,
        up_to: u64,
        asked: Mutex<Vec<u64>>,
    }

    impl FileSource for Parts {
        async fn chunk(&self, _sha256: &str, chunk: u64) -> Result<Vec<u8>, LinkError> {
            self.asked.lock().expect("unpoisoned").push(chunk);
            if chunk >= self.up_to {
                return Err(LinkError("gone".to_string()));
            }
            let mut parts = self.content.chunks(CHUNK);
            Ok(parts.nth(chunk as usize).expect("a part").to_vec())
        }
    }

    fn file(content: &[u8]) -> FileRef {
        let digest = Sha256::digest(content);
        FileRef {
            sha256: digest.iter().map(|byte| format!("{byte:02x}")).collect(),
            bytes: content.len() as u64,
            name: "engine".to_string(),
            player: 0,
            option: None,
            bench: None,
        }
    }

    #[tokio::test]
    async fn fetching_continues_where_it_stopped_and_checks_the_hash() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::at(folder.path());
        let content: Vec<u8> = (0..CHUNK * 2 + 9).map(|i| (i / 7) as u8).collect();
        let wanted = file(&content);
        let mut source = Parts {
            content,
            up_to: 2,
            asked: Mutex::default(),
        };
        store.fetch(&wanted, &source).await.expect_err("cut off");
        source.up_to = 9;
        let path = store.fetch(&wanted, &source).await.expect("fetched");
        store.prune();
        assert!(path.exists(), "it was used just now");
        assert_eq!(*source.asked.lock().expect("unpoisoned"), [0, 1, 2, 2]);
        // A file that was changed since is fetched anew.
        store.fetch(&wanted, &source).await.expect("there");
        fs::write(&path, "other").expect("written");
        store.fetch(&wanted, &source).await.expect("fetched");
        assert_eq!(sha256_file(&path).expect("read"), wanted.sha256);
        // Other bytes than announced are never kept.
        let mut other = wanted.clone();
        other.sha256 = "0".repeat(64);
        let error = store
            .fetch(&other, &source)
            .await
            .expect_err("another hash");
        assert!(error.to_string().contains("announced"), "{error}");
    }
}
