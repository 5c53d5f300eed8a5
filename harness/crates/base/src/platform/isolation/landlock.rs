//! Isolation by a Landlock domain, which needs no rights and also holds for root. Whatever
//! its rules are, a process in a domain can trace only processes of the same or of a nested
//! domain, and `/proc/PID/fd` and `/proc/PID/mem` are open only to those that may trace.

use std::io;
use std::mem::size_of;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::ptr;
use std::sync::OnceLock;
use std::thread;

use super::Isolation;

/// Constants of `linux/landlock.h`.
const CREATE_RULESET_VERSION: u32 = 1;
const RULE_PATH_BENEATH: u32 = 1;
const ACCESS_MAKE_BLOCK: u64 = 1 << 11;
const ACCESS_REFER: u64 = 1 << 13;
const SCOPE_SIGNAL: u64 = 1 << 1;
/// First versions with `ACCESS_REFER` (Linux 5.19) and `SCOPE_SIGNAL` (Linux 6.12).
const REFER_VERSION: libc::c_long = 2;
const SCOPE_VERSION: libc::c_long = 6;

/// `struct landlock_ruleset_attr`; the kernel accepts zeros beyond the fields it has.
#[repr(C)]
struct RulesetAttributes {
    handled_access_fs: u64,
    handled_access_net: u64,
    scoped: u64,
}

/// `struct landlock_path_beneath_attr`.
#[repr(C, packed)]
struct PathBeneath {
    allowed_access: u64,
    parent_fd: i32,
}

/// The rules of a domain that restricts nothing but what every domain does, and signals.
#[derive(Debug)]
struct Ruleset {
    fd: OwnedFd,
    isolation: Isolation,
}

impl Ruleset {
    /// The rules for a version of Landlock.
    fn of(version: libc::c_long) -> io::Result<Self> {
        if version >= SCOPE_VERSION {
            return Ok(Self {
                fd: create(0, SCOPE_SIGNAL)?,
                isolation: Isolation::Full,
            });
        }
        // A domain needs a right that it restricts: making block devices, which is then
        // allowed everywhere. Renaming between folders must be restricted to be allowed.
        let mut rights = ACCESS_MAKE_BLOCK;
        if version >= REFER_VERSION {
            rights |= ACCESS_REFER;
        }
        let fd = create(rights, 0)?;
        allow_everywhere(&fd, rights)?;
        Ok(Self {
            fd,
            isolation: Isolation::Partial,
        })
    }
}

fn create(handled_access_fs: u64, scoped: u64) -> io::Result<OwnedFd> {
    let attributes = RulesetAttributes {
        handled_access_fs,
        handled_access_net: 0,
        scoped,
    };
    // SAFETY: the call reads the struct, whose size is given.
    let fd = unsafe {
        libc::syscall(
            libc::SYS_landlock_create_ruleset,
            &raw const attributes,
            size_of::<RulesetAttributes>(),
            0,
        )
    };
    let fd = RawFd::try_from(result(fd)?).map_err(io::Error::other)?;
    // SAFETY: the descriptor is new; it is closed on exec.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

fn allow_everywhere(ruleset: &OwnedFd, rights: u64) -> io::Result<()> {
    let root = std::fs::File::open("/")?;
    let rule = PathBeneath {
        allowed_access: rights,
        parent_fd: root.as_raw_fd(),
    };
    // SAFETY: the call reads the struct, and both descriptors are open.
    let added = unsafe {
        libc::syscall(
            libc::SYS_landlock_add_rule,
            ruleset.as_raw_fd(),
            RULE_PATH_BENEATH,
            &raw const rule,
            0,
        )
    };
    result(added).map(drop)
}

fn result(returned: libc::c_long) -> io::Result<libc::c_long> {
    if returned < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(returned)
}

/// Puts the calling thread into a new domain, in which the process that it executes stays.
/// Only makes system calls, as code between fork and exec must.
fn enter(ruleset: RawFd) -> io::Result<()> {
    let restrict = || {
        // SAFETY: the call takes any descriptor.
        result(unsafe { libc::syscall(libc::SYS_landlock_restrict_self, ruleset, 0) })
    };
    let refused = match restrict() {
        Ok(_) => return Ok(()),
        Err(error) => error,
    };
    if refused.raw_os_error() != Some(libc::EPERM) {
        return Err(refused);
    }
    // Without CAP_SYS_ADMIN, Landlock requires that the process cannot get rights by
    // executing a program.
    // SAFETY: the call takes these numbers.
    if unsafe { libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) } != 0 {
        return Err(io::Error::last_os_error());
    }
    restrict().map(drop)
}

