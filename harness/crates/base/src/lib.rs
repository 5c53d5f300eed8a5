//! What every crate of `hone` stands on. It uses no other crate of `hone`.
//!
//! # Layout
//!
//! * [`text`]: names and messages as text: suggestions, numbering.
//! * [`diagnostic`]: errors as values, with their places and help.
//! * [`platform`]: what differs between Linux, macOS and Windows.
//! * [`output`]: standard output for results, standard error for messages.
//! * [`checksum`]: SHA-256 of files and of bytes, and hexadecimal digits.
//! * [`seeded`]: random numbers that depend only on a seed.

// `println!` panics on a closed pipe: `hone_base::output` prints in its place.
#![cfg_attr(not(test), warn(clippy::print_stdout, clippy::print_stderr))]
#![cfg_attr(not(test), warn(clippy::unwrap_used, clippy::string_slice))]

pub mod checksum;
pub mod diagnostic;
pub mod output;
pub mod platform;
pub mod seeded;
pub mod text;
