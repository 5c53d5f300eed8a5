//! What commands print: results and progress.

pub(super) mod outcome;
pub(super) mod progress;
pub(super) mod summary;
