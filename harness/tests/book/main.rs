//! Books and suites.

#[path = "../common/mod.rs"]
mod common;
mod endgames;
#[cfg(unix)]
mod make;
#[cfg(unix)]
mod suite;
mod tools;
