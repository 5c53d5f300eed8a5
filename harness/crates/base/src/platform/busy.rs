//! Programs that were just written. Unix does not start a program that a process has open
//! for writing (`ETXTBSY`). That can be a process that another thread is starting: until
//! its exec it has a copy of each file descriptor of `hone`.

use std::io::{self, ErrorKind};
use std::time::{Duration, Instant};

/// How long a start is repeated.
const BUSY: Duration = Duration::from_secs(1);
/// Time between two tries.
pub const BUSY_PAUSE: Duration = Duration::from_millis(10);

/// Whether to repeat a failed start after [`BUSY_PAUSE`]. The first try was at `begun`.
pub fn is_busy(error: &io::Error, begun: Instant) -> bool {
    error.kind() == ErrorKind::ExecutableFileBusy && begun.elapsed() < BUSY
}
