//! Systems without sandboxes.

use std::io;
use std::process::Command;

use super::access::{Access, SandboxError};
use crate::diagnostic::Diagnostic;

/// Not supported on this system.
pub fn check() -> Result<(), Diagnostic> {
    Err(SandboxError::Unsupported.into())
}

/// Not supported on this system.
pub fn wrap(_inner: &Command, _access: &Access) -> io::Result<Command> {
    Err(io::Error::other(Diagnostic::from(
        SandboxError::Unsupported,
    )))
}

/// Not supported on this system.
pub fn engine_in(_pid: u32) -> Option<u32> {
    None
}
