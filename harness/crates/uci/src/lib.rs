//! Chess, and one engine: everything between a position and a `bestmove`. Runs and
//! statistics are in other crates.
//!
//! Uses: `base`.
//!
//! # Layout
//!
//! * [`rules`]: a game without its engines: limits and clocks, the referee,
//!   adjudication, endgame tables, the record.
//! * [`openings`]: reads opening books, and chooses the opening of each pair.
//! * [`engine`]: one engine: its process and the UCI protocol, analysis of
//!   positions, compliance with the protocol.

// `println!` panics on a closed pipe: `hone_base::output` prints in its place.
#![cfg_attr(not(test), warn(clippy::print_stdout, clippy::print_stderr))]
#![cfg_attr(not(test), warn(clippy::unwrap_used, clippy::string_slice))]

pub mod engine;
pub mod openings;
pub mod rules;
