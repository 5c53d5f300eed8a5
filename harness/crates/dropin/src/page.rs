//! The table of flags for the documentation.

use super::program::Program;
use super::table::{self, FLAGS, FlagEntry, GROUPS, Of, Support};

/// A table of all flags, and one table of keys for each flag with keys.
pub fn tables() -> String {
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
