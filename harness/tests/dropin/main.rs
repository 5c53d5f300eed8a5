//! `hone fastchess` and `hone cutechess-cli`.

#[path = "../common/mod.rs"]
mod common;
mod ends;
mod errors;
mod output;
mod servers;
