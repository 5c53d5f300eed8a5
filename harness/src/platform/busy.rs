//! Programs that were written a moment ago. Unix does not start a program that a
//! process has open for writing. That may be a process that another thread is
//! starting: until its exec it has a copy of each descriptor of `hone`.

use std::io::{self, ErrorKind};
use std::time::{Duration, Instant};

/// How long a start is repeated.
const BUSY: Duration = Duration::from_secs(1);
/// Between two tries.
pub(crate) const BUSY_PAUSE: Duration = Duration::from_millis(10);

/// Whether a program that failed to start may start after a [`BUSY_PAUSE`]. The
/// first try was at `begun`.
pub(crate) fn is_busy(error: &io::Error, begun: Instant) -> bool {
    error.kind() == ErrorKind::ExecutableFileBusy && begun.elapsed() < BUSY
}
