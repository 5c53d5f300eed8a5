//! Runs an engine on test positions and says which it solves.
//!
//! * [`problem`]: positions and their right moves, read from EPD.
//! * [`grade`]: what an engine's search is worth.
//! * [`compare`]: two engines on the same positions.
//! * [`report`]: all of it as numbers and as text.

pub(crate) mod compare;
pub(crate) mod grade;
pub mod problem;
pub(crate) mod report;
