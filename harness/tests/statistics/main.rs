//! The statistics: reference numbers, properties, simulations, and `hone calc`.

mod calc;
#[path = "../common/mod.rs"]
mod common;
mod golden;
mod operation;
mod page;
mod properties;
mod rate;
mod simulated;
