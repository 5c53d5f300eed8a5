//! Every flag of fastchess and cutechess-cli, and its support in `hone`. This table drives the
//! parser and the page `docs/coming-from-flags.md`.

mod entry;
mod flags;
mod keys;

pub(super) use entry::{FlagEntry, Of, Support};
pub(super) use flags::FLAGS;
pub(super) use keys::GROUPS;

/// The flag with this name. Both programs also accept some flags with two dashes.
pub(super) fn flag(name: &str) -> Option<&'static FlagEntry> {
    let single = match name.strip_prefix("--") {
        Some(rest) => format!("-{rest}"),
        None => name.to_string(),
    };
    FLAGS
        .iter()
        .find(|entry| entry.name == name || entry.name == single)
}

/// The keys of a flag.
pub(super) fn keys(flag: &str) -> &'static [FlagEntry] {
    let flag = if flag == "-each" { "-engine" } else { flag };
    let group = GROUPS.iter().find(|group| group.flag == flag);
    group.map_or(&[], |group| group.entries)
}

/// A key of a flag; `option.` stands for all options.
pub(super) fn key(flag: &str, name: &str) -> Option<&'static FlagEntry> {
    let wanted = if name.starts_with("option.") {
        "option.NAME"
    } else {
        name
    };
    keys(flag).iter().find(|entry| entry.name == wanted)
}
