//! Runs an engine on test positions and says which it solves.
//!
//! * [`problem`]: positions and their right moves, read from EPD.
//! * [`grade`]: grades an engine's search.
//! * [`solve`]: an engine at work on the positions.
//! * [`waits`]: how long engines have not answered.
//! * [`compare`]: two engines on the same positions.
//! * [`report`]: the results as numbers and as text.

pub(crate) mod compare;
pub(crate) mod grade;
pub mod problem;
pub(crate) mod report;
pub(crate) mod solve;
mod waits;
