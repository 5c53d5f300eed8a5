//! How a book is read.

use super::{Format, Variant};

/// How a book is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BookOptions {
    /// Format of the file; `None`: by its name, or else by its content.
    pub format: Option<Format>,
    /// Plies taken from each PGN game; `None` takes all. Positions are
    /// not affected.
    pub plies: Option<usize>,
    pub variant: Variant,
}
