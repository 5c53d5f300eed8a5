//! What can go wrong with a ledger.

use std::io;
use std::path::{Path, PathBuf};

use super::files::GAMES_CSV;
use super::row::RowError;

/// What can go wrong with a ledger.
#[derive(Debug, thiserror::Error)]
pub enum LedgerError {
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error("{} is in use by another `hone` process\nhelp: wait until it ends, or stop it", path.display())]
    Locked { path: PathBuf },
    #[error("{} contains games, but run.toml is missing next to it\nhelp: choose another --out", path.display())]
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
        "{} has been edited: rows before pair {pair} are missing, or it was moved\nhelp: restore it from a copy; `hone resume --replay-missing` removes the pairs from there on and plays them again",
        path.display()
    )]
    Misplaced { path: PathBuf, pair: u64 },
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

impl LedgerError {
    /// The games of a pair (from 0) do not follow those of the rows before in `games.pgn`.
    pub(crate) fn misplaced(dir: &Path, pair: u64) -> Self {
        Self::Misplaced {
            path: dir.join(GAMES_CSV),
            pair: pair.saturating_add(1),
        }
    }
}
