//! Stillwater, a UCI chess engine: every constant of its quiescence search, pruning
//! and history is an option.
//!
//! # Layout
//!
//! * [`board`]: the rules of chess.
//! * [`eval`]: the static evaluation.
//! * [`params`]: the tables of settings, from which the options follow.
//! * [`search`]: the search and what it remembers.
//! * [`engine`]: settings and memory that last from search to search.
//! * [`uci`]: the conversation with a user interface.
//! * [`command`]: the commands that are not UCI, as on the command line.
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
