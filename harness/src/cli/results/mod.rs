//! What commands report: exit codes, results, errors, progress.

pub(super) mod command_line;
pub(super) mod errors;
pub(super) mod exit;
pub(super) mod key_place;
pub(super) mod outcome;
pub(super) mod progress;
pub(super) mod summary;
pub(super) mod usage;
