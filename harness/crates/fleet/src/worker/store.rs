//! The files of jobs on this machine, each fetched once and named by its SHA-256.

use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind, Seek, SeekFrom, Write};
use std::mem;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use anyhow::{Context, ensure};
use tokio::task::spawn_blocking;
use tokio::time::sleep;

use crate::link::FileSource;
use crate::message::{CHUNK, FileRef};
use hone_base::checksum::sha256_file;
use hone_base::platform::{is_same_file, open_existing_lock, open_lock};
use hone_base::text::with_causes;

/// Poll interval for a lock that another worker holds.
const LOCK_POLL: Duration = Duration::from_millis(200);
/// Maximum number of attempts to fetch a file.
const TRIES: u32 = 30;
/// Time between two attempts.
const RETRY: Duration = Duration::from_secs(2);
/// Age after which a file that was not used is removed.
const UNUSED: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// A file has arrived with another SHA-256 than announced.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct WrongContent(String);

/// The files `fleet/files/<sha256>/<name>` in the cache.
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

    /// Removes files that no worker has used for [`UNUSED`].
    pub(super) fn prune(&self) {
        let Ok(folders) = fs::read_dir(&self.dir) else {
            return;
        };
        for folder in folders.flatten() {
            remove_if_unused(&folder.path());
        }
    }

    /// Marks a file as used now, in the modification time of its lock: a change of the
    /// file's own time would make engines be identified again.
    pub(super) fn mark_used(path: &Path) {
        // Files in a folder that cannot be written are not pruned either.
        let lock = File::options().append(true).open(lock_of(path));
        let _ = lock.and_then(|lock| lock.set_modified(SystemTime::now()));
    }

    /// [`Store::fetch`], repeated for about a minute if it fails.
    ///
    /// # Errors
    /// Those of the last attempt. Errors of a local disk that is full or cannot be written
    /// are returned at once, and a wrong SHA-256 the second time: the run must then send the
    /// file again.
    pub(super) async fn fetch_with_retries(
        &self,
        file: &FileRef,
        source: &impl FileSource,
    ) -> anyhow::Result<PathBuf> {
        let mut was_wrong = false;
        for _ in 1..TRIES {
            match self.fetch(file, source).await {
                Ok(path) => return Ok(path),
                Err(error) if is_of_disk(&error) => return Err(error),
                // The first time, the parts of an earlier attempt may be damaged.
                Err(error) if error.is::<WrongContent>() && mem::replace(&mut was_wrong, true) => {
                    return Err(error);
                }
                Err(error) => {
                    tracing::info!("{} is fetched again: {}", file.name, with_causes(&error));
                }
            }
            sleep(RETRY).await;
        }
        self.fetch(file, source).await
    }

    /// The path of a file, which is fetched if it is missing or incomplete. Parts of an
    /// earlier attempt are not fetched again. Only one worker on this machine fetches a
    /// file at a time.
    ///
    /// # Errors
    /// If it cannot be fetched, or its SHA-256 is wrong.
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
            // A read-only cache may have the file.
            Err(_) if is_complete(&path, file).await? => return Ok(path),
            Err(error) => return Err(error.into()),
        };
        Self::mark_used(&path);
        if is_complete(&path, file).await? {
            return Ok(path);
        }
        let partial = folder.join(format!("{}.partial", file.name));
        // Windows neither locks nor shortens a file that is open only for appending.
        let mut options = File::options();
        let out = options
            .create(true)
            .truncate(false)
            .write(true)
            .open(&partial)?;
        let mut out = locked(out).await;
        append_missing(&mut out, file, source).await?;
        drop(out);
        // Between the fork and the exec of another process, that process has the file
        // open for writing, with its lock. Until then, the program cannot be started.
        drop(locked(File::open(&partial)?).await);
        let found = sha256_in_thread(&partial).await?;
        if found != file.sha256 {
            fs::remove_file(&partial)?;
            return Err(WrongContent(file.wrong_content(&found)).into());
        }
        make_executable(&partial)?;
        fs::rename(&partial, &path)?;
        Ok(path)
    }
}

/// Whether an error is that of a local disk that is full or cannot be written, which will
/// not change soon.
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

/// The path of a file's lock. Only the holder of the lock checks, fetches or removes the
/// file, or has it open for writing.
fn lock_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".lock");
    PathBuf::from(name)
}

/// Opens and takes a lock.
async fn lock(path: &Path) -> io::Result<File> {
    loop {
        let file = locked(open_lock(path)?).await;
        // Another worker may have removed it.
        if is_same_file(&file, path).unwrap_or(false) {
            return Ok(file);
        }
    }
}

/// Takes the lock of an open file, or returns at once on a file system without locks.
async fn locked(file: File) -> File {
    while let Err(TryLockError::WouldBlock) = file.try_lock() {
        sleep(LOCK_POLL).await;
    }
    file
}

