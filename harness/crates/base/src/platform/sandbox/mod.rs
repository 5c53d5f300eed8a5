//! Sandboxes for programs, made by bubblewrap on Linux: no network, a read-only file system
//! and a process list of their own.

mod access;
#[cfg(target_os = "linux")]
mod bubblewrap;
#[cfg(not(target_os = "linux"))]
mod portable;

pub use access::{Access, SandboxError};
#[cfg(target_os = "linux")]
pub use bubblewrap::{check, engine_in, wrap};
#[cfg(not(target_os = "linux"))]
pub use portable::{check, engine_in, wrap};
