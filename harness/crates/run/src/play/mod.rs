//! The loop that plays a run, and what it counts.
//!
//! * `driver`: joins experiment, executor and ledger. `interrupt`: how it is stopped;
//!   `stop_requests`: the same between two steps.
//! * `jobs`: what the executor gets for each planned pair. `view`: its observers.
//! * `fold`: the state after the results so far: experiment, `tally` and `repeats`.
//! * `failure_limit`: engines that fail too often. `memory_warnings`: too little memory.

pub(super) mod driver;
mod failure_limit;
pub(super) mod fold;
pub(super) mod interrupt;
pub(super) mod jobs;
mod memory_warnings;
pub(super) mod repeats;
pub(super) mod stop_requests;
pub(super) mod tally;
pub(super) mod view;
