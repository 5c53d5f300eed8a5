//! Makes opening books, measures and compares them.
//!
//! * [`make`]: candidates from random play or games, judged by an engine.
//! * [`entry`]: an opening with what a book says about it, and its text.
//! * [`scan`]: reads books of any format, [`polyglot`] tables among them.
//! * [`info`]: what a book is made of, scores as a [`histogram`].
//! * [`output`]: writes books.
//! * [`worth`]: how well a book's games tell engines apart.
//! * [`advantage`]: what White's advantage does to that, by a model.
//! * [`chess960`]: the 960 start positions.

pub(crate) mod advantage;
pub(crate) mod chess960;
pub(crate) mod entry;
pub(crate) mod histogram;
pub(crate) mod info;
pub(crate) mod make;
pub(crate) mod output;
pub mod polyglot;
pub(crate) mod scan;
pub(crate) mod worth;
