//! The program `git`: started so that it does nothing on behalf of the repository.

use std::path::Path;
use std::process::{Command, Output, Stdio};

use super::GitError;
use hone_base::diagnostic::Diagnostic;

/// `git` in a folder, without the environment of a surrounding git (as in a hook). It does
/// not run programs that the repository configures, such as hooks or a file system monitor.
pub(crate) fn git(dir: &Path) -> Command {
    let mut command = Command::new("git");
    command.arg("-C").arg(dir).stdin(Stdio::null());
    command.args(NO_PROGRAMS);
    // Its messages are matched, and a prompt for a password would hang.
    command.env("LC_ALL", "C").env("GIT_TERMINAL_PROMPT", "0");
    command.env("GIT_OPTIONAL_LOCKS", "0");
    forget_surroundings(&mut command);
    command
}

const NO_PROGRAMS: [&str; 4] = [
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "core.fsmonitor=false",
];

/// Arguments that switch off the filters of the repository's own configuration. Those of the
/// user's configuration, such as Git LFS, stay active.
pub(crate) fn without_own_filters(dir: &Path) -> Result<Vec<String>, GitError> {
    let mut command = git(dir);
    command.args(["config", "--includes", "--null", "--show-scope"]);
    command.args(["--name-only", "--get-regexp", "^filter\\."]);
    // The command fails without filters.
    let shown = output(&mut command)?;
    let shown = String::from_utf8_lossy(&shown.stdout).into_owned();
    let mut fields = shown.split('\0');
    let mut arguments = Vec::new();
    while let (Some(scope), Some(key)) = (fields.next(), fields.next()) {
        if !["local", "worktree"].contains(&scope) {
            continue;
        }
        let Some((filter, _)) = key.rsplit_once('.') else {
            continue;
        };
        for (what, value) in [
            ("clean", ""),
            ("smudge", ""),
            ("process", ""),
            ("required", "false"),
        ] {
            arguments.extend(["-c".to_string(), format!("{filter}.{what}={value}")]);
        }
    }
    Ok(arguments)
}

/// Removes the environment variables that point git to another repository.
pub(crate) fn forget_surroundings(command: &mut Command) {
    for name in [
        "GIT_DIR",
        "GIT_WORK_TREE",
        "GIT_INDEX_FILE",
        "GIT_COMMON_DIR",
        "GIT_OBJECT_DIRECTORY",
        "GIT_ALTERNATE_OBJECT_DIRECTORIES",
        "GIT_NAMESPACE",
        "GIT_PREFIX",
    ] {
        command.env_remove(name);
    }
}

/// The output of a command, whether it succeeded or failed by itself.
pub(super) fn output(command: &mut Command) -> Result<Output, GitError> {
    let output = command
        .output()
        .map_err(|source| GitError::Start { source })?;
    // Its output, if any, says nothing about the repository.
    if output.status.code().is_none() {
        let status = output.status;
        let help = "try again; if it was killed because memory ran out, close other programs";
        return Err(GitError::Killed {
            status,
            help: Diagnostic::default().help(help),
        });
    }
    Ok(output)
}

/// Standard output of a command that must succeed, without the trailing line break.
pub(crate) fn succeed(command: &mut Command) -> Result<String, GitError> {
    succeeded(command).map(|output| text(&output))
}

/// The output of a command that must succeed.
pub(crate) fn succeeded(command: &mut Command) -> Result<Output, GitError> {
    let output = output(command)?;
    if output.status.success() {
        return Ok(output);
    }
    let arguments: Vec<_> = command
        .get_args()
        .skip(2)
        .skip(NO_PROGRAMS.len())
        .map(|argument| argument.to_string_lossy())
        .collect();
    Err(GitError::Failed {
        command: arguments.join(" "),
        detail: String::from_utf8_lossy(&output.stderr).trim().to_string(),
    })
}

pub(super) fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout)
        .trim_end()
        .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_git_that_is_killed_is_not_a_missing_repository() {
        for signal in ["KILL", "TERM", "SEGV"] {
            let mut command = Command::new("sh");
            command.args(["-c", &format!("kill -{signal} $$")]);
            let error = output(&mut command).expect_err("killed");
            assert!(matches!(error, GitError::Killed { .. }), "{error}");
        }
        let failed = output(Command::new("sh").args(["-c", "exit 128"]));
        assert_eq!(failed.expect("it ended").status.code(), Some(128));
    }
}
