//! The number of files that this process may have open.

/// Enough for one engine; the runtime itself needs about ten.
#[cfg(unix)]
const AT_LEAST: libc::rlim_t = 32;

/// Raises the limit as far as possible. Each concurrent game needs about 16 files.
///
/// # Errors
/// If the limit stays below [`AT_LEAST`].
#[cfg(unix)]
pub(crate) fn raise_limit() -> anyhow::Result<()> {
    let mut limit = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    // SAFETY: getrlimit writes to the struct, setrlimit only reads it.
    unsafe {
        if libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut limit) != 0 {
            return Ok(());
        }
        let before = limit.rlim_cur;
        limit.rlim_cur = limit.rlim_max.min(MAX_OPEN_FILES).max(before);
        if libc::setrlimit(libc::RLIMIT_NOFILE, &raw const limit) != 0 {
            limit.rlim_cur = before;
        }
    }
    anyhow::ensure!(
        limit.rlim_cur >= AT_LEAST,
        "this process may open only {} files\nhelp: allow at least {AT_LEAST}, better 1024: `ulimit -n 1024`",
        limit.rlim_cur
    );
    Ok(())
}

/// More than any run needs. Without a bound, child processes that close all possible
/// descriptors at their start would be slow.
#[cfg(unix)]
const MAX_OPEN_FILES: libc::rlim_t = 65_536;

/// Other systems have no such limit.
#[cfg(not(unix))]
pub(crate) fn raise_limit() -> anyhow::Result<()> {
    Ok(())
}
