//! Progress on standard error: messages, and the bar of work on positions.

use indicatif::{ProgressBar, ProgressStyle};

use hone_base::errln;

/// Prints a message about what happens, such as the build of an engine.
pub(in crate::cli) fn announce(what: &str) {
    errln!("{what}");
}

/// A bar that counts positions and shows the time left. It is hidden if standard error is not a
/// terminal.
pub(in crate::cli) fn positions(count: usize) -> ProgressBar {
    let style = ProgressStyle::with_template(
        "{bar:30} {pos}/{len} positions {msg}, {elapsed_precise}, {eta_precise} to go",
    )
    .expect("the template is well formed");
    ProgressBar::new(count as u64).with_style(style)
}
