//! The command of an engine, as a user writes it.

#![cfg_attr(not(test), warn(clippy::expect_used, clippy::indexing_slicing))]
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects, clippy::cast_possible_truncation))]

use std::path::{Path, PathBuf};

/// Splits a command into words as a shell does: quotes keep spaces together.
/// On Windows a backslash is a part of a path. `None` if the command is empty or
/// its quotes do not match.
pub fn split_command(command: &str) -> Option<Vec<String>> {
    let words = if cfg!(windows) {
        shlex::split(&command.replace('\\', "\\\\"))
    } else {
        shlex::split(command)
    };
    words.filter(|words| !words.is_empty())
}

/// Programs that run the file that a later argument names, as in `java -jar engine.jar`.
/// Versions such as the `3.12` of `python3.12` are not part of the name.
const INTERPRETERS: [&str; 19] = [
    "bash", "bun", "deno", "dotnet", "java", "julia", "lua", "luajit", "mono", "node", "perl",
    "php", "pypy", "python", "pythonw", "ruby", "sh", "wine", "zsh",
];

/// The path of a command's program as it is written; for an interpreter, that of the script.
/// Relative paths start from `dir`.
pub fn program_file(command: &str, dir: &Path) -> PathBuf {
    let is_file = |word: &str| dir.join(word).is_file();
    // A path with spaces needs no quotes as long as it exists.
    if is_file(command) {
        return command.into();
    }
    let words = split_command(command).unwrap_or_default();
    let Some((program, args)) = words.split_first() else {
        return "engine".into();
    };
    match args.iter().find(|word| is_file(word)) {
        Some(script) if is_interpreter(program) => script.into(),
        _ => program.into(),
    }
}

/// The name of [`program_file`], without folder and extension.
pub fn program_name(command: &str, dir: &Path) -> String {
    let file = program_file(command, dir);
    let stem = file.file_stem().unwrap_or_default();
    stem.to_string_lossy().into_owned()
}

fn is_interpreter(program: &str) -> bool {
    let file = Path::new(program).file_name().unwrap_or_default();
    let file = file.to_string_lossy().to_ascii_lowercase();
    let name = file.trim_end_matches(".exe");
    let name = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    INTERPRETERS.contains(&name)
}

/// Whether a text can be part of one UCI command: it has no line ends and no other control
/// characters except tabs.
pub fn is_one_line(text: &str) -> bool {
    !text.contains(|c: char| c.is_control() && c != '\t')
}

/// Reads an option `NAME=VALUE`; `=VALUE` may be missing, for a button.
///
/// # Errors
/// A message if the name is empty, or if the text fails [`is_one_line`].
pub fn parse_option(text: &str) -> Result<(String, String), String> {
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
    fn a_command_has_the_name_of_its_program() {
        for (command, name) in [
            ("lc0 --threads=2", "lc0"),
            ("'/my engines/a b.exe' -v", "a b"),
            ("'lc0", "engine"),
        ] {
            assert_eq!(program_name(command, Path::new("")), name, "{command}");
        }
    }

    #[test]
    fn a_script_and_a_path_with_spaces_give_their_own_name() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["ok.py", "my.jar", "eng v1.py", "net.pb"] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        for (command, name) in [
            ("python3 ok.py", "ok"),
            ("/usr/bin/python3.12 -u ./ok.py --x", "ok"),
            ("java -Xmx2g -jar my.jar", "my"),
            ("python3 'eng v1.py'", "eng v1"),
            ("eng v1.py", "eng v1"),
            ("python3 -m ok", "python3"),
            ("sh -c 'exec ok.py'", "sh"),
            ("lc0 -w net.pb", "lc0"),
        ] {
            assert_eq!(program_name(command, folder.path()), name, "{command}");
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
