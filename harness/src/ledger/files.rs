//! The files of a ledger, and what can go wrong with them.

use std::io;
use std::path::PathBuf;

use super::row::RowError;

/// Names of the files in a run's folder.
pub(crate) const GAMES_CSV: &str = "games.csv";
pub(crate) const GAMES_PGN: &str = "games.pgn";
pub(crate) const GAMES_EPD: &str = "games.epd";
/// The folder of what is kept of failures, one folder each.
pub(crate) const FAILURES: &str = "failures";

/// What can go wrong with a ledger.
#[derive(Debug, thiserror::Error)]
pub enum LedgerError {
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error("{} is in use by another hone", path.display())]
    Locked { path: PathBuf },
    #[error("{}, line {line}: {source}", path.display())]
    Row {
        path: PathBuf,
        line: u64,
        source: RowError,
    },
}
