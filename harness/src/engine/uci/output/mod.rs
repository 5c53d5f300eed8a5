//! An engine's standard output as it is waited for.
//!
//! [`EngineOutput`] can be read like any stream. On Linux a thread that waits
//! for one engine at a time and has hung up a [`Bell`] can also wait inside the
//! read itself, which saves the way through the runtime, about half of what a
//! quick move costs; elsewhere the bell cannot be had.

#[cfg(target_os = "linux")]
mod bell;
#[cfg(target_os = "linux")]
mod pipe;
#[cfg(not(target_os = "linux"))]
mod portable;

#[cfg(target_os = "linux")]
pub(crate) use bell::Bell;
#[cfg(target_os = "linux")]
pub(super) use pipe::EngineOutput;
#[cfg(not(target_os = "linux"))]
pub(crate) use portable::Bell;
#[cfg(not(target_os = "linux"))]
pub(super) use portable::EngineOutput;

use std::io;
use std::time::Duration;

/// While the bell rings, no read in its thread lasts longer than this.
pub(super) const RING: Duration = Duration::from_millis(2);

/// Reads what an engine writes while nothing else is done by this thread.
pub(super) trait ReadAlone {
    /// Waits for bytes in the read itself; `None` if the bell rang first.
    ///
    /// # Errors
    /// Those of the stream.
    fn read_alone(&mut self, into: &mut [u8]) -> io::Result<Option<usize>>;
}
