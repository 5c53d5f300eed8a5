//! The checks before the first game.
//!
//! * `book`, `tablebases`, `processors`: what games need besides engines.
//! * `prepared`, `greeting`, `preflight`: the engines: their programs, their
//!   options, and a short search by each.
//! * `warnings`: runs whose pairs would repeat games or show no difference.
//! * `unchanged`: the engines and the book of a run that is resumed.
//! * `conditions`: the digest of what must not change between two starts of a run.

pub mod book;
pub mod conditions;
pub(super) mod error;
mod greeting;
mod preflight;
pub(super) mod prepared;
pub mod processors;
pub mod tablebases;
pub mod unchanged;
pub mod warnings;
