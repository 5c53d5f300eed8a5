//! An engine as the command line names it.

use std::path::{Path, PathBuf};

use crate::engine::uci::Launch;

/// A program, its arguments and the UCI options to set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct EngineCommand {
    pub launch: Launch,
    pub options: Vec<(String, String)>,
}

impl EngineCommand {
    /// Reads a command: the path of a program, or a program followed by
    /// arguments without spaces in them.
    pub(crate) fn new(command: &str, options: Vec<(String, String)>) -> Self {
        let (program, args) = if Path::new(command).is_file() {
            (command, Vec::new())
        } else {
            let mut words = command.split_whitespace().map(str::to_owned);
            let program = command.split_whitespace().next().unwrap_or(command);
            words.next();
            (program, words.collect())
        };
        Self {
            launch: Launch {
                program: PathBuf::from(program),
                args,
                dir: None,
                env: Vec::new(),
            },
            options,
        }
    }
}

/// Reads `NAME=VALUE`; the value may be empty, for a button.
///
/// # Errors
/// A sentence for the user if there is no name.
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
    fn arguments_follow_the_program() {
        let engine = EngineCommand::new("lc0 --threads=2 -v", Vec::new());
        assert_eq!(engine.launch.program, Path::new("lc0"));
        assert_eq!(engine.launch.args, ["--threads=2", "-v"]);
    }

    #[test]
    fn a_path_with_spaces_is_one_program() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("my engine");
        std::fs::write(&path, "").unwrap();
        let engine = EngineCommand::new(path.to_str().unwrap(), Vec::new());
        assert_eq!(engine.launch.program, path);
        assert!(engine.launch.args.is_empty());
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
