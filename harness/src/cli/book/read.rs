//! Options for reading a book that several commands share.

use std::path::Path;

use clap::Args;

use hone_base::errln;
use hone_books::book::scan::{Scan, scan};
use hone_uci::openings::source::SourceError;
use hone_uci::openings::{BookOptions, Variant};

#[derive(Debug, Args)]
pub(super) struct Reading {
    /// Plies taken from games and Polyglot books [default: all of a game, 8 of a Polyglot book]
    #[arg(long, value_name = "N")]
    plies: Option<usize>,
    /// Read the book as Chess960; by default detected from positions that standard chess cannot have
    #[arg(long)]
    chess960: bool,
}

impl Reading {
    pub(super) fn variant(&self) -> Variant {
        if self.chess960 {
            Variant::Chess960
        } else {
            Variant::Standard
        }
    }

    pub(super) fn plies(&self) -> Option<usize> {
        self.plies
    }

    /// Reads a book, and prints a notice if it was detected as Chess960.
    pub(super) fn scan(&self, path: &Path) -> Result<Scan, SourceError> {
        let scan = scan(path, self.options())?;
        if scan.variant != self.variant() {
            errln!("{} is read as a Chess960 book", path.display());
        }
        Ok(scan)
    }

    pub(super) fn options(&self) -> BookOptions {
        BookOptions {
            format: None,
            plies: self.plies,
            variant: self.variant(),
        }
    }
}
