//! Tools for positions.
//!
//! Uses: `base`, `uci`.
//!
//! # Layout
//!
//! * [`book`]: makes, inspects and converts opening books.
//! * [`suite`]: engines on test positions.

// `println!` panics on a closed pipe: `hone_base::output` prints in its place.
#![cfg_attr(not(test), warn(clippy::print_stdout, clippy::print_stderr))]
#![cfg_attr(not(test), warn(clippy::unwrap_used, clippy::string_slice))]

pub mod book;
pub mod suite;
