//! `hone`: tests whether a chess engine got stronger, tunes it, and tracks its
//! Elo. Arguments in, exit code out: everything else is in the crates below `crates/`.
//!
//! # Layout
//!
//! * [`cli`]: the commands, one file or folder each, what they share, and their exit codes.

// `println!` panics on a closed pipe: `hone_base::output` prints in its place.
#![cfg_attr(not(test), warn(clippy::print_stdout, clippy::print_stderr))]
#![cfg_attr(not(test), warn(clippy::unwrap_used, clippy::string_slice))]

pub mod cli;
