//! The table of flags as the documentation has it.

use std::fmt::Write;

use super::program::Program;
use super::table::{Entry, FLAGS, GROUPS, Of, Support};

/// A table of all flags, and one of the keys of each flag that has any.
pub(crate) fn tables() -> String {
    let mut text = String::from("### Flags\n\n");
    rows(&mut text, "flag", FLAGS);
    for group in GROUPS {
        let title = match group.flag {
            "-engine" => "`-engine` and `-each`".to_string(),
            flag => format!("`{flag}`"),
        };
        let _ = write!(text, "\n### Keys of {title}\n\n");
        rows(&mut text, "key", group.entries);
    }
    text
}

fn rows(text: &mut String, first: &str, entries: &[Entry]) {
    let _ = writeln!(
        text,
        "| {first} | program | supported | configuration | what differs and why |"
    );
    text.push_str("|---|---|---|---|---|\n");
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
        let _ = writeln!(
            text,
            "| `{}` | {of} | {support} | {key} | {} |",
            entry.name, entry.note
        );
    }
}

/// The flags of a program with an example each, for a terminal.
pub(crate) fn plain(program: Program) -> String {
    let mut text = String::new();
    for entry in FLAGS.iter().filter(|entry| entry.of.includes(program)) {
        let line = match entry.example {
            "" => entry.name,
            example => example,
        };
        let _ = match entry.support {
            Support::Yes => writeln!(text, "  {line}"),
            Support::Ignored => writeln!(text, "  {line}  (no effect)"),
            Support::Refused => writeln!(text, "  {line}  (refused)"),
        };
    }
    text
}
