//! `hone tune`: runs, reports, and the test that verifies the values.

#[path = "../common/mod.rs"]
mod common;
mod report;
mod runs;
mod simulated;
mod verify;
