//! An engine given on the command line.

use std::path::{Path, PathBuf};

use crate::engine::uci::{Launch, split_command};

/// A program, its arguments and the UCI options to set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EngineCommand {
    pub launch: Launch,
    pub options: Vec<(String, String)>,
}

/// A command without a program, or with unmatched quotes.
#[derive(Debug, thiserror::Error)]
#[error("cannot read the engine command `{0}`: it is empty or its quotes do not match")]
pub struct CommandError(String);

impl EngineCommand {
    /// Reads a command: the path of an existing file, or a program and arguments as
    /// [`split_command`] reads them.
    ///
    /// # Errors
    /// [`CommandError`].
    pub fn new(command: &str, options: Vec<(String, String)>) -> Result<Self, CommandError> {
        let mut words = if Path::new(command).is_file() {
            vec![command.to_owned()]
        } else {
            split_command(command).ok_or_else(|| CommandError(command.to_owned()))?
        };
        let args = words.split_off(1);
        let program = words.remove(0);
        Ok(Self {
            launch: Launch {
                program: PathBuf::from(program),
                args,
                // It has no opponent.
                trusted: true,
                ..Launch::default()
            },
            options,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_follow_the_program() {
        let engine = EngineCommand::new("lc0 --threads=2 -v", Vec::new()).unwrap();
        assert_eq!(engine.launch.program, Path::new("lc0"));
        assert_eq!(engine.launch.args, ["--threads=2", "-v"]);
        let engine = EngineCommand::new("'my engine' -b 'a b'", Vec::new()).unwrap();
        assert_eq!(engine.launch.program, Path::new("my engine"));
        assert_eq!(engine.launch.args, ["-b", "a b"]);
        assert!(EngineCommand::new("'my engine", Vec::new()).is_err());
    }

    #[test]
    fn a_path_with_spaces_is_one_program() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("my engine");
        std::fs::write(&path, "").unwrap();
        let engine = EngineCommand::new(path.to_str().unwrap(), Vec::new()).unwrap();
        assert_eq!(engine.launch.program, path);
        assert!(engine.launch.args.is_empty());
    }
}
