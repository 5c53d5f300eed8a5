//! The build command with the path of the program inserted.

#![cfg_attr(not(test), warn(clippy::expect_used, clippy::indexing_slicing))]
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects, clippy::cast_possible_truncation))]

/// Placeholder for the path of the program in build commands and engine commands.
pub(super) const OUT: &str = "{out}";

/// A build command with a path in place of each `{out}`, inside quotes or not.
pub(super) fn with_out(line: &str, out: &str) -> String {
    let mut text = String::new();
    let mut quote = Quote::None;
    for (index, part) in line.split(OUT).enumerate() {
        if index > 0 {
            text.push_str(&quote.path(out));
        }
        text.push_str(part);
        quote = quote.after(part);
    }
    text
}

/// The quotes around a position in a shell command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Quote {
    None,
    Single,
    Double,
}

impl Quote {
    /// The quotes after `part`, which starts within these.
    fn after(self, part: &str) -> Self {
        let mut quote = self;
        let mut chars = part.chars();
        while let Some(c) = chars.next() {
            quote = match (quote, c) {
                (Self::None, '\'') if !cfg!(windows) => Self::Single,
                (Self::Single, '\'') => Self::None,
                (Self::None, '"') => Self::Double,
                (Self::Double, '"') => Self::None,
                (Self::None | Self::Double, '\\') if !cfg!(windows) => {
                    chars.next();
                    quote
                }
                _ => quote,
            };
        }
        quote
    }

    /// A path, escaped for a position within these quotes.
    fn path(self, path: &str) -> String {
        match self {
            Self::None if cfg!(windows) => format!("\"{path}\""),
            _ if cfg!(windows) => path.to_string(),
            Self::None => {
                shlex::try_quote(path).map_or(path.to_string(), |quoted| quoted.into_owned())
            }
            Self::Single => path.replace('\'', r"'\''"),
            Self::Double => {
                let mut escaped = String::new();
                for c in path.chars() {
                    if "\\\"$`".contains(c) {
                        escaped.push('\\');
                    }
                    escaped.push(c);
                }
                escaped
            }
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_shell_gets_the_path_in_every_kind_of_quotes() {
        let out = "/a b/it's $HOME \"`x`\\y/engine";
        for line in [
            "printf %s {out}",
            "printf %s \"{out}\"",
            "printf %s '{out}'",
            "printf %s \"\"{out}\"\"",
            "x='it is'; printf %s \"${x#it is}{out}\"",
            "printf %s \\\"\"{out}\" | cut -c2-",
        ] {
            let line = with_out(line, out);
            let output = std::process::Command::new("sh")
                .args(["-c", &line])
                .output();
            let output = output.expect("a shell");
            let said = String::from_utf8_lossy(&output.stdout);
            assert_eq!(said.trim_end(), out, "{line}");
        }
    }
}
