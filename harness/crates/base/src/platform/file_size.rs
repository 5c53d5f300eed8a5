//! The limit on the size of files (`ulimit -f`).

/// Makes a write beyond the limit fail with an error, as on a full disk. By default Unix
/// kills the process with a signal. Child processes inherit this.
#[cfg(unix)]
pub fn fail_beyond_limit() {
    // SAFETY: an ignored signal runs no handler.
    unsafe {
        libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
    }
}

/// Other systems have no such limit.
#[cfg(not(unix))]
pub fn fail_beyond_limit() {}
