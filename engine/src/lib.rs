//! Stillwater, a UCI chess engine: every constant of its quiescence search, pruning
//! and history is an option.
//!
//! # Layout
//!
//! * [`board`]: the rules of chess.
//! * [`eval`]: the static evaluation.
//! * [`params`]: the tables of parameters and settings, which are the UCI options.
//! * [`search`]: the search, the transposition table and the histories.
//! * [`engine`]: settings and memory that last from search to search.
//! * [`uci`]: the UCI protocol.
//! * [`command`]: the commands besides UCI, also on the command line.
//!
//! `examples/tune_eval` fits the weights of the evaluation's terms to games,
//! `examples/train_network` those of the network that corrects them.

pub mod board;
pub mod command;
pub mod engine;
pub mod eval;
pub mod params;
pub mod search;
pub mod uci;
