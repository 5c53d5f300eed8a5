//! Why the engines are not ready to play.

use std::io;
use std::path::PathBuf;

use super::preflight::PreflightError;
use crate::builds::BuildError;
use crate::engine::uci::{AnswerError, OptionError, StartError};
use crate::platform::SandboxError;

/// Why the engines are not ready to play.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PrepareError {
    #[error("engine `{name}`: the build failed ({status})\nhelp: run it alone: {command}")]
    Build {
        name: String,
        command: String,
        status: String,
    },
    #[error("engine `{name}`: {source}")]
    Source { name: String, source: BuildError },
    #[error("engine `{name}`: `cmd` is empty or its quotes do not match: {cmd}")]
    Command { name: String, cmd: String },
    #[error("engine `{name}`: no program `{program}`{hint}")]
    Missing {
        name: String,
        program: String,
        hint: &'static str,
    },
    #[error("engine `{name}`: {source}")]
    Start { name: String, source: StartError },
    /// It was built from a commit, or from uncommitted changes, and does not
    /// start.
    #[error("{source} (it builds but does not start)")]
    Broken {
        name: String,
        source: Box<PrepareError>,
    },
    #[error("engine `{name}`: {source}")]
    Option { name: String, source: OptionError },
    #[error("engine `{name}` does not support Chess960 (no option `UCI_Chess960`)")]
    Chess960 { name: String },
    #[error("engine `{name}` is not ready for a game: {source}")]
    Ready { name: String, source: AnswerError },
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
    #[error("cannot start: {0}")]
    Preflight(#[from] PreflightError),
    #[error("engine `{name}`: cannot read {}: {source}", path.display())]
    Read {
        name: String,
        path: PathBuf,
        source: io::Error,
    },
}

impl PrepareError {
    /// Whether the engine's process was there and ended.
    pub(super) fn is_death(&self) -> bool {
        match self {
            Self::Start { source, .. } => matches!(source, StartError::Ended { .. }),
            Self::Ready { source, .. } => matches!(source, AnswerError::Disconnected),
            Self::Preflight(error) => matches!(error, PreflightError::Ended { .. }),
            _ => false,
        }
    }

    /// Whether the engine's process was there and said nothing.
    pub(super) fn is_silence(&self) -> bool {
        match self {
            Self::Start { source, .. } => matches!(source, StartError::NoUciok { .. }),
            Self::Ready { source, .. } => matches!(source, AnswerError::TimedOut),
            Self::Preflight(error) => matches!(error, PreflightError::Silent { .. }),
            _ => false,
        }
    }

    /// Whether a build was started.
    pub(crate) fn is_after_start(&self) -> bool {
        match self {
            Self::Build { .. } | Self::Broken { .. } => true,
            Self::Source { source, .. } => {
                source.is_of_commit() || matches!(source, BuildError::Bench { .. })
            }
            _ => false,
        }
    }
}
