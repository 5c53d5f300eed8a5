//! An engine's standard output as it is waited for.
//!
//! [`EngineOutput`] can be read like any stream. On Linux a thread that waits
//! for one engine at a time and has a [`ReadTimer`] can also wait inside the
//! read itself, which saves the way through the runtime, about half of what a
//! quick move costs; other systems lack such a timer.

#[cfg(target_os = "linux")]
mod pipe;
#[cfg(not(target_os = "linux"))]
mod portable;
#[cfg(target_os = "linux")]
mod read_timer;

#[cfg(target_os = "linux")]
pub(crate) use pipe::EngineOutput;
#[cfg(not(target_os = "linux"))]
pub(crate) use portable::EngineOutput;
#[cfg(not(target_os = "linux"))]
pub(crate) use portable::ReadTimer;
#[cfg(target_os = "linux")]
pub(crate) use read_timer::ReadTimer;

use std::io;
use std::time::Duration;

/// While the read timer is armed, no read in its thread lasts longer than this.
pub(crate) const TICK: Duration = Duration::from_millis(2);

/// Reads what an engine writes while nothing else is done by this thread.
pub(crate) trait ReadAlone {
    /// Waits for bytes in the read itself; `None` if the timer fired first.
    ///
    /// # Errors
    /// Those of the stream.
    fn read_alone(&mut self, into: &mut [u8]) -> io::Result<Option<usize>>;

    /// Reads what is there already; `None` if nothing is.
    ///
    /// # Errors
    /// Those of the stream.
    fn read_present(&mut self, into: &mut [u8]) -> io::Result<Option<usize>>;
}
