//! What is checked and written before the first game.
//!
//! * `setup`: from a configuration to a run that can be played.
//! * `prepared`, `greeting`, `preflight`: the engines: their programs, their
//!   options, and a short search by each.
//! * `conditions`: what must not change between two starts of a run.

pub(crate) mod conditions;
pub(super) mod error;
mod greeting;
mod preflight;
pub(super) mod prepared;
pub(crate) mod setup;
