//! An optional timer.

use tokio::time::{Instant, sleep_until};

/// Waits until a time, or forever if there is none. Cancel safe.
pub(super) async fn until(time: Option<Instant>) {
    match time {
        Some(time) => sleep_until(time).await,
        None => std::future::pending().await,
    }
}
