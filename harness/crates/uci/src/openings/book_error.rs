//! Errors of opening books.

use std::path::{Path, PathBuf};

use thiserror::Error;

use super::{epd::LineError, games::BadGame, source::SourceError, unreadable::MovetextFault};

/// The reason why a book cannot be used.
#[derive(Debug, Error)]
pub enum BookError {
    #[error(transparent)]
    Source(#[from] SourceError),
    #[error(
        "{error}{}{}", more(*others), places(path, lines)
    )]
    Position {
        path: PathBuf,
        /// The error of the first faulty line.
        error: LineError,
        /// The first three faulty lines of the file, from 1.
        lines: Vec<usize>,
        /// Number of further faulty lines.
        others: usize,
    },
    #[error("game {}: {}\n  --> {}:{}", bad.game, bad.error, path.display(), bad.line)]
    Game { path: PathBuf, bad: BadGame },
    #[error("{fault}\n  --> {}:{line}", path.display())]
    Movetext {
        path: PathBuf,
        line: u64,
        fault: MovetextFault,
    },
    #[error("{} contains no openings", path.display())]
    Empty { path: PathBuf },
    #[error(
        "{} is a Polyglot book: it has no list of openings\n\
         help: convert it with `hone book convert {} --plies 8 --out BOOK.epd`",
        path.display(), path.display()
    )]
    Polyglot { path: PathBuf },
}

fn more(others: usize) -> String {
    match others {
        0 => String::new(),
        1 => " (and 1 more invalid line)".to_owned(),
        n => format!(" (and {n} more invalid lines)"),
    }
}

fn places(path: &Path, lines: &[usize]) -> String {
    let places = lines
        .iter()
        .map(|line| format!("\n  --> {}:{line}", path.display()));
    places.collect()
}
