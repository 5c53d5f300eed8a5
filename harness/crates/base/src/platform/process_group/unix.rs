//! Process groups of Unix.

use std::io;
use std::mem;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};

/// A process group, whose id is that of its first process.
#[derive(Debug)]
pub struct ProcessGroup {
    leader: libc::pid_t,
}

impl ProcessGroup {
    /// Makes a command start in its own group, so that Ctrl-C in the terminal reaches
    /// only `hone`.
    pub fn separate(command: &mut Command) {
        command.process_group(0);
    }

    /// Makes a command start in its own session and group, without access to the
    /// terminal.
    pub fn separate_session(command: &mut Command) {
        let detach = || {
            // SAFETY: setsid is async-signal-safe.
            match unsafe { libc::setsid() } {
                -1 => Err(io::Error::last_os_error()),
                _ => Ok(()),
            }
        };
        // SAFETY: the closure only makes an async-signal-safe call.
        unsafe {
            command.pre_exec(detach);
        }
    }

    /// Makes a command start a process that dies with the thread that starts it (Linux
    /// only).
    pub fn die_with_parent(command: &mut Command) {
        #[cfg(target_os = "linux")]
        die_with_parent(command);
        #[cfg(not(target_os = "linux"))]
        let _ = command;
    }

    /// The group of a process that was started with [`Self::separate`] and is not reaped.
    pub fn of(pid: u32) -> Self {
        let leader = libc::pid_t::try_from(pid).unwrap_or(0);
        Self { leader }
    }

    /// As [`ProcessGroup::of`]; the memory was limited before the start.
    pub fn limited(pid: u32, _max_memory: Option<u64>) -> Self {
        Self::of(pid)
    }

    /// Whether a process that was started with [`Self::separate`] has ended. It is not reaped:
    /// until then, no other process or group has its id.
    ///
    /// # Errors
    /// If the process is already reaped.
    pub fn leader_has_ended(leader: &mut Child) -> io::Result<bool> {
        // SAFETY: a `siginfo_t` of zeros is valid.
        let mut info: libc::siginfo_t = unsafe { mem::zeroed() };
        let flags = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
        // SAFETY: `info` outlives the call, and waitid takes any id.
        let result = unsafe { libc::waitid(libc::P_PID, leader.id(), &raw mut info, flags) };
        match result {
            0 => Ok(info.si_signo != 0),
            _ => Err(io::Error::last_os_error()),
        }
    }

    /// Kills all processes of the group.
    pub fn kill(&self) {
        // -1 and 0 would address other processes.
        if self.leader > 1 {
            // SAFETY: kill takes any pid, and fails if the group has ended.
            unsafe {
                libc::kill(-self.leader, libc::SIGKILL);
            }
        }
    }
}

#[cfg(target_os = "linux")]
fn die_with_parent(command: &mut Command) {
    // SAFETY: getpid is always safe to call.
    let parent = unsafe { libc::getpid() };
    let set = move || {
        // SAFETY: prctl, getppid and _exit are async-signal-safe, as code
        // between fork and exec must be; PR_SET_PDEATHSIG takes a signal.
        unsafe {
            if libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) != 0 {
                return Err(io::Error::last_os_error());
            }
            // The parent may have died before the call of prctl.
            if libc::getppid() != parent {
                libc::_exit(1);
            }
        }
        Ok(())
    };
    // SAFETY: the closure only makes async-signal-safe calls.
    unsafe {
        command.pre_exec(set);
    }
}
