//! Starts engine processes so that none can outlive `hone`.

use std::io;
use std::path::PathBuf;
use std::process::Stdio;

use serde::{Deserialize, Serialize};
use tokio::process::{Child, Command};

/// How to start an engine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Launch {
    /// An absolute path, or a bare name to be found on the `PATH`.
    pub program: PathBuf,
    #[serde(default)]
    pub args: Vec<String>,
    /// Working directory; that of `hone` if `None`.
    #[serde(default)]
    pub dir: Option<PathBuf>,
    /// Environment variables to add.
    #[serde(default)]
    pub env: Vec<(String, String)>,
}

impl Launch {
    /// The name of its program without folder and extension.
    pub(crate) fn name(&self) -> String {
        let stem = self.program.file_stem().unwrap_or_default();
        stem.to_string_lossy().into_owned()
    }

    /// The command line as a person would type it.
    pub fn command_line(&self) -> String {
        let mut line = self.program.display().to_string();
        for arg in &self.args {
            line.push(' ');
            line.push_str(arg);
        }
        line
    }

    /// Starts the process with pipes to all three streams, in a process group
    /// of its own (a terminal's Ctrl-C reaches `hone` only), and on Linux bound
    /// to die with the thread that started it.
    pub(super) fn spawn(&self) -> io::Result<Child> {
        let mut command = Command::new(&self.program);
        command
            .args(&self.args)
            .envs(self.env.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        if let Some(dir) = &self.dir {
            command.current_dir(dir);
        }
        #[cfg(unix)]
        command.process_group(0);
        #[cfg(target_os = "linux")]
        die_with_parent(&mut command);
        command.spawn()
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
            // The parent may have died before the request was in place.
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

/// Kills an engine's whole process group: its own children too.
pub(crate) fn kill_group(pid: u32) {
    #[cfg(unix)]
    if let Ok(pid) = i32::try_from(pid)
        && pid > 1
    {
        // SAFETY: kill takes any pid; a group that has ended does no harm.
        unsafe {
            libc::kill(-pid, libc::SIGKILL);
        }
    }
    #[cfg(not(unix))]
    let _ = pid;
}
