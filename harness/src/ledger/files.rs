//! The files of a ledger, and what can go wrong with them.

use std::io;
use std::path::PathBuf;

use super::row::RowError;

/// Names of the files in a run's folder. `run.toml` has the conditions.
pub(crate) const MANIFEST: &str = "run.toml";
pub(crate) const GAMES_CSV: &str = "games.csv";
pub(crate) const GAMES_PGN: &str = "games.pgn";
pub(crate) const GAMES_EPD: &str = "games.epd";
/// How every game of [`GAMES_PGN`] begins.
pub(crate) const GAME_START: &[u8] = b"[Event ";
/// The folder of what is kept of failures, one folder each.
pub(crate) const FAILURES: &str = "failures";

/// What is done about games that are in only one of the two files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Recovery {
    /// The pair that a kill can have torn is removed and played again. More
    /// than that is an error.
    #[default]
    LastPair,
    /// All of them are removed and played again.
    Replay,
}

/// What can go wrong with a ledger.
#[derive(Debug, thiserror::Error)]
pub enum LedgerError {
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error("{} is in use by another hone", path.display())]
    Locked { path: PathBuf },
    #[error("{} contains games, but run.toml is missing beside it\nhelp: choose another --out", path.display())]
    Occupied { path: PathBuf },
    #[error("{} is missing\nhelp: restore it from a copy; `hone resume --replay-missing` plays its games again", path.display())]
    Missing { path: PathBuf },
    #[error(
        "{} ends before the games of the last {pairs} pairs of {GAMES_CSV}, more than a kill can leave out\nhelp: restore it from a copy; `hone resume --replay-missing` plays these pairs again",
        path.display()
    )]
    Short { path: PathBuf, pairs: usize },
    #[error(
        "{} contains {games} games that {GAMES_CSV} does not list, more than a kill can leave\nhelp: restore {GAMES_CSV} from a copy; `hone resume --replay-missing` removes these games and plays them again",
        path.display()
    )]
    Unlisted { path: PathBuf, games: usize },
    #[error(
        "{} has been edited: its games are not where {GAMES_CSV} has them\nhelp: restore it from a copy, or undo the edit; a program that converts line ends to CRLF changes it too (`sed -i 's/\\r$//'` undoes that)",
        path.display()
    )]
    Edited { path: PathBuf },
    #[error(
        "{} has changed since pair {pair} was played: all pairs of a run must be played under the same conditions\nhelp: restore the file, or start a new run under the new conditions",
        path.display()
    )]
    Conditions { path: PathBuf, pair: u64 },
    #[error("{} was deleted or replaced while the run was being played{}", path.display(), if *restored { "; it has been written again" } else { "" })]
    Gone { path: PathBuf, restored: bool },
    #[error("{}, line {line}: {source}", path.display())]
    Row {
        path: PathBuf,
        line: u64,
        source: RowError,
    },
}
