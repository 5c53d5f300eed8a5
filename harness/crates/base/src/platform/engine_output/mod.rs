//! An engine's standard output.
//!
//! [`EngineOutput`] is an [`AsyncRead`](tokio::io::AsyncRead). On Linux a thread with a
//! [`ReadTimer`], which waits for one engine at a time, can also read it in blocking mode,
//! without the runtime: that halves the overhead of a quick move.

#[cfg(target_os = "linux")]
mod pipe;
#[cfg(not(target_os = "linux"))]
mod portable;
#[cfg(target_os = "linux")]
mod read_timer;

#[cfg(target_os = "linux")]
pub use pipe::EngineOutput;
#[cfg(not(target_os = "linux"))]
pub use portable::EngineOutput;
#[cfg(not(target_os = "linux"))]
pub use portable::ReadTimer;
#[cfg(target_os = "linux")]
pub use read_timer::ReadTimer;

use std::io;
use std::time::Duration;

/// While the read timer is armed, no blocking read of its thread lasts longer.
pub const READ_TIMEOUT: Duration = Duration::from_millis(2);

/// Reads without the runtime.
pub trait DirectRead {
    /// Waits for bytes in a blocking read; `None` if the read timer fired first.
    ///
    /// # Errors
    /// Those of the stream.
    fn read_blocking(&mut self, into: &mut [u8]) -> io::Result<Option<usize>>;

    /// Reads the bytes that have arrived; `None` if there are none.
    ///
    /// # Errors
    /// Those of the stream.
    fn read_available(&mut self, into: &mut [u8]) -> io::Result<Option<usize>>;
}
