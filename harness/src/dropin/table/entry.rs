//! One flag or key, and what becomes of it.

use crate::dropin::program::Program;

/// Which program has a flag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::dropin) enum Of {
    Both,
    Fastchess,
    Cutechess,
}

impl Of {
    pub(in crate::dropin) fn includes(self, program: Program) -> bool {
        match self {
            Self::Both => true,
            Self::Fastchess => program == Program::Fastchess,
            Self::Cutechess => program == Program::Cutechess,
        }
    }
}

/// What becomes of a flag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::dropin) enum Support {
    /// It has its effect.
    Yes,
    /// It is accepted, and a warning names it.
    Ignored,
    /// It is refused by name.
    Refused,
}

/// A flag, or a key in the values of one.
#[derive(Debug, Clone, Copy)]
pub(in crate::dropin) struct Entry {
    /// `-rounds`, or a key such as `tc`.
    pub name: &'static str,
    pub of: Of,
    pub support: Support,
    /// Where the configuration of `hone` has it; empty if nowhere.
    pub key: &'static str,
    /// What differs and why; the reason where it is not supported.
    pub note: &'static str,
    /// How it is written.
    pub example: &'static str,
}

/// The keys in the values of a flag.
#[derive(Debug, Clone, Copy)]
pub(in crate::dropin) struct Group {
    pub flag: &'static str,
    pub entries: &'static [Entry],
}

impl Group {
    pub(super) const fn new(flag: &'static str, entries: &'static [Entry]) -> Self {
        Self { flag, entries }
    }
}

/// Entries, one a line: what becomes of it, whose it is, its name, the key of
/// the configuration, how it is written, and what differs.
macro_rules! entries {
    ($($support:ident $of:ident $name:literal, $key:literal, $example:literal, $note:expr;)*) => {
        &[$(Entry {
            name: $name,
            of: crate::dropin::table::entry::Of::$of,
            support: crate::dropin::table::entry::Support::$support,
            key: $key,
            note: $note,
            example: $example,
        }),*]
    };
}
pub(super) use entries;

/// Why an engine's own book is refused.
pub(super) const POLYGLOT: &str = "an engine's own Polyglot book is not supported; convert it with `hone book convert` and use `-openings`";
