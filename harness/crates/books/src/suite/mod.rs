//! Runs an engine on test positions and reports which it solves.
//!
//! * [`problem`]: positions and their right moves, read from EPD.
//! * [`grade`]: grades a search.
//! * [`solve`]: searches the positions with several processes of an engine.
//! * [`waits`]: notices about searches that take long.
//! * [`compare`]: the test for the difference of two engines.
//! * [`report`]: the results as data and as text.

pub mod compare;
pub(crate) mod grade;
pub mod problem;
pub mod report;
pub mod solve;
mod waits;
