//! Reads opening books and puts them in order.
//!
//! # Layout
//!
//! * [`Book`]: a file of openings (EPD, FEN or PGN, plain, gzip or zip), every
//!   line of it checked when it is opened, held compactly, parsed on demand.
//! * `lines`: the lines of positions, checked by all processors.
//! * `packed`: the moves of games, in two bytes each.
//! * `promotions`: those that the PGN reader cannot read.
//! * [`Opening`]: where a game starts: what travels with a pair.
//! * [`Schedule`]: which opening of the book the n-th pair gets.
//! * [`epd`]: the grammar of one EPD or FEN line.
//! * [`games`]: the leading moves of PGN games.
//! * `unreadable`: words like moves that the PGN reader skips.
//! * [`source`]: bytes of a plain or packed file, and what they are.

mod book;
mod book_error;
pub mod epd;
pub mod games;
mod lines;
mod opening;
mod options;
mod packed;
mod promotions;
pub(crate) mod schedule;
pub(crate) mod source;
pub(crate) mod unreadable;
mod variant;

pub use book::Book;
pub(crate) use book_error::BookError;
pub use opening::Opening;
pub(crate) use opening::StartError;
pub use options::BookOptions;
pub(crate) use schedule::{Order, Schedule};
pub(crate) use source::Format;
pub use variant::Variant;
pub(crate) use variant::usual_start;
