//! The async runtime of one thread.

use std::io;

use tokio::runtime::{Builder, Runtime};

/// A runtime that runs on the calling thread, with timers, I/O and signals.
///
/// # Errors
/// If the operating system refuses its resources.
pub(crate) fn runtime() -> io::Result<Runtime> {
    let runtime = Builder::new_current_thread().enable_all().build();
    runtime.map_err(|error| {
        io::Error::new(
            error.kind(),
            format!("cannot start the async runtime: {error}"),
        )
    })
}
