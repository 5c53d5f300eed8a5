//! `hone`: says whether a chess engine got stronger, makes it stronger, and
//! keeps watch over it.
//!
//! # Layout
//!
//! ```text
//! config ─► Experiment ──plan──► PairJob ─► Executor ─► PairResult ─► Ledger ──► Experiment::absorb ─► Verdict
//!            (pure)                        local | simulated        (append-only)      │
//!                                                                                      └─► report
//! ```
//!
//! * [`analysis`]: an engine that is asked about single positions.
//! * [`book`]: makes, measures and converts opening books.
//! * [`cli`]: the commands, one file each, and their exit codes.
//! * [`experiment`]: what is played and what it means: pure state machines,
//!   and the pair, the unit that travels between all parts.
//! * [`openings`]: reads books, puts them in order.
//! * [`stats`]: pure statistics of matches, tests and ratings.
//! * [`tune`]: parameters, update rules, simulated runs and what a run teaches.
//! * [`suite`]: engines on test positions.
//! * [`uci`]: an engine process and the protocol it speaks.

pub mod analysis;
pub mod book;
pub mod cli;
pub mod compliance;
pub mod config;
pub mod executor;
pub mod experiment;
pub mod game;
pub mod ledger;
pub mod machine;
pub mod openings;
pub mod report;
pub mod run;
pub mod stats;
pub mod suite;
pub mod tune;
pub mod uci;
pub mod verify;
