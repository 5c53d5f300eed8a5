//! `hone serve`: requests, actions, the list of runs, the live pages, and its load.

#![cfg(all(unix, feature = "serve"))]

mod actions;
#[path = "../common/mod.rs"]
mod common;
mod list;
#[cfg(target_os = "linux")]
mod load;
mod open_pages;
mod pages;
mod requests;
