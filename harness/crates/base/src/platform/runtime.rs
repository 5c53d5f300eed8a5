//! The async runtime of one thread, and its optional timer.

use std::io;

use tokio::runtime::{Builder, Runtime};
use tokio::time::{Instant, sleep_until};

/// A runtime that runs on the calling thread, with timers, I/O and signals.
///
/// # Errors
/// If the operating system refuses its resources.
pub fn runtime() -> io::Result<Runtime> {
    let runtime = Builder::new_current_thread().enable_all().build();
    runtime.map_err(|error| {
        io::Error::new(
            error.kind(),
            format!("cannot start the async runtime: {error}"),
        )
    })
}

/// Waits until a time, or forever if it is `None`. Cancel safe.
pub async fn until<T: Into<Instant>>(time: Option<T>) {
    match time {
        Some(time) => sleep_until(time.into()).await,
        None => std::future::pending().await,
    }
}
