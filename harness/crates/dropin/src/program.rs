//! The programs that `hone` can replace.

use std::ffi::OsStr;
use std::path::Path;

/// A program whose command line is supported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Program {
    Fastchess,
    Cutechess,
}

/// The format of the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputFormat {
    Fastchess,
    /// That of fastchess with `-output format=cutechess`.
    FastchessAsCutechess,
    Cutechess,
}

impl Program {
    const ALL: [Self; 2] = [Self::Fastchess, Self::Cutechess];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fastchess => "fastchess",
            Self::Cutechess => "cutechess-cli",
        }
    }

    /// The version whose command line is supported.
    pub fn version(self) -> &'static str {
        match self {
            Self::Fastchess => "1.8.2",
            Self::Cutechess => "1.5.1",
        }
    }

    /// The program of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|program| program.name() == name)
    }

    /// The program by whose name this process was started. Servers append a suffix to the name,
    /// as in `fastchess-ob`.
    pub fn of_command(argument: &OsStr) -> Option<Self> {
        let stem = Path::new(argument).file_stem()?.to_str()?;
        Self::ALL.into_iter().find(|program| {
            stem.strip_prefix(program.name())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
        })
    }

    /// Its default output format.
    pub fn format(self) -> OutputFormat {
        match self {
            Self::Fastchess => OutputFormat::Fastchess,
            Self::Cutechess => OutputFormat::Cutechess,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_the_file_decides() {
        let of = |name: &str| Program::of_command(OsStr::new(name));
        assert_eq!(of("./fastchess"), Some(Program::Fastchess));
        assert_eq!(of("/opt/fastchess.exe"), Some(Program::Fastchess));
        assert_eq!(of("./fastchess-ob"), Some(Program::Fastchess));
        assert_eq!(of("cutechess-cli"), Some(Program::Cutechess));
        assert_eq!(of("hone"), None);
        assert_eq!(of("fastchessboard"), None);
    }
}
