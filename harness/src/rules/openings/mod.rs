//! Reads opening books and puts them in order.
//!
//! # Layout
//!
//! * [`Book`]: a file of openings (EPD, FEN or PGN, plain, gzip or zip), every
//!   line of it checked when it is opened, held compactly, parsed on demand.
//! * [`Opening`]: where a game starts: what travels with a pair.
//! * [`Schedule`]: which opening of the book the n-th pair gets.
//! * [`epd`]: the grammar of one EPD or FEN line.
//! * [`games`]: the leading moves of PGN games.
//! * [`source`]: bytes of a plain or packed file, and what they are.

mod book;
pub mod epd;
pub mod games;
mod opening;
pub(crate) mod schedule;
pub mod source;

pub use book::{Book, BookError, BookOptions};
pub use opening::{Opening, STANDARD_START, StartError, Variant};
pub use schedule::{Order, Schedule};
pub use source::Format;
