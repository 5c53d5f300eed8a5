//! The access of a program in a sandbox, and errors of sandboxes.

use std::path::PathBuf;

use crate::diagnostic::Diagnostic;

/// Why a sandbox cannot be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SandboxError {
    #[cfg(target_os = "linux")]
    Missing,
    #[cfg(target_os = "linux")]
    Refused { reason: String },
    #[cfg(not(target_os = "linux"))]
    Unsupported,
}

impl From<SandboxError> for Diagnostic {
    fn from(error: SandboxError) -> Self {
        match error {
            #[cfg(target_os = "linux")]
            SandboxError::Missing => Self::new("cannot make a sandbox: `bwrap` is not installed").help(
                "install bubblewrap (Debian, Ubuntu: `apt install bubblewrap`), or run without `--sandbox`",
            ),
            #[cfg(target_os = "linux")]
            SandboxError::Refused { reason } => {
                Self::new(format!("cannot make a sandbox: {reason}")).help(
                    "bubblewrap (`bwrap`) needs user namespaces, which this system does not allow this user: see `sysctl kernel.unprivileged_userns_clone user.max_user_namespaces kernel.apparmor_restrict_unprivileged_userns`; a container must allow them too",
                )
            }
            #[cfg(not(target_os = "linux"))]
            SandboxError::Unsupported => {
                Self::new("cannot make a sandbox on this system: it needs Linux and bubblewrap")
                    .help("run without `--sandbox`")
            }
        }
    }
}

/// What a program in a sandbox can access besides the read-only file system.
#[derive(Debug, Clone, Default)]
pub struct Access {
    /// Folders that it may write to.
    pub writable: Vec<PathBuf>,
    /// Paths in the writable folders that stay read-only.
    pub sealed: Vec<PathBuf>,
    /// Whether the sandbox makes a new session, without access to the terminal. Not needed
    /// for a process that is started in its own session.
    pub new_session: bool,
    /// Size in bytes of each temporary file system; `None` is the system's default, half of
    /// the memory.
    pub scratch: Option<u64>,
}
