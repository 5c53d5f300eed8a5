//! The progress bar of work on positions, on standard error.

use indicatif::{ProgressBar, ProgressStyle};

/// A bar that counts positions and shows the time left. It is hidden if standard error is not a
/// terminal.
pub(super) fn positions(count: usize) -> ProgressBar {
    let style = ProgressStyle::with_template(
        "{bar:30} {pos}/{len} positions {msg}, {elapsed_precise}, {eta_precise} to go",
    )
    .expect("the template is well formed");
    ProgressBar::new(count as u64).with_style(style)
}
