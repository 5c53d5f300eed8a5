//! Systems without sandboxes.

use std::io;
use std::process::Command;

use super::access::{Access, SandboxError};

/// Not supported on this system.
pub fn check() -> Result<(), SandboxError> {
    Err(SandboxError::Unsupported)
}

/// Not supported on this system.
pub fn wrap(_inner: &Command, _access: &Access) -> io::Result<Command> {
    Err(io::Error::other(SandboxError::Unsupported))
}

/// Not supported on this system.
pub fn engine_in(_pid: u32) -> Option<u32> {
    None
}
