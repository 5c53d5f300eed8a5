//! Identity, permissions and length of files, and atomic replacement.

use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tempfile::NamedTempFile;

/// Distinguishes a file from another at the same path: device, inode, and the time of the
/// last inode change in seconds and nanoseconds, which programs cannot set. Empty on
/// Windows, where only length and time distinguish files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileId(Option<(u64, u64, i64, i64)>);

impl FileId {
    #[cfg(unix)]
    pub fn of(file: &fs::Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        Self(Some((
            file.dev(),
            file.ino(),
            file.ctime(),
            file.ctime_nsec(),
        )))
    }

    #[cfg(not(unix))]
    pub fn of(_file: &fs::Metadata) -> Self {
        Self(None)
    }
}

/// Another user who can write to a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outsider {
    /// The user with this id, who owns it.
    Owner(u32),
    /// Every user of the machine.
    Everybody,
}

/// Who can write to a folder besides this user and root. Groups are not checked: on many
/// systems each user has a private group.
///
/// # Errors
/// Those of reading the metadata.
#[cfg(unix)]
pub fn outsider(folder: &Path) -> io::Result<Option<Outsider>> {
    use std::os::unix::fs::MetadataExt;
    let folder = folder.metadata()?;
    // SAFETY: geteuid is always safe to call.
    let user = unsafe { libc::geteuid() };
    Ok(match folder.uid() {
        owner if owner != user && owner != 0 => Some(Outsider::Owner(owner)),
        _ if folder.mode() & 0o002 != 0 => Some(Outsider::Everybody),
        _ => None,
    })
}

/// The access control lists of Windows are not checked.
#[cfg(not(unix))]
pub fn outsider(folder: &Path) -> io::Result<Option<Outsider>> {
    folder.metadata().map(|_| None)
}

/// Opens a file for reading. Refuses a pipe or a device: opening a pipe waits for a writer,
/// and a device may never end.
///
/// # Errors
/// Those of the file system, and if it is not a regular file.
pub fn open_regular(path: &Path) -> io::Result<File> {
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::other("not a regular file"));
    }
    File::open(path)
}

/// Reads a file that [`open_regular`] opens.
///
/// # Errors
/// Those of [`open_regular`] and of reading.
pub fn read_regular(path: &Path) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    open_regular(path)?.read_to_end(&mut content)?;
    Ok(content)
}

/// Maximum size of a text that [`read_text`] reads, in bytes: hundreds of times that of a large
/// configuration.
const LARGEST_TEXT: u64 = 64 << 20;

/// Reads a text of a user: of a regular file of at most 64 MiB.
///
/// # Errors
/// Those of [`open_regular`] and of reading, and if the file is larger.
pub fn read_text(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    let mut start = open_regular(path)?.take(LARGEST_TEXT.saturating_add(1));
    start.read_to_string(&mut text)?;
    if text.len() as u64 > LARGEST_TEXT {
        let largest = LARGEST_TEXT >> 20;
        return Err(io::Error::other(format!("larger than {largest} MiB")));
    }
    Ok(text)
}

/// Whether a file has a permission to execute.
#[cfg(unix)]
pub fn is_executable(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    file.metadata()
        .is_ok_and(|metadata| metadata.permissions().mode() & 0o111 != 0)
}

/// Windows has no such permission.
#[cfg(not(unix))]
pub fn is_executable(_file: &Path) -> bool {
    true
}

/// Creates a folder that only this user can enter, with its missing parents.
///
/// # Errors
/// Those of the file system.
pub fn create_private(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// As [`create_private`]; an existing folder also becomes private.
///
/// # Errors
/// Those of the file system.
pub fn make_private(folder: &Path) -> io::Result<()> {
    create_private(folder)?;
    #[cfg(unix)]
    fs::set_permissions(folder, std::os::unix::fs::PermissionsExt::from_mode(0o700))?;
    Ok(())
}

/// Replaces a file atomically: it keeps its old content until all is written, also after a
/// power failure. It keeps its permissions. A symbolic link keeps its target, which is
/// replaced. A device or a pipe is written directly.
///
/// # Errors
/// Those of the file system and of `write`.
pub fn write_whole<E: From<io::Error>>(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> Result<(), E>,
) -> Result<(), E> {
    let path = &path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    if path.exists() && !path.is_file() {
        return write(&mut File::options().write(true).open(path)?);
    }
    let file = create_beside(path, 0o666)?;
    if let Ok(old) = path.metadata() {
        file.as_file().set_permissions(old.permissions())?;
    }
    replace(path, file, write)
}

/// As [`write_whole`] for a secret: afterwards only its owner can read the file.
///
/// # Errors
/// Those of the file system.
pub fn write_private(path: &Path, content: &[u8]) -> io::Result<()> {
    let file = create_beside(path, 0o600)?;
    replace(path, file, |file| file.write_all(content))
}

/// A part of file names that is unique to this process: its id, which a process in another
/// container may share, and the time of the first call.
pub fn process_mark() -> &'static str {
    static MARK: LazyLock<String> = LazyLock::new(|| {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        format!(
            "{}-{:x}",
            std::process::id(),
            since.unwrap_or_default().as_nanos()
        )
    });
    &MARK
}

