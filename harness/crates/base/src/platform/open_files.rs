//! The number of files that this process may have open.

#[cfg(unix)]
use crate::diagnostic::Diagnostic;

/// Files of the process itself, such as those of the run and of the async runtime.
#[cfg(unix)]
const OF_PROCESS: libc::rlim_t = 16;

/// Files of a game: the pipes of two engines, also while an engine starts.
#[cfg(unix)]
const OF_GAME: libc::rlim_t = 16;

/// More than any run needs. Without a bound, child processes that close all possible
/// descriptors at their start would be slow.
#[cfg(unix)]
const MAX_OPEN_FILES: libc::rlim_t = 65_536;

/// Raises the limit as far as possible.
///
/// # Errors
/// If it does not suffice for one game at a time.
#[cfg(unix)]
pub fn raise_limit() -> anyhow::Result<()> {
    let Some(mut limit) = limit() else {
        return Ok(());
    };
    limit.rlim_cur = limit.rlim_max.min(MAX_OPEN_FILES).max(limit.rlim_cur);
    // SAFETY: setrlimit only reads the struct.
    let _ = unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &raw const limit) };
    check_open_files(1)
}

/// Refuses more games at a time than the limit permits.
///
/// # Errors
/// The limit, and how it is raised.
#[cfg(unix)]
pub fn check_open_files(games: usize) -> anyhow::Result<()> {
    let Some(limit) = limit() else {
        return Ok(());
    };
    let needed = needed(games);
    let games = match games {
        1 => "one game needs".to_string(),
        games => format!("{games} games at a time need"),
    };
    anyhow::ensure!(
        limit.rlim_cur >= needed,
        Diagnostic::new(format!(
            "this process may open only {} files, and {games} up to {needed}",
            limit.rlim_cur
        ))
        .help(format!("raise the limit: `ulimit -n {}`", needed.max(1024)))
    );
    Ok(())
}

#[cfg(unix)]
fn needed(games: usize) -> libc::rlim_t {
    let games = libc::rlim_t::try_from(games).unwrap_or(libc::rlim_t::MAX);
    OF_PROCESS.saturating_add(OF_GAME.saturating_mul(games))
}

/// The limit of this process; `None` if it is unknown.
#[cfg(unix)]
fn limit() -> Option<libc::rlimit> {
    let mut limit = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    // SAFETY: getrlimit writes to the struct.
    let is_known = unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut limit) } == 0;
    is_known.then_some(limit)
}

/// Other systems have no such limit.
#[cfg(not(unix))]
pub fn raise_limit() -> anyhow::Result<()> {
    Ok(())
}

/// Other systems have no such limit.
#[cfg(not(unix))]
pub fn check_open_files(_games: usize) -> anyhow::Result<()> {
    Ok(())
}
