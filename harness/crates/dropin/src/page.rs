//! The table of flags for the documentation.

use super::program::Program;
use super::table::{self, FLAGS, FlagEntry, GROUPS, Of, Support};

/// A table of the flags and one of the keys in their values. Those without effect and those
/// that are refused are listed after them.
pub fn tables() -> String {
    let flags = FLAGS.iter().map(|entry| (entry.name.to_string(), entry));
    let keys = GROUPS.iter().flat_map(|group| {
        let name = |entry: &FlagEntry| format!("{} {}", group.flag, entry.name);
        group.entries.iter().map(move |entry| (name(entry), entry))
    });
    let mut text = table("Flags", "flag", flags.clone());
    text += &format!("\n{}", table("Keys", "flag and key", keys.clone()));
    let all: Vec<_> = flags.chain(keys).collect();
    let with = |support: Support| {
        let names = all.iter().filter(|(_, entry)| entry.support == support);
        let names: Vec<String> = names.map(|(name, _)| format!("`{name}`")).collect();
        names.join(", ")
    };
    let (ignored, refused) = (with(Support::Ignored), with(Support::Refused));
    text + &format!("\n## Without effect\n\n{ignored}\n\n## Refused\n\n{refused}\n")
}

fn table<'a>(
    title: &str,
    first: &str,
    entries: impl Iterator<Item = (String, &'a FlagEntry)>,
) -> String {
    let mut text = format!(
        "## {title}\n\n| {first} | only | configuration | what differs and why |\n|---|---|---|---|\n"
    );
    for (name, entry) in entries.filter(|(_, entry)| entry.support == Support::Yes) {
        let of = match entry.of {
            Of::Both => "",
            Of::Fastchess => "fastchess",
            Of::Cutechess => "cutechess-cli",
        };
        let key = match entry.key {
            "" => String::new(),
            key => format!("`{}`", key.replace(", ", "`, `")),
        };
        text += &format!("| `{name}` | {of} | {key} | {} |\n", entry.note);
    }
    text
}

/// The flags of a program, each on one line with an example and its meaning, for a terminal.
pub fn plain(program: Program) -> String {
    let mut text = String::new();
    for entry in FLAGS.iter().filter(|entry| entry.of.includes(program)) {
        let line = match entry.example {
            "" => entry.name,
            example => example,
        };
        let support = match entry.support {
            Support::Yes => "",
            Support::Ignored => "no effect: ",
            Support::Refused => "refused: ",
        };
        let padded = format!("  {line:<WIDTH$}  {support}{}", meaning(entry, program));
        text += padded.trim_end();
        text.push('\n');
    }
    text
}

/// Width of the examples before the meanings, in characters.
const WIDTH: usize = 26;

/// The part of a note that refers to the tables of the page.
const BELOW: &str = "its keys are listed below";

/// A flag's note, with the names of its keys; without a note, the key of the configuration.
fn meaning(entry: &FlagEntry, program: Program) -> String {
    let keys = || {
        let keys = table::keys(entry.name).iter();
        let keys = keys.filter(|key| key.of.includes(program) && key.support != Support::Refused);
        let names: Vec<&str> = keys.map(|key| key.name).collect();
        format!("keys: {}", names.join(", "))
    };
    match (entry.note, entry.key) {
        ("", "") => String::new(),
        ("", key) => format!("`{key}` of the configuration"),
        (note, _) if note.contains(BELOW) => note.replace(BELOW, &keys()),
        (note, _) => note.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_help_has_a_line_for_each_flag_with_its_note() {
        for program in [Program::Fastchess, Program::Cutechess] {
            let text = plain(program);
            let flags = FLAGS.iter().filter(|entry| entry.of.includes(program));
            assert_eq!(text.lines().count(), flags.clone().count());
            for entry in flags {
                let first = entry.note.split(BELOW).next().unwrap_or_default();
                assert!(text.contains(first), "{}", entry.name);
            }
            assert!(!text.contains(BELOW), "{text}");
            let engine = text.lines().find(|line| line.contains("-engine cmd="));
            assert!(
                engine.is_some_and(|line| line.contains("keys: cmd, ")),
                "{text}"
            );
        }
    }
}
