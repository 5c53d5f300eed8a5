//! A small file system for one trial, which can become full or read-only.

use std::ffi::CString;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Environment variable of a process that runs in a namespace of its own.
const INSIDE: &str = "HONE_CAMPAIGN_INSIDE";
/// Bytes; enough for every kind of run, with its builds.
const SIZE: u64 = 256 << 20;

/// Starts this program again in a mount namespace of its own, so that its file systems are
/// unmounted when it ends. Returns if the system does not allow it.
pub(crate) fn enter_namespace() {
    if std::env::var_os(INSIDE).is_some() {
        return;
    }
    const FLAGS: [&str; 2] = ["--map-root-user", "--mount"];
    let probe = Command::new("unshare").args(FLAGS).arg("true").output();
    if probe.is_ok_and(|output| output.status.success())
        && let Ok(program) = std::env::current_exe()
    {
        // Returns only if it fails: disturbances that need a disk are skipped then.
        let _ = Command::new("unshare")
            .args(FLAGS)
            .arg(program)
            .args(std::env::args_os().skip(1))
            .env(INSIDE, "1")
            .exec();
    }
}

/// Whether a file system can be mounted.
pub(crate) fn can_mount(folder: &Path) -> bool {
    let probe = folder.join("mount-probe");
    let mounted = std::env::var_os(INSIDE).is_some()
        && fs::create_dir_all(&probe).is_ok()
        && Disk::mount(&probe).is_ok();
    let _ = fs::remove_dir(&probe);
    mounted
}

/// A mounted tmpfs; unmounted when dropped.
pub(crate) struct Disk {
    path: PathBuf,
}

impl Disk {
    pub(crate) fn mount(path: &Path) -> io::Result<Self> {
        let size = format!("size={SIZE}");
        let target = [path.as_os_str()];
        run(Command::new("mount")
            .args(["-t", "tmpfs", "-o", &size, "tmpfs"])
            .args(target))?;
        Ok(Self { path: path.into() })
    }

    /// Leaves `free` bytes of free space.
    pub(crate) fn fill(&self, free: u64) -> io::Result<()> {
        let shrink = || self.remount(&format!("size={}", used(&self.path)? + free));
        // Fails if files have grown since their size was read.
        (0..20)
            .map(|_| shrink())
            .find(Result::is_ok)
            .unwrap_or_else(shrink)
    }

    pub(crate) fn make_room(&self) -> io::Result<()> {
        self.remount(&format!("size={SIZE}"))
    }

    /// Fails while a file is open for writing.
    pub(crate) fn set_read_only(&self, read_only: bool) -> io::Result<()> {
        self.remount(if read_only { "ro" } else { "rw" })
    }

    fn remount(&self, option: &str) -> io::Result<()> {
        let options = format!("remount,{option}");
        run(Command::new("mount").args(["-o", &options]).arg(&self.path))
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        // Lazily, because a process may still have files open.
        let _ = run(Command::new("umount").arg("-l").arg(&self.path));
    }
}

fn run(command: &mut Command) -> io::Result<()> {
    let output = command.stdin(Stdio::null()).output()?;
    if output.status.success() {
        Ok(())
    } else {
        Err(io::Error::other(
            String::from_utf8_lossy(&output.stderr).into_owned(),
        ))
    }
}

/// Bytes in use on the file system of `path`.
fn used(path: &Path) -> io::Result<u64> {
    let path = CString::new(path.as_os_str().as_bytes())?;
    // SAFETY: all-zero is a valid value of this structure of numbers.
    let mut stat: libc::statvfs = unsafe { std::mem::zeroed() };
    // SAFETY: the path ends in NUL, and the structure outlives the call.
    if unsafe { libc::statvfs(path.as_ptr(), &mut stat) } != 0 {
        return Err(io::Error::last_os_error());
    }
    Ok((stat.f_blocks - stat.f_bfree) * stat.f_frsize)
}
