//! Reads opening books for runs and puts the openings in order. The module `book` makes
//! and measures books for `hone book`. A new format begins in [`source::Format`].
//!
//! # Layout
//!
//! * [`Book`]: a file of openings (EPD, FEN or PGN; plain, gzip or zip), checked when it is
//!   opened, kept compactly, parsed on demand.
//! * `lines`: the lines of a book of positions, checked in parallel.
//! * `packed`: the moves of games, in two bytes each.
//! * [`joined`]: the paragraphs of a PGN game as one.
//! * `spellings`: usual spellings of moves that the PGN reader does not support.
//! * [`Opening`]: the start of a game, as a job for a pair contains it.
//! * [`Schedule`]: the opening of the n-th pair.
//! * [`epd`]: the grammar of one EPD or FEN line.
//! * [`games`]: the leading moves of PGN games.
//! * `unreadable`: words like moves that the PGN reader skips.
//! * [`source`]: the bytes of a plain or compressed file, and their format.

mod book;
mod book_error;
pub mod epd;
pub mod games;
pub mod joined;
mod lines;
mod normal_form;
mod opening;
mod options;
mod packed;
mod schedule;
pub mod source;
mod spellings;
pub mod unreadable;
mod variant;

pub use book::Book;
pub use book_error::BookError;
pub use opening::Opening;
pub use opening::StartError;
pub use options::BookOptions;
pub use schedule::{Order, Schedule};
pub use source::Format;
pub use variant::Variant;
pub use variant::usual_start;