/// The rules for this system; `None` if a thread cannot enter their domain. Probes once per
/// process.
fn ruleset() -> Option<&'static Ruleset> {
    static RULESET: OnceLock<Option<Ruleset>> = OnceLock::new();
    let probe = || {
        // SAFETY: with this flag, the call takes no struct.
        let version = unsafe {
            libc::syscall(
                libc::SYS_landlock_create_ruleset,
                ptr::null::<RulesetAttributes>(),
                0_usize,
                CREATE_RULESET_VERSION,
            )
        };
        let ruleset = Ruleset::of(result(version).ok()?).ok()?;
        let fd = ruleset.fd.as_raw_fd();
        let entered = thread::spawn(move || enter(fd)).join();
        entered.ok()?.ok()?;
        Some(ruleset)
    };
    RULESET.get_or_init(probe).as_ref()
}

/// What [`isolate`] prevents on this system.
pub fn isolation() -> Isolation {
    ruleset().map_or(Isolation::None, |ruleset| ruleset.isolation)
}

/// Isolates the process that a command starts, as far as [`isolation`] says.
pub fn isolate(command: &mut Command) {
    if let Some(ruleset) = ruleset() {
        isolate_by(command, ruleset);
    }
}

fn isolate_by(command: &mut Command, ruleset: &Ruleset) {
    let fd = ruleset.fd.as_raw_fd();
    // SAFETY: the closure only makes system calls.
    unsafe {
        command.pre_exec(move || enter(fd));
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::process::Stdio;

    use super::*;

    /// What a shell can do to a process: open its input, send a signal; and whether it can
    /// still rename a file into another folder and signal its own child.
    fn reached(ruleset: Option<&Ruleset>) -> String {
        let folder = tempfile::tempdir().expect("a folder");
        fs::create_dir(folder.path().join("other")).expect("made");
        let mut other = Command::new("cat")
            .stdin(Stdio::piped())
            .spawn()
            .expect("cat");
        let script = format!(
            "exec 2>/dev/null; (echo x >/proc/{0}/fd/0) && echo input; kill -CONT {0} && echo signal
             : >file && mv file other/ && echo rename; sleep 1000 & kill $! && echo child",
            other.id()
        );
        let mut shell = Command::new("sh");
        shell.args(["-c", &script]).current_dir(folder.path());
        if let Some(ruleset) = ruleset {
            isolate_by(&mut shell, ruleset);
        }
        let output = shell.output().expect("a shell");
        other.kill().expect("killed");
        other.wait().expect("ended");
        let text = String::from_utf8(output.stdout).expect("text");
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn an_isolated_process_reaches_only_its_own_processes() {
        assert_eq!(reached(None), "input signal rename child");
        let Some(ruleset) = ruleset() else {
            return hone_testing::skipped("the kernel has no Landlock");
        };
        let expected = match ruleset.isolation {
            Isolation::Full => "rename child",
            Isolation::Partial | Isolation::None => "signal rename child",
        };
        assert_eq!(reached(Some(ruleset)), expected);
        // The rules for kernels that cannot restrict signals.
        let earlier = Ruleset::of(REFER_VERSION).expect("a ruleset");
        assert_eq!(reached(Some(&earlier)), "signal rename child");
        // Those of the first version forbid renaming between folders; `mv` copies.
        let first = Ruleset::of(1).expect("a ruleset");
        assert_eq!(reached(Some(&first)), "signal rename child");
    }
}
