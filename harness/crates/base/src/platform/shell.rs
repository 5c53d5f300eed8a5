//! The system's shell, and quoting for its command lines.

use std::borrow::Cow;
use std::path::Path;
use std::process::Command;

/// A command that runs a line in the shell.
#[cfg(not(windows))]
pub fn shell(line: &str) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", line]);
    command
}

/// A command that runs a line in `cmd`. With `/S`, `cmd` removes only the outer quotes.
#[cfg(windows)]
pub fn shell(line: &str) -> Command {
    use std::os::windows::process::CommandExt;
    let mut command = Command::new("cmd");
    command.raw_arg(format!("/D /S /C \"{line}\""));
    command
}

/// A path as a word of a command line, quoted if necessary.
pub fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    match cfg!(windows) {
        true if text.contains(' ') => format!("\"{text}\""),
        true => text,
        false => shlex::try_quote(&text).map_or(text.clone(), Cow::into_owned),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shell_interprets_quotes_in_a_line() {
        let output = shell("echo \"a b\" && echo c").output().expect("a shell");
        let text = String::from_utf8_lossy(&output.stdout).replace("\r\n", "\n");
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        let quoted = if cfg!(windows) { "\"a b\"" } else { "a b" };
        assert_eq!(lines, [quoted, "c"]);
    }

    #[test]
    fn a_path_with_spaces_is_one_word() {
        let word = quoted(Path::new("a  b"));
        let output = shell(&format!("echo {word}")).output().expect("a shell");
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(text.contains("a  b"), "{text}");
        assert_eq!(quoted(Path::new("results/run-1")), "results/run-1");
    }
}
