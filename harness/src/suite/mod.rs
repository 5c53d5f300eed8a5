//! Runs an engine on test positions and says which it solves.
//!
//! * [`problem`]: positions and their right moves, read from EPD.
//! * [`grade`]: grades an engine's search.
//! * [`compare`]: two engines on the same positions.
//! * [`report`]: the results as numbers and as text.

pub(crate) mod compare;
pub(crate) mod grade;
pub mod problem;
pub(crate) mod report;
