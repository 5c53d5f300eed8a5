//! `hone calc`, and the page of the statistics.

mod calc;
#[path = "../common/mod.rs"]
mod common;
mod page;
mod rate;
