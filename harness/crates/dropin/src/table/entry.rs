//! One flag or key, and its support.

use crate::program::Program;

/// Which program has a flag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Of {
    Both,
    Fastchess,
    Cutechess,
}

impl Of {
    pub(crate) fn includes(self, program: Program) -> bool {
        match self {
            Self::Both => true,
            Self::Fastchess => program == Program::Fastchess,
            Self::Cutechess => program == Program::Cutechess,
        }
    }
}

/// How a flag is supported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Support {
    /// It has its effect.
    Yes,
    /// It is accepted with a warning.
    Ignored,
    /// It is refused with a message.
    Refused,
}

/// A flag, or a key in the values of one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FlagEntry {
    /// `-rounds`, or a key such as `tc`.
    pub name: &'static str,
    pub of: Of,
    pub support: Support,
    /// The key of `hone`'s configuration; empty without one.
    pub key: &'static str,
    /// The difference and its reason; for an unsupported one, the reason.
    pub note: &'static str,
    /// An example.
    pub example: &'static str,
}

/// The keys in the values of a flag.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Group {
    pub flag: &'static str,
    pub entries: &'static [FlagEntry],
}

impl Group {
    pub(super) const fn new(flag: &'static str, entries: &'static [FlagEntry]) -> Self {
        Self { flag, entries }
    }
}

/// Entries, one in each line: support, program, name, key of the configuration, example,
/// difference.
macro_rules! entries {
    ($($support:ident $of:ident $name:literal, $key:literal, $example:literal, $note:expr;)*) => {
        &[$(FlagEntry {
            name: $name,
            of: crate::table::entry::Of::$of,
            support: crate::table::entry::Support::$support,
            key: $key,
            note: $note,
            example: $example,
        }),*]
    };
}
pub(super) use entries;

/// The reason for refusing an engine's own book.
pub(super) const POLYGLOT: &str = "an engine's own Polyglot book is not supported; convert it with `hone book convert` and use `-openings`";
