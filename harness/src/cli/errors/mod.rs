//! Exit codes, and the text of errors.

pub(super) mod exit;
pub(super) mod format;
pub(super) mod key_place;
pub(super) mod usage;
