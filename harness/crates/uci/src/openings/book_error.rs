//! Errors of opening books.

use std::path::{Path, PathBuf};

use thiserror::Error;

use super::{epd::LineError, games::BadGame, source::SourceError, unreadable::MovetextFault};
use hone_base::diagnostic::{Diagnostic, Place};

/// The reason why a book cannot be used.
#[derive(Debug, Error)]
pub enum BookError {
    #[error(transparent)]
    Source(#[from] SourceError),
    /// Faults with places in the book.
    #[error("{0}")]
    Content(#[source] Diagnostic),
    #[error("{} contains no openings", path.display())]
    Empty { path: PathBuf },
    #[error("{0}")]
    Polyglot(#[source] Diagnostic),
}

impl BookError {
    /// The error of the first faulty line, the first faulty lines (from 1), and the number of
    /// all but the first.
    pub(super) fn of_lines(path: &Path, error: &LineError, lines: &[usize], others: usize) -> Self {
        let more = match others {
            0 => String::new(),
            1 => " (and 1 more invalid line)".to_owned(),
            n => format!(" (and {n} more invalid lines)"),
        };
        let fault = Diagnostic::new(format!("{error}{more}"));
        let places = lines
            .iter()
            .map(|line| Place::line(path.display(), *line as u64));
        Self::Content(places.fold(fault, Diagnostic::at))
    }

    pub(super) fn of_game(path: &Path, bad: &BadGame) -> Self {
        let fault = Diagnostic::new(format!("game {}: {}", bad.game, bad.error));
        Self::Content(fault.at(Place::line(path.display(), bad.line)))
    }

    pub(super) fn of_movetext(path: &Path, line: u64, fault: &MovetextFault) -> Self {
        let fault = Diagnostic::new(fault.to_string());
        Self::Content(fault.at(Place::line(path.display(), line)))
    }

    pub(super) fn polyglot(path: &Path) -> Self {
        let path = path.display();
        let is_table = format!("{path} is a Polyglot book: it has no list of openings");
        let help = format!("convert it with `hone book convert {path} --plies 8 --out BOOK.epd`");
        Self::Polyglot(Diagnostic::new(is_table).help(help))
    }
}
