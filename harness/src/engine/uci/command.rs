//! An engine's command as a person writes it.

#![cfg_attr(not(test), warn(clippy::unwrap_used, clippy::expect_used))]
#![cfg_attr(not(test), warn(clippy::indexing_slicing, clippy::string_slice))]
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects, clippy::cast_possible_truncation))]

use std::path::Path;

/// Splits a command into words as a shell does: quotes keep spaces together.
/// On Windows a backslash is a part of a path. `None` if the command is empty or
/// its quotes do not match.
pub(crate) fn split_command(command: &str) -> Option<Vec<String>> {
    let words = if cfg!(windows) {
        shlex::split(&command.replace('\\', "\\\\"))
    } else {
        shlex::split(command)
    };
    words.filter(|words| !words.is_empty())
}

/// The name of a command's program, without folder and extension.
pub(crate) fn program_name(command: &str) -> String {
    let words = split_command(command).unwrap_or_default();
    let program = words.first().map_or("engine", String::as_str);
    let stem = Path::new(program).file_stem().unwrap_or_default();
    stem.to_string_lossy().into_owned()
}

/// Whether a text can be a part of one UCI command. A line end would begin a
/// second command.
pub(crate) fn is_one_line(text: &str) -> bool {
    !text.contains(|c: char| c.is_control() && c != '\t')
}

/// Reads the option `NAME=VALUE`; the value may be empty or missing, for a
/// button.
///
/// # Errors
/// A sentence for the user if the name is missing, or if it is more than a
/// line.
pub(crate) fn parse_option(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').unwrap_or((text, ""));
    if !is_one_line(text) {
        return Err("a line end or another control character would break the protocol".to_owned());
    }
    match name.trim() {
        "" => Err("expected NAME=VALUE, for instance Hash=64".to_owned()),
        name => Ok((name.to_owned(), value.trim().to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_called_after_its_program() {
        for (command, name) in [
            ("lc0 --threads=2", "lc0"),
            ("'/my engines/a b.exe' -v", "a b"),
            ("'lc0", "engine"),
        ] {
            assert_eq!(program_name(command), name, "{command}");
        }
    }

    #[test]
    fn quotes_keep_words_together() {
        for (command, words) in [
            ("lc0 --threads=2 -v", &["lc0", "--threads=2", "-v"][..]),
            (
                "'my engine' --book \"a b.bin\"",
                &["my engine", "--book", "a b.bin"],
            ),
            ("sh -c 'exec x'", &["sh", "-c", "exec x"]),
        ] {
            assert_eq!(split_command(command).unwrap(), words, "{command}");
        }
        for command in ["", "  ", "'engine", "engine \"x"] {
            assert_eq!(split_command(command), None, "{command}");
        }
    }

    #[test]
    fn options_have_a_name() {
        let pair = |name: &str, value: &str| Ok((name.to_owned(), value.to_owned()));
        assert_eq!(
            parse_option("Move Overhead = 10"),
            pair("Move Overhead", "10")
        );
        assert_eq!(parse_option("SyzygyPath=/a=b"), pair("SyzygyPath", "/a=b"));
        assert_eq!(parse_option("Clear Hash"), pair("Clear Hash", ""));
        assert!(parse_option("=3").is_err());
        for text in ["Seed=1\nquit", "Seed\rquit=1", "Seed=\0", "Seed=1\n"] {
            assert!(parse_option(text).is_err(), "{text:?}");
        }
    }
}