/// Removes a folder whose files are all unused, unless a worker holds a lock in it.
fn remove_if_unused(folder: &Path) {
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    let files: Vec<PathBuf> = files.map(|entry| entry.path()).collect();
    let is_lock = |path: &&PathBuf| path.extension().is_some_and(|end| end == "lock");
    let mut locks = Vec::new();
    for path in files.iter().filter(is_lock) {
        let Ok(lock) = open_existing_lock(path) else {
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

/// Whether a file exists and has the right SHA-256.
async fn is_complete(path: &Path, file: &FileRef) -> anyhow::Result<bool> {
    Ok(path.is_file() && sha256_in_thread(path).await? == file.sha256)
}

async fn sha256_in_thread(path: &Path) -> anyhow::Result<String> {
    let path = path.to_path_buf();
    in_thread(move || sha256_file(&path)).await
}

/// Runs blocking work in another thread: with a large file it takes seconds, in which the
/// worker must keep its jobs alive.
async fn in_thread<T: Send + 'static>(
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> anyhow::Result<T> {
    Ok(spawn_blocking(work).await??)
}

/// Fetches the missing parts of a file.
async fn append_missing(
    out: &mut File,
    file: &FileRef,
    source: &impl FileSource,
) -> anyhow::Result<()> {
    let complete = out.metadata()?.len() / CHUNK as u64;
    out.set_len(complete * CHUNK as u64)?;
    out.seek(SeekFrom::End(0))?;
    for chunk in complete..file.chunks() {
        let bytes = source.chunk(&file.sha256, chunk).await?;
        ensure!(bytes.len() <= CHUNK, "a part of {} is too long", file.name);
        out.write_all(&bytes)?;
    }
    let out = out.try_clone()?;
    in_thread(move || out.sync_all()).await
}

fn make_executable(path: &Path) -> io::Result<()> {
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
    use crate::link::LinkError;
    use hone_base::checksum::hex;

    /// A source of the parts of a file up to `up_to`, and the requested parts.
    struct Parts {
        content: Vec<u8>,
        up_to: u64,
        requested: Mutex<Vec<u64>>,
    }

    impl FileSource for Parts {
        async fn chunk(&self, _sha256: &str, chunk: u64) -> Result<Vec<u8>, LinkError> {
            self.requested.lock().expect("unpoisoned").push(chunk);
            if chunk >= self.up_to {
                return Err(LinkError::new("it", "gone"));
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
            requested: Mutex::default(),
        };
        store.fetch(&wanted, &source).await.expect_err("cut off");
        source.up_to = 9;
        let path = store.fetch(&wanted, &source).await.expect("fetched");
        store.prune();
        assert!(path.exists(), "it was used just now");
        assert_eq!(*source.requested.lock().expect("unpoisoned"), [0, 1, 2, 2]);
        // A file that has changed is fetched again.
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
    fn only_a_full_or_read_only_disk_ends_the_retries() {
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

    #[tokio::test]
    async fn a_file_with_wrong_content_is_fetched_twice_and_then_reported() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::at(folder.path());
        let source = Parts {
            content: b"another build".to_vec(),
            up_to: 1,
            requested: Mutex::default(),
        };
        let wanted = file(b"engine");
        let fetched = store.fetch_with_retries(&wanted, &source).await;
        let reason = with_causes(&fetched.expect_err("another hash"));
        assert!(wanted.is_wrong_in(&reason), "{reason}");
        assert_eq!(*source.requested.lock().expect("unpoisoned"), [0, 0]);
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
    async fn files_are_removed_when_they_are_unused_and_not_locked() {
        let dir = tempfile::tempdir().expect("a folder");
        let store = Store::at(dir.path());
        let source = Parts {
            content: b"engine".to_vec(),
            up_to: 1,
            requested: Mutex::default(),
        };
        let wanted = file(b"engine");
        let path = store.fetch(&wanted, &source).await.expect("fetched");
        let folder = path.parent().expect("a folder");
        set_age(folder, 2 * UNUSED);
        let lock = lock(&lock_of(&path)).await.expect("locked");
        store.prune();
        assert!(path.exists(), "another worker holds the lock");
        drop(lock);
        Store::mark_used(&path);
        store.prune();
        assert!(path.exists(), "it is kept");
        set_age(folder, 2 * UNUSED);
        store.prune();
        assert!(!folder.exists());
        // Without a lock, a complete file is used.
        let path = store.fetch(&wanted, &source).await.expect("fetched");
        fs::remove_file(lock_of(&path)).expect("removed");
        fs::create_dir(lock_of(&path)).expect("made");
        store.fetch(&wanted, &source).await.expect("there");
        fs::remove_file(&path).expect("removed");
        store.fetch(&wanted, &source).await.expect_err("no lock");
    }

    /// A large program takes seconds, and jobs that are not kept alive go to another worker.
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
                requested: Mutex::default(),
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

    /// A source that yields to other tasks.
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

    /// A source during whose answer another thread starts a process.
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
    async fn a_process_that_is_started_meanwhile_does_not_block_a_program() {
        let dir = tempfile::tempdir().expect("a folder");
        fetch_and_start(&Store::at(dir.path()), &Starting).await;
    }
}
