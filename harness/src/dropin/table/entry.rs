//! One flag or key, and what becomes of it.

/// Which program has a flag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::dropin) enum Of {
    Both,
    Fastchess,
    Cutechess,
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

impl Entry {
    const fn new(
        support: Support,
        of: Of,
        name: &'static str,
        key: &'static str,
        note: &'static str,
        example: &'static str,
    ) -> Self {
        Self {
            name,
            of,
            support,
            key,
            note,
            example,
        }
    }
}

/// A flag that has its effect.
pub(super) const fn yes(
    of: Of,
    name: &'static str,
    key: &'static str,
    note: &'static str,
    example: &'static str,
) -> Entry {
    Entry::new(Support::Yes, of, name, key, note, example)
}

/// A flag that changes nothing here.
pub(super) const fn ignored(
    of: Of,
    name: &'static str,
    note: &'static str,
    example: &'static str,
) -> Entry {
    Entry::new(Support::Ignored, of, name, "", note, example)
}

/// A flag that is refused.
pub(super) const fn refused(
    of: Of,
    name: &'static str,
    note: &'static str,
    example: &'static str,
) -> Entry {
    Entry::new(Support::Refused, of, name, "", note, example)
}
