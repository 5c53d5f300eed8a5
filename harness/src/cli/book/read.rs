//! How a book is read: options that several commands share.

use clap::Args;

use crate::rules::openings::{BookOptions, Variant};

#[derive(Debug, Args)]
pub(super) struct Reading {
    /// Half-moves taken from games and Polyglot books [default: all of a game, 8 of a Polyglot book]
    #[arg(long, value_name = "N")]
    plies: Option<usize>,
    /// The book is for Chess960
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

    pub(super) fn options(&self) -> BookOptions {
        BookOptions {
            format: None,
            plies: self.plies,
            variant: self.variant(),
        }
    }
}
