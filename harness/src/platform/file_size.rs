//! The limit on the size of files (`ulimit -f`).

/// Makes a write beyond the limit an error like that of a full disk. Otherwise
/// Unix ends the process by a signal. Programs that it starts inherit this.
#[cfg(unix)]
pub(crate) fn fail_beyond_limit() {
    // SAFETY: to ignore a signal runs no code of ours.
    unsafe {
        libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
    }
}

/// Other systems have no such limit.
#[cfg(not(unix))]
pub(crate) fn fail_beyond_limit() {}
