//! An engine's command as a person writes it.

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

/// Reads the option `NAME=VALUE`; the value may be empty or missing, for a
/// button.
///
/// # Errors
/// A sentence for the user if the name is missing.
pub(crate) fn parse_option(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').unwrap_or((text, ""));
    match name.trim() {
        "" => Err("expected NAME=VALUE, for instance Hash=64".to_owned()),
        name => Ok((name.to_owned(), value.trim().to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
    }
}
