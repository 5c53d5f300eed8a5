//! Runs programs without network, with a read-only view of the file system and
//! without sight of other processes: by bubblewrap, on Linux.

mod access;
#[cfg(target_os = "linux")]
mod bubblewrap;
#[cfg(not(target_os = "linux"))]
mod portable;

pub(crate) use access::{Access, SandboxError};
#[cfg(target_os = "linux")]
pub(crate) use bubblewrap::{check, engine_in, wrap};
#[cfg(not(target_os = "linux"))]
pub(crate) use portable::{check, engine_in, wrap};
