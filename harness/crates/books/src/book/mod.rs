//! `hone book`: makes, inspects and converts opening books. [`hone_uci::openings`] reads a
//! book for a run; a new format of books begins there.
//!
//! * [`make`]: candidates from random play or games, judged by an engine.
//! * [`opening`]: an opening with its annotations, and its text.
//! * [`scan`]: reads books of any format, [`polyglot`] tables among them.
//! * [`info`]: statistics of a book's content.
//! * [`output`]: writes books.
//! * [`chess960`]: the 960 start positions.

pub mod chess960;
pub mod info;
pub mod make;
pub mod opening;
pub mod output;
pub mod polyglot;
pub mod scan;
