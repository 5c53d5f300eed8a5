//! Why a run could not start or had to stop.

use std::path::{Path, PathBuf};

use super::files::folder::FolderError;
use super::play::driver::RunError;
use super::prepare::error::PrepareError;
use crate::ledger::LedgerError;
use crate::openings::BookError;
use crate::output::with_causes;
use crate::platform::quoted;
use crate::rules::tablebase::TablebaseError;

/// Why a run could not start or had to stop.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SessionError {
    #[error(transparent)]
    Prepare(#[from] PrepareError),
    #[error(transparent)]
    Book(#[from] BookError),
    #[error(transparent)]
    Tablebase(#[from] TablebaseError),
    #[error(transparent)]
    Folder(#[from] FolderError),
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    #[error("{}", with_causes(.0))]
    Input(#[from] anyhow::Error),
    /// The run had started and can be resumed.
    #[error(
        "{source}\nhelp: all finished games are saved; resume with `hone resume {}`",
        quoted(folder)
    )]
    Stopped { folder: PathBuf, source: RunError },
    /// An error other than of the games, after the run had started.
    #[error(transparent)]
    AfterStart(anyhow::Error),
}

impl SessionError {
    /// The same error of a run in the folder of another: that one is resumed.
    pub(crate) fn of_folder(self, folder: &Path) -> Self {
        match self {
            Self::Stopped { source, .. } => Self::Stopped {
                folder: folder.to_path_buf(),
                source,
            },
            error => Self::after_start(error),
        }
    }

    /// Any error after the run had started.
    pub(crate) fn after_start(error: impl Into<anyhow::Error>) -> Self {
        Self::AfterStart(error.into())
    }

    /// Whether anything had been started: a build, or the run.
    pub(crate) fn is_after_start(&self) -> bool {
        self.is_of_run() || matches!(self, Self::Prepare(error) if error.is_after_start())
    }

    /// Whether the run had started.
    pub(crate) fn is_of_run(&self) -> bool {
        matches!(self, Self::Stopped { .. } | Self::AfterStart(_))
    }
}
