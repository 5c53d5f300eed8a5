//! Stillwater, a UCI chess engine: every constant of its quiescence search, pruning
//! and history is an option.
//!
//! # Layout
//!
//! A module imports only from those above it. The one exception is `board::position`: it
//! updates the sums of `eval::placement` with each move, which is faster than computing them
//! for each evaluation.
//!
//! * [`board`]: the rules of chess.
//! * [`eval`]: the static evaluation.
//! * [`params`]: the tables of parameters and settings, which are the UCI options.
//! * [`search`]: the search, the transposition table and the histories.
//! * [`engine`]: settings and memory that last from search to search.
//! * [`command`]: the commands besides UCI, also on the command line.
//! * [`uci`]: the UCI protocol.
//!
//! `engine/lab` fits the weights of the evaluation's terms, and those of the network that
//! corrects them, to games.

pub mod board;
pub mod command;
pub mod engine;
pub mod eval;
pub mod params;
pub mod search;
pub mod uci;
