//! The loop that plays a run, and what it counts.
//!
//! * `driver`: joins experiment, executor and ledger. `interrupt`: how it is stopped.
//! * `fold`: the state after the results so far: experiment, `tally` and `repeats`.
//! * `failure_limit`: engines that fail too often. `memory_warnings`: too little memory.

pub(super) mod driver;
mod failure_limit;
pub(super) mod fold;
pub(super) mod interrupt;
mod memory_warnings;
pub(super) mod repeats;
pub(super) mod tally;
