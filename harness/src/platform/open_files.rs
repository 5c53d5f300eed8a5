//! The number of files that this process may have open.

/// Fewer are too few for a single engine: the runtime itself needs about ten.
#[cfg(unix)]
const AT_LEAST: libc::rlim_t = 32;

/// Raises the limit as far as it goes, and makes sure that it suffices for one
/// game. More games need about 16 each.
///
/// # Errors
/// If it does not.
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

/// As many as are ever needed. With no bound, programs that close all possible
/// files before they start would take long to do so.
#[cfg(unix)]
const MAX_OPEN_FILES: libc::rlim_t = 65_536;

/// Nothing to raise here.
#[cfg(not(unix))]
pub(crate) fn raise_limit() -> anyhow::Result<()> {
    Ok(())
}
