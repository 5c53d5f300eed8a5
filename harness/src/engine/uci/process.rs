//! Starts engine processes so that none can outlive `hone`.

use std::io;
use std::path::PathBuf;
use std::process::Stdio;

use serde::{Deserialize, Serialize};
use tokio::process::{Child, Command};

use crate::platform::ProcessGroup;

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

    /// Starts the process with pipes to all three streams, apart from `hone`
    /// as a [`ProcessGroup`] needs it, and so that it dies with the thread that
    /// started it.
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
        ProcessGroup::separate(command.as_std_mut());
        ProcessGroup::die_with_parent(command.as_std_mut());
        command.spawn()
    }
}
