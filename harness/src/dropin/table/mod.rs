//! Every flag of fastchess and cutechess-cli, and what becomes of it here. The
//! command line is read by this table, and `docs/coming-from.md` printed from
//! it.

mod flags;
mod keys;

pub(super) use flags::FLAGS;
pub(super) use keys::GROUPS;

/// Which program has a flag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Of {
    Both,
    Fastchess,
    Cutechess,
}

/// What becomes of a flag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Support {
    /// It has its effect.
    Yes,
    /// It is accepted, and a warning names it.
    Ignored,
    /// It is refused by name.
    Refused,
}

/// A flag, or a key in the values of one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
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
pub(super) struct Group {
    pub flag: &'static str,
    pub entries: &'static [Entry],
}

impl Group {
    const fn new(flag: &'static str, entries: &'static [Entry]) -> Self {
        Self { flag, entries }
    }
}

/// Entries, one a line: what becomes of it, whose it is, its name, the key of
/// the configuration, how it is written, and what differs.
macro_rules! entries {
    ($($support:ident $of:ident $name:literal, $key:literal, $example:literal, $note:expr;)*) => {
        &[$(Entry {
            name: $name,
            of: crate::dropin::table::Of::$of,
            support: crate::dropin::table::Support::$support,
            key: $key,
            note: $note,
            example: $example,
        }),*]
    };
}
use entries;

/// Why an engine's own book is refused.
const POLYGLOT: &str = "an engine's own Polyglot book is not supported; convert it with `hone book convert` and use `-openings`";

/// The flag of this name. Both programs also accept some with two dashes.
pub(super) fn flag(name: &str) -> Option<&'static Entry> {
    let single = match name.strip_prefix("--") {
        Some(rest) => format!("-{rest}"),
        None => name.to_string(),
    };
    FLAGS
        .iter()
        .find(|entry| entry.name == name || entry.name == single)
}

/// The keys of a flag.
pub(super) fn keys(flag: &str) -> &'static [Entry] {
    let flag = if flag == "-each" { "-engine" } else { flag };
    let group = GROUPS.iter().find(|group| group.flag == flag);
    group.map_or(&[], |group| group.entries)
}

/// A key of a flag; `option.` stands for all options.
pub(super) fn key(flag: &str, name: &str) -> Option<&'static Entry> {
    let wanted = if name.starts_with("option.") {
        "option.NAME"
    } else {
        name
    };
    keys(flag).iter().find(|entry| entry.name == wanted)
}

/// The name nearest to what was written, if one is near.
pub(super) fn nearest<'a>(written: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    names
        .map(|name| (strsim::damerau_levenshtein(written, name), name))
        .filter(|(distance, _)| *distance <= 2)
        .min()
        .map(|(_, name)| name)
}
