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
//! * [`cli`]: the commands, one file each, and their exit codes.
//! * [`config`]: the configuration, every mistake named with its line.
//! * [`experiment`]: what is played and what it means: pure state machines,
//!   and the pair, the unit that travels between all parts.
//! * [`executor`]: plays pairs, with engines or from a model.
//! * [`ledger`]: the append-only truth of a run.
//! * [`run`]: a run's folder, its checks, and the loop that joins the above.
//! * [`report`]: what a run came to, live and afterwards.
//! * [`verify`]: replays a run's games independently.
//! * [`bisect`]: which commit changed the strength.
//! * [`stats`]: pure statistics of matches, tests and ratings.
//! * [`track`]: Elo from night to night, and whether it changed.
//! * [`tune`]: parameters, update rules, simulated runs and what a run teaches.
//! * [`game`]: limits and clocks, the referee, adjudication, the record.
//! * [`uci`]: an engine process and the protocol it speaks.
//! * [`compliance`]: whether an engine keeps to that protocol.
//! * [`openings`]: reads books, puts them in order.
//! * [`book`]: makes, measures and converts opening books.
//! * [`suite`]: engines on test positions.
//! * [`builds`]: engines from commits, built once and kept.
//! * [`tablebase`]: endgame tables that end games.
//! * [`analysis`]: an engine that is asked about single positions.
//! * [`machine`]: processors, cores and how busy they are.

pub mod analysis;
pub mod bisect;
pub mod book;
pub mod builds;
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
pub mod tablebase;
pub mod track;
pub mod tune;
pub mod uci;
pub mod verify;
