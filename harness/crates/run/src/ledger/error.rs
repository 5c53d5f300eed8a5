//! What can go wrong with a ledger.

use std::fmt::Display;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use super::files::GAMES_CSV;
use super::row::RowError;
use hone_base::diagnostic::Diagnostic;
use hone_base::platform::holder_in_words;

/// What can go wrong with a ledger.
#[derive(Debug, thiserror::Error)]
pub enum LedgerError {
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
    /// Another process plays the run.
    #[error("{0}")]
    Locked(#[source] Diagnostic),
    /// A file is missing, or is not as `hone` has written it.
    #[error("{0}")]
    Changed(#[source] Diagnostic),
    /// The games of the run before this one cannot be read.
    #[error("{0}")]
    Earlier(#[source] Diagnostic),
    #[error("{} was deleted or replaced while the run was being played{}", path.display(), if *restored { "; it has been written again" } else { "" })]
    Gone { path: PathBuf, restored: bool },
    /// What was found while the run was played cannot be kept.
    #[error("{0}")]
    Finding(#[source] Diagnostic),
    #[error("{}, line {line}: {source}", path.display())]
    Row {
        path: PathBuf,
        line: u64,
        source: RowError,
    },
}

impl LedgerError {
    /// `what` is wrong with the file.
    pub(super) fn changed(path: &Path, what: impl Display, help: &str) -> Self {
        let what = format!("{} {what}", path.display());
        Self::Changed(Diagnostic::new(what).help(help))
    }

    pub(super) fn locked(path: &Path, file: &File) -> Self {
        let holder = holder_in_words(file);
        let what = format!(
            "{} is in use by another `hone` process{holder}",
            path.display()
        );
        Self::Locked(Diagnostic::new(what).help("wait until it ends, or stop it"))
    }

    pub(crate) fn missing(path: &Path) -> Self {
        let help = "restore it from a copy; `hone resume --replay-missing` plays its games again";
        Self::changed(path, "is missing", help)
    }

    /// The games of the run in `dir`, which comes before this one, cannot be read.
    pub(crate) fn earlier(dir: &Path, why: anyhow::Error) -> Self {
        let what = format!(
            "cannot read the run before this one in {}, whose games are known",
            dir.display()
        );
        let help = "keep the folder of a stage, or of the test of a tuning, in that of its run";
        Self::Earlier(Diagnostic::new(what).because(why).help(help))
    }

    /// The games are not at the offsets of their rows.
    pub(super) fn edited(path: &Path) -> Self {
        let help = "restore it from a copy, or undo the edit; a program that converts line ends to CRLF changes it too (`sed -i 's/\\r$//'` undoes that)";
        let what = format!("has been edited: its games are not where {GAMES_CSV} has them");
        Self::changed(path, what, help)
    }

    /// The games of a pair (from 0) do not follow those of the rows before in `games.pgn`.
    pub(crate) fn misplaced(dir: &Path, pair: u64) -> Self {
        let pair = pair.saturating_add(1);
        let what = format!("has been edited: rows before pair {pair} are missing, or it was moved");
        let help = "restore it from a copy; `hone resume --replay-missing` removes the pairs from there on and plays them again";
        Self::changed(&dir.join(GAMES_CSV), what, help)
    }
}
