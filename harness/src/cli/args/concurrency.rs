//! The number of engines of commands that do not play games.

use std::num::NonZeroUsize;

use hone_run::config::{MAX_CONCURRENCY, default_concurrency};

/// Number of engines that run at the same time: `asked`, or one for each physical core.
///
/// # Errors
/// If it exceeds the maximum.
pub(in crate::cli) fn concurrency(asked: Option<NonZeroUsize>) -> anyhow::Result<usize> {
    let Some(asked) = asked.map(NonZeroUsize::get) else {
        return Ok(default_concurrency());
    };
    anyhow::ensure!(
        asked <= MAX_CONCURRENCY,
        "`--concurrency`: {asked} is out of range: 1 to {MAX_CONCURRENCY} engines at a time are allowed"
    );
    Ok(asked)
}
