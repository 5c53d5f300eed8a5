//! Files of jobs on this machine: fetched once, by their hash, and kept.

use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use anyhow::{Context, bail, ensure};
use tokio::task::spawn_blocking;
use tokio::time::sleep;

use crate::checksum::sha256_file;
use crate::fleet::link::FileSource;
use crate::fleet::message::{CHUNK, FileRef};
use crate::output::with_causes;
use crate::platform::{is_same_file, open_lock};

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
        for folder in folders.flatten() {
            remove_if_unused(&folder.path());
        }
    }

    /// Keeps a file that was fetched from being pruned. The time is that of its
    /// lock: engines whose own file changes are read again.
    pub(super) fn keep(path: &Path) {
        // A folder that cannot be written stays.
        let lock = File::options().append(true).open(lock_of(path));
        let _ = lock.and_then(|lock| lock.set_modified(SystemTime::now()));
    }

    /// [`Store::fetch`], also if the server is away for a while.
    ///
    /// # Errors
    /// Those of the last try; at once those of a disk here that is full or must not be
    /// written.
    pub(super) async fn fetch_patiently(
        &self,
        file: &FileRef,
        source: &impl FileSource,
    ) -> anyhow::Result<PathBuf> {
        for _ in 1..TRIES {
            match self.fetch(file, source).await {
                Ok(path) => return Ok(path),
                Err(error) if is_of_disk(&error) => return Err(error),
                Err(error) => {
                    tracing::info!("{} is fetched again: {}", file.name, with_causes(&error));
                }
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
        fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
        let _lock = match lock(&lock_of(&path)).await {
            Ok(lock) => lock,
            // A cache that cannot be written.
            Err(_) if is_there(&path, file).await? => return Ok(path),
            Err(error) => return Err(error.into()),
        };
        Self::keep(&path);
        if is_there(&path, file).await? {
            return Ok(path);
        }
        let partial = folder.join(format!("{}.partial", file.name));
        let out = File::options().create(true).append(true).open(&partial)?;
        let mut out = locked(out).await;
        append_missing(&mut out, file, source).await?;
        drop(out);
        // A process that is being started has the descriptor, and with it the
        // lock, until its exec. A program that is open so cannot be started.
        drop(locked(File::open(&partial)?).await);
        let found = sha256_apart(&partial).await?;
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

/// Whether the disk here is full or must not be written: that does not pass soon.
fn is_of_disk(error: &anyhow::Error) -> bool {
    let mut causes = error.chain();
    let cause = causes.find_map(|cause| cause.downcast_ref::<io::Error>());
    let lasting = [
        ErrorKind::StorageFull,
        ErrorKind::QuotaExceeded,
        ErrorKind::PermissionDenied,
        ErrorKind::ReadOnlyFilesystem,
    ];
    cause.is_some_and(|cause| lasting.contains(&cause.kind()))
}

/// The lock of a file: whoever has it looks for the file, fetches it or removes
/// it. Nobody else has the file open for writing.
fn lock_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".lock");
    PathBuf::from(name)
}

/// Takes a lock.
async fn lock(path: &Path) -> std::io::Result<File> {
    loop {
        let file = locked(open_lock(path)?).await;
        // Whoever had it may have removed it.
        if is_same_file(&file, path).unwrap_or(false) {
            return Ok(file);
        }
    }
}

/// Waits until nobody else has the lock of a file. A file system without locks
/// does not stop anybody.
async fn locked(file: File) -> File {
    while let Err(TryLockError::WouldBlock) = file.try_lock() {
        sleep(LOCKED).await;
    }
    file
}

/// Removes a folder whose files are all old, unless a worker has a lock in it.
fn remove_if_unused(folder: &Path) {
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    let files: Vec<PathBuf> = files.map(|entry| entry.path()).collect();
    let is_lock = |path: &&PathBuf| path.extension().is_some_and(|end| end == "lock");
    let mut locks = Vec::new();
    for path in files.iter().filter(is_lock) {
        let Ok(lock) = File::options().append(true).open(path) else {
            continue;
        };
        if let Err(TryLockError::WouldBlock) = lock.try_lock() {
            return;
        }
        locks.push(lock);
    }
    let is_old = |path: &PathBuf| {
        let modified = path.metadata().and_then(|data| data.modified());
        modified.is_ok_and(|time| time.elapsed().is_ok_and(|age| age > UNUSED))
    };
    if files.iter().all(is_old) {
        // Another worker may do the same.
        let _ = fs::remove_dir_all(folder);
    }
}

/// Whether a file is there whole.
async fn is_there(path: &Path, file: &FileRef) -> anyhow::Result<bool> {
    Ok(path.is_file() && sha256_apart(path).await? == file.sha256)
}

async fn sha256_apart(path: &Path) -> anyhow::Result<String> {
    let path = path.to_path_buf();
    apart(move || sha256_file(&path)).await
}

/// Does what may take seconds with a large file in another thread: meanwhile the worker
/// keeps its jobs.
async fn apart<T: Send + 'static>(
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> anyhow::Result<T> {
    Ok(spawn_blocking(work).await??)
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
    let out = out.try_clone()?;
    apart(move || out.sync_all()).await
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
    use crate::output::hex;

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
        FileRef {
            sha256: hex(&Sha256::digest(content)),
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

    #[test]
    fn only_a_disk_that_is_full_or_must_not_be_written_ends_the_tries() {
        let full = || io::Error::from(ErrorKind::StorageFull);
        let failed: anyhow::Result<()> = Err(full()).context("files").context("engine");
        assert!(is_of_disk(&failed.expect_err("full")));
        for error in [
            LinkError::new("cannot fetch a file", full()).into(),
            io::Error::from(ErrorKind::TimedOut).into(),
            anyhow::anyhow!("a part of engine is too long"),
        ] {
            assert!(!is_of_disk(&error), "{error}");
        }
    }

    fn set_age(folder: &Path, age: Duration) {
        let modified = SystemTime::now().checked_sub(age).expect("a time");
        for entry in fs::read_dir(folder).expect("a folder").flatten() {
            let file = File::options().append(true).open(entry.path());
            file.and_then(|file| file.set_modified(modified))
                .expect("set");
        }
    }

    #[tokio::test]
    async fn files_are_removed_when_they_are_old_and_nobody_looks_for_them() {
        let dir = tempfile::tempdir().expect("a folder");
        let store = Store::at(dir.path());
        let source = Parts {
            content: b"engine".to_vec(),
            up_to: 1,
            asked: Mutex::default(),
        };
        let wanted = file(b"engine");
        let path = store.fetch(&wanted, &source).await.expect("fetched");
        let folder = path.parent().expect("a folder");
        set_age(folder, 2 * UNUSED);
        let lock = lock(&lock_of(&path)).await.expect("locked");
        store.prune();
        assert!(path.exists(), "another worker looks for it");
        drop(lock);
        Store::keep(&path);
        store.prune();
        assert!(path.exists(), "it is kept");
        set_age(folder, 2 * UNUSED);
        store.prune();
        assert!(!folder.exists());
        // Where no lock can be written, what is there is used.
        let path = store.fetch(&wanted, &source).await.expect("fetched");
        fs::remove_file(lock_of(&path)).expect("removed");
        fs::create_dir(lock_of(&path)).expect("made");
        store.fetch(&wanted, &source).await.expect("there");
        fs::remove_file(&path).expect("removed");
        store.fetch(&wanted, &source).await.expect_err("no lock");
    }

    /// A large program takes seconds, and the jobs of a silent worker go
    /// to another.
    #[test]
    fn a_file_is_hashed_in_another_thread() {
        let dir = tempfile::tempdir().expect("a folder");
        let store = Store::at(dir.path());
        let wanted = file(b"engine");
        let folder = store.dir.join(&wanted.sha256);
        fs::create_dir_all(&folder).expect("made");
        fs::write(folder.join(&wanted.name), "engine").expect("written");
        let runtime = tokio::runtime::Builder::new_current_thread()
            .max_blocking_threads(1)
            .enable_all()
            .build()
            .expect("a runtime");
        runtime.block_on(async {
            let (free, until_free) = std::sync::mpsc::channel::<()>();
            let other = spawn_blocking(move || until_free.recv());
            let source = Parts {
                content: Vec::new(),
                up_to: 0,
                asked: Mutex::default(),
            };
            let mut fetch = std::pin::pin!(store.fetch(&wanted, &source));
            tokio::select! {
                biased;
                _ = &mut fetch => panic!("the other thread is busy"),
                () = tokio::task::yield_now() => {}
            }
            drop(free);
            other.await.expect("ended").expect_err("no more");
            fetch.await.expect("there");
        });
    }

    #[cfg(unix)]
    const SCRIPT: &[u8] = b"#!/bin/sh\n";

    /// Fetches a program and starts it at once.
    #[cfg(unix)]
    async fn fetch_and_start(store: &Store, source: &impl FileSource) {
        let path = store.fetch(&file(SCRIPT), source).await.expect("fetched");
        let status = std::process::Command::new(path).status();
        assert!(status.expect("started").success());
    }

    /// A server that lets others have a turn.
    #[cfg(unix)]
    struct Slow;

    #[cfg(unix)]
    impl FileSource for Slow {
        async fn chunk(&self, _sha256: &str, _chunk: u64) -> Result<Vec<u8>, LinkError> {
            tokio::task::yield_now().await;
            Ok(SCRIPT.to_vec())
        }
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn two_workers_with_one_cache_can_start_what_one_has_fetched() {
        let dir = tempfile::tempdir().expect("a folder");
        let stores = [Store::at(dir.path()), Store::at(dir.path())];
        tokio::join!(
            fetch_and_start(&stores[0], &Slow),
            fetch_and_start(&stores[1], &Slow),
        );
    }

    /// While it sends a file, another thread starts a process.
    #[cfg(unix)]
    struct Starting;

    #[cfg(unix)]
    impl FileSource for Starting {
        async fn chunk(&self, _sha256: &str, _chunk: u64) -> Result<Vec<u8>, LinkError> {
            use std::io::Read;
            use std::os::unix::process::CommandExt;
            let (mut forked, mut tell) = std::io::pipe().expect("a pipe");
            std::thread::spawn(move || {
                let mut command = std::process::Command::new("true");
                let before_exec = move || {
                    tell.write_all(b"!")?;
                    std::thread::sleep(Duration::from_millis(300));
                    Ok(())
                };
                // SAFETY: it only makes system calls.
                unsafe {
                    command.pre_exec(before_exec);
                }
                command.status().expect("started");
            });
            forked.read_exact(&mut [0]).expect("a fork");
            Ok(SCRIPT.to_vec())
        }
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn a_process_that_is_started_meanwhile_does_not_keep_a_program_busy() {
        let dir = tempfile::tempdir().expect("a folder");
        fetch_and_start(&Store::at(dir.path()), &Starting).await;
    }
}
