//! The checks before the first game.
//!
//! * `setup`: book, endgame tables, processors.
//! * `prepared`, `greeting`, `preflight`: the engines: their programs, their
//!   options, and a short search by each.
//! * `conditions`: the digest of what must not change between two starts of a run.

pub(crate) mod conditions;
pub(super) mod error;
mod greeting;
mod preflight;
pub(super) mod prepared;
pub(crate) mod setup;
