//! Starts engine processes that end with `hone`.

use std::io;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Instant;

use serde::{Deserialize, Serialize};
use tokio::process::{Child, Command};
use tokio::time::sleep;

use super::memory_size::MemorySize;
use hone_base::platform::{
    Access, BUSY_PAUSE, ProcessGroup, ReadTimer, is_busy, isolate, limit_memory, sandbox,
};

/// How to start an engine.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Launch {
    /// An absolute path, or a bare name to be found on the `PATH`.
    pub program: PathBuf,
    #[serde(default)]
    pub args: Vec<String>,
    /// Working directory; that of `hone` if `None`.
    #[serde(default)]
    pub dir: Option<PathBuf>,
    /// Environment variables besides those of `hone`.
    #[serde(default)]
    pub env: Vec<(String, String)>,
    /// Limit on the memory of the process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_memory: Option<MemorySize>,
    /// Whether it runs without network, with a read-only file system and a process list of
    /// its own.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub sandbox: bool,
    /// Whether it may read and signal other processes without a sandbox.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub trusted: bool,
}

/// Bytes that an engine in a sandbox may keep in each of its temporary folders.
const SCRATCH: u64 = 256 << 20;

impl Launch {
    /// The name of the program, without folder and extension.
    pub fn name(&self) -> String {
        let stem = self.program.file_stem().unwrap_or_default();
        stem.to_string_lossy().into_owned()
    }

    /// The program and its arguments, separated by spaces, for messages.
    pub fn command_line(&self) -> String {
        let mut line = self.program.display().to_string();
        for arg in &self.args {
            line.push(' ');
            line.push_str(arg);
        }
        line
    }

    /// Starts the process in its own process group, with pipes to all three streams.
    /// On Linux it dies with the thread that started it. While another process has the
    /// program open for writing, the start is repeated for up to 1 s.
    ///
    /// # Errors
    /// Those of the start and of the sandbox.
    pub(super) async fn spawn(&self) -> io::Result<Child> {
        let mut command = Command::from(self.command()?);
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        let command_std = command.as_std_mut();
        // Input that a sandboxed engine writes to the terminal would run outside of the sandbox.
        if self.sandbox {
            ProcessGroup::separate_session(command_std);
        } else {
            ProcessGroup::separate(command_std);
        }
        if !self.sandbox && !self.trusted {
            isolate(command_std);
        }
        ProcessGroup::die_with_parent(command_std);
        if let Some(limit) = self.max_memory {
            limit_memory(command_std, limit.bytes());
        }
        let begun = Instant::now();
        loop {
            // The signal of the timer would restart the fork again and again.
            ReadTimer::disarm();
            match command.spawn() {
                Err(error) if is_busy(&error, begun) => sleep(BUSY_PAUSE).await,
                spawned => return spawned,
            }
        }
    }

    /// The command without its streams, wrapped if it runs in a sandbox.
    fn command(&self) -> io::Result<std::process::Command> {
        let mut command = std::process::Command::new(&self.program);
        command
            .args(&self.args)
            .envs(self.env.iter().map(|(name, value)| (name, value)));
        if let Some(dir) = &self.dir {
            command.current_dir(dir);
        }
        if !self.sandbox {
            return Ok(command);
        }
        let access = Access {
            scratch: Some(SCRATCH),
            ..Access::default()
        };
        sandbox::wrap(&command, &access)
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs::{self, File, Permissions};
    use std::os::unix::fs::PermissionsExt;
    use std::time::Duration;

    use super::*;

    #[tokio::test]
    async fn a_program_that_is_open_for_writing_is_waited_for() {
        let folder = tempfile::tempdir().expect("a folder");
        let program = folder.path().join("engine");
        fs::write(&program, "#!/bin/sh\n").expect("written");
        fs::set_permissions(&program, Permissions::from_mode(0o755)).expect("executable");
        let open = File::options().append(true).open(&program).expect("open");
        let closing = async {
            sleep(Duration::from_millis(100)).await;
            drop(open);
        };
        let launch = Launch {
            program,
            ..Launch::default()
        };
        let (started, ()) = tokio::join!(launch.spawn(), closing);
        let status = started.expect("started").wait().await.expect("ended");
        assert!(status.success(), "{status}");
    }
}