/// The folder of a file; `.` for a bare name.
fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// Beginning and end of the name of a file that is being written; six letters or digits are
/// between them.
const UNFINISHED: (&str, &str) = (".hone-", ".tmp");

/// Time without a write after which an unfinished file counts as abandoned.
const ABANDONED: Duration = Duration::from_secs(60 * 60);

/// Removes files that processes were writing in a folder when they were killed. Errors are
/// ignored: these files do no harm.
pub fn remove_abandoned(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        // The metadata is that of a symbolic link itself.
        let is_abandoned = is_unfinished(&entry.file_name().to_string_lossy())
            && entry.metadata().is_ok_and(|file| {
                let age = file.modified().ok().and_then(|time| time.elapsed().ok());
                file.is_file() && age.is_some_and(|age| age >= ABANDONED)
            });
        if is_abandoned {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Whether a file that is being written has such a name.
pub fn is_unfinished(name: &str) -> bool {
    let (begin, end) = UNFINISHED;
    let random = name
        .strip_prefix(begin)
        .and_then(|name| name.strip_suffix(end));
    random.is_some_and(|random| {
        random.len() == 6 && random.bytes().all(|byte| byte.is_ascii_alphanumeric())
    })
}

/// A new file in the folder of `path`, removed on drop unless it is persisted. Its
/// permissions are `mode` without the umask.
fn create_beside(path: &Path, mode: u32) -> io::Result<NamedTempFile> {
    let (begin, end) = UNFINISHED;
    let mut named = tempfile::Builder::new();
    named.prefix(begin).suffix(end).rand_bytes(6);
    named.make_in(folder_of(path), |path| {
        let mut options = File::options();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, mode);
        #[cfg(not(unix))]
        let _ = mode;
        options.open(path)
    })
}

/// Writes a file and renames it to `path`.
fn replace<E: From<io::Error>>(
    path: &Path,
    file: NamedTempFile,
    write: impl FnOnce(&mut dyn Write) -> Result<(), E>,
) -> Result<(), E> {
    let mut buffered = BufWriter::new(file.as_file());
    write(&mut buffered)?;
    let written = buffered.into_inner();
    let written = written.map_err(io::IntoInnerError::into_error)?;
    written.sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    // The file is replaced; not every file system can sync folders.
    let _ = sync(folder_of(path));
    Ok(())
}

/// Flushes a file to disk, or the names in a folder.
///
/// # Errors
/// Those of the file system; for a folder always on Windows.
pub fn sync(path: &Path) -> io::Result<()> {
    // Windows can flush only files that are open for writing.
    let file = File::options().read(true).write(cfg!(windows)).open(path);
    file?.sync_all()
}

/// Whether an open file is still the one at its path.
///
/// # Errors
/// Those of reading the metadata.
#[cfg(unix)]
pub fn is_same_file(file: &File, path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let (open, named) = (file.metadata()?, path.metadata()?);
    Ok((open.dev(), open.ino()) == (named.dev(), named.ino()))
}

/// Open files cannot be replaced on other systems.
#[cfg(not(unix))]
pub fn is_same_file(_file: &File, path: &Path) -> io::Result<bool> {
    path.try_exists()
}

/// Truncates or extends a file that is open at `path` for appending.
///
/// # Errors
/// Those of the file system.
#[cfg(not(windows))]
pub fn set_len(file: &File, _path: &Path, len: u64) -> io::Result<()> {
    file.set_len(len)
}

/// Truncates or extends a file. Windows requires a handle with full write access.
#[cfg(windows)]
pub fn set_len(_file: &File, path: &Path, len: u64) -> io::Result<()> {
    File::options().write(true).open(path)?.set_len(len)
}

/// Appends bytes to a file of `len` bytes that is open at `path` for appending. If that
/// fails after a part of them, as on a full disk, removes this part.
///
/// # Errors
/// Those of the file system.
pub fn append_whole(mut file: &File, path: &Path, len: u64, bytes: &[u8]) -> io::Result<()> {
    file.write_all(bytes).inspect_err(|_| {
        // If this fails too, the part is cut off when the file is opened again.
        let _ = set_len(file, path, len);
    })
}

/// The absolute path of an existing file, with symbolic links resolved. On Windows they are
/// not: resolved paths have a form (`\\?\C:\…`) that many programs do not accept.
///
/// # Errors
/// If the file does not exist.
pub fn full_path(path: &Path) -> io::Result<PathBuf> {
    if cfg!(windows) {
        fs::metadata(path)?;
        std::path::absolute(path)
    } else {
        path.canonicalize()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_cannot_be_written_whole_keeps_what_it_held() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("report.html");
        write_whole(&path, |file| file.write_all(b"whole")).expect("written");
        let failed = write_whole(&path, |file| {
            file.write_all(b"cut")?;
            Err(io::Error::other("no room"))
        });
        assert!(failed.is_err());
        assert_eq!(fs::read(&path).expect("there"), b"whole");
        let files = fs::read_dir(folder.path()).expect("there");
        assert_eq!(files.count(), 1);
    }

    #[test]
    fn only_old_files_that_hone_was_writing_are_removed() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = |name: &str, age: Duration| {
            let file = File::create(folder.path().join(name)).expect("made");
            file.set_modified(SystemTime::now() - age).expect("set");
        };
        let unfinished = create_beside(&folder.path().join("report.html"), 0o666).expect("made");
        let killed = unfinished.path().file_name().expect("a name").to_owned();
        let killed = killed.into_string().expect("text");
        // As a killed process leaves it.
        unfinished.keep().expect("kept");
        file(&killed, ABANDONED);
        file(".hone-abc123.tmp", Duration::ZERO);
        let others = [".hone-abc1234.tmp", ".tmpabc123", "report.html"];
        others.iter().for_each(|name| file(name, ABANDONED));
        fs::create_dir(folder.path().join(".hone-folder.tmp")).expect("made");
        remove_abandoned(folder.path());
        let left = fs::read_dir(folder.path()).expect("there").flatten();
        let mut left: Vec<_> = left.map(|entry| entry.file_name()).collect();
        left.sort();
        let expected = [
            ".hone-abc123.tmp",
            ".hone-abc1234.tmp",
            ".hone-folder.tmp",
            ".tmpabc123",
            "report.html",
        ];
        assert_eq!(left, expected);
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_is_replaced_keeps_its_permissions() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("report.html");
        fs::write(&path, "old").expect("written");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).expect("ours");
        write_whole(&path, |file| file.write_all(b"new")).expect("written");
        let mode = path.metadata().expect("there").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_that_others_could_enter_becomes_private() {
        use std::os::unix::fs::PermissionsExt;
        let parent = tempfile::tempdir().expect("a folder");
        let shared = parent.path().join("shared");
        fs::create_dir(&shared).expect("made");
        fs::set_permissions(&shared, fs::Permissions::from_mode(0o755)).expect("ours");
        for folder in [shared, parent.path().join("new")] {
            make_private(&folder).expect("made");
            let mode = folder.metadata().expect("there").permissions().mode();
            assert_eq!(mode & 0o777, 0o700, "{}", folder.display());
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_secret_is_read_by_its_owner_alone() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("tokens.toml");
        fs::write(&path, "old").expect("written");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).expect("ours");
        write_private(&path, b"new").expect("written");
        assert_eq!(fs::read(&path).expect("there"), b"new");
        let mode = path.metadata().expect("there").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        let files = fs::read_dir(folder.path()).expect("there");
        assert_eq!(files.count(), 1);
    }

    #[test]
    fn a_file_is_truncated_and_appended_to() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("größer ♞.csv");
        let mut file = File::options()
            .read(true)
            .append(true)
            .create(true)
            .open(&path)
            .expect("made");
        file.write_all(b"one\ntwo\nthr").expect("written");
        set_len(&file, &path, 8).expect("truncated");
        file.write_all(b"three\n").expect("written");
        let text = fs::read_to_string(&path).expect("read");
        assert_eq!(text, "one\ntwo\nthree\n");
        assert!(is_same_file(&file, &path).expect("there"));
    }

    #[test]
    fn a_text_is_read_from_a_regular_file_of_limited_size() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("text");
        fs::write(&path, "text").expect("written");
        assert_eq!(read_text(&path).expect("read"), "text");
        let refusal = |path: &Path| read_text(path).expect_err("refused").to_string();
        assert_eq!(refusal(folder.path()), "not a regular file");
        // A file without blocks on the disk.
        let file = fs::File::create(&path).expect("made");
        file.set_len(LARGEST_TEXT + 1).expect("long");
        assert_eq!(refusal(&path), "larger than 64 MiB");
        file.set_len(2 << 30).expect("long");
        assert_eq!(refusal(&path), "larger than 64 MiB");
        #[cfg(unix)]
        {
            let pipe = folder.path().join("pipe");
            let made = std::process::Command::new("mkfifo").arg(&pipe).status();
            assert!(made.expect("mkfifo").success());
            assert_eq!(refusal(&pipe), "not a regular file");
        }
    }
}
