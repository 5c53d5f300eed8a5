//! The system's shell, for build lines.

use std::process::Command;

/// A command that runs a line in the shell.
#[cfg(not(windows))]
pub(crate) fn shell(line: &str) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", line]);
    command
}

/// The line reaches `cmd` as it is: with `/S` it removes the outer quotes and
/// no others.
#[cfg(windows)]
pub(crate) fn shell(line: &str) -> Command {
    use std::os::windows::process::CommandExt;
    let mut command = Command::new("cmd");
    command.raw_arg(format!("/D /S /C \"{line}\""));
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_in_a_line_are_the_shells() {
        let output = shell("echo \"a b\" && echo c").output().expect("a shell");
        let text = String::from_utf8_lossy(&output.stdout).replace("\r\n", "\n");
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        let quoted = if cfg!(windows) { "\"a b\"" } else { "a b" };
        assert_eq!(lines, [quoted, "c"]);
    }
}
