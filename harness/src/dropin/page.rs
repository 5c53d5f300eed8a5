//! The table of flags for the documentation.

use super::program::Program;
use super::table::{FLAGS, FlagEntry, GROUPS, Of, Support};

/// A table of all flags, and one table of keys for each flag with keys.
pub(crate) fn tables() -> String {
    let mut text = String::from("## Flags\n\n");
    rows(&mut text, "flag", FLAGS);
    for group in GROUPS {
        let title = match group.flag {
            "-engine" => "`-engine` and `-each`".to_string(),
            flag => format!("`{flag}`"),
        };
        text += &format!("\n## Keys of {title}\n\n");
        rows(&mut text, "key", group.entries);
    }
    text
}

fn rows(text: &mut String, first: &str, entries: &[FlagEntry]) {
    *text += &format!("| {first} | program | supported | configuration | what differs and why |\n");
    *text += "|---|---|---|---|---|\n";
    for entry in entries {
        let of = match entry.of {
            Of::Both => "both",
            Of::Fastchess => "fastchess",
            Of::Cutechess => "cutechess-cli",
        };
        let support = match entry.support {
            Support::Yes => "yes",
            Support::Ignored => "accepted without effect",
            Support::Refused => "refused",
        };
        let key = match entry.key {
            "" => String::new(),
            key => format!("`{}`", key.replace(", ", "`, `")),
        };
        let (name, note) = (entry.name, entry.note);
        *text += &format!("| `{name}` | {of} | {support} | {key} | {note} |\n");
    }
}

/// The flags of a program, each with an example, for a terminal.
pub(crate) fn plain(program: Program) -> String {
    let mut text = String::new();
    for entry in FLAGS.iter().filter(|entry| entry.of.includes(program)) {
        let line = match entry.example {
            "" => entry.name,
            example => example,
        };
        text += &match entry.support {
            Support::Yes => format!("  {line}\n"),
            Support::Ignored => format!("  {line}  (no effect)\n"),
            Support::Refused => format!("  {line}  (refused)\n"),
        };
    }
    text
}
