//! `hone`: tests whether a chess engine got stronger, tunes it, and tracks its
//! Elo.
//!
//! # Layout
//!
//! ```text
//! config ─► Experiment ──plan──► PairJob ─► Executor ─► PlayedPair ─► Ledger ──► Experiment::absorb ─► Verdict
//!            (pure)                        local | simulated | fleet (append-only)      │
//!                                                                                      └─► report
//! ```
//!
//! The modules are layers, the lowest first. A module imports only from modules
//! before it in this list, and there is no cycle of modules or submodules.
//! `tests/project/layers.rs` reads this list and checks both.
//!
//! * [`text`]: names and messages as text: suggestions, numbering, error causes.
//! * [`platform`]: what differs between Linux, macOS and Windows.
//! * [`output`]: standard output for results, standard error for messages.
//! * [`checksum`]: SHA-256 of files and of bytes, and hexadecimal digits.
//! * [`seeded`]: random numbers that depend only on a seed.
//! * [`stats`]: pure statistics of matches, tests and ratings.
//! * [`rules`]: a game without its engines: limits and clocks, the referee,
//!   adjudication, endgame tables, the record.
//! * [`openings`]: reads opening books, and chooses the opening of each pair.
//! * [`engine`]: one engine: its process and the UCI protocol, analysis of
//!   positions, compliance with the protocol.
//! * [`builds`]: engines from commits, built once and kept.
//! * [`settings`]: values that sections of a configuration share.
//! * [`experiment`]: what is played and what it means, as pure state machines:
//!   match, sequential test, tuning, bisection, each with its section of the
//!   configuration.
//! * [`config`]: the whole configuration, every mistake named with its line.
//! * [`book`]: makes, measures and converts opening books.
//! * [`suite`]: engines on test positions.
//! * [`executor`]: plays pairs, with engines or from a model.
//! * [`ledger`]: the append-only record of a run.
//! * [`run`]: a run's folder and manifest, its preparation, the loop that joins
//!   experiment, executor and ledger, and the independent check of its games.
//! * [`pool`]: the ledgers of several runs as one run.
//! * [`report`]: the results of a run as JSON, text, Markdown and HTML, and live.
//! * [`dropin`]: the command lines of fastchess and cutechess-cli, and what they
//!   print.
//! * [`fleet`]: pairs on other machines, over NATS (feature `fleet`).
//! * [`kinds`]: match, sprt, tune, bisect: what each needs besides its
//!   experiment, and the one place where a manifest is mapped to its kind.
//! * [`track`]: Elo from night to night, and whether it changed.
//! * [`serve`]: the live pages.
//! * [`fuzzing`]: the readers of outside data, for the fuzzer.
//! * [`cli`]: the commands, one file or folder each, what they share, and their exit codes.

// `println!` panics on a closed pipe: `output` prints in its place.
#![cfg_attr(not(test), warn(clippy::print_stdout, clippy::print_stderr))]

#[macro_use]
mod output;
mod checksum;
mod platform;

mod book;
pub mod builds;
pub mod cli;
pub mod config;
mod dropin;
pub mod engine;
pub mod executor;
pub mod experiment;
#[cfg(feature = "fleet")]
mod fleet;
#[doc(hidden)]
pub mod fuzzing;
mod kinds;
pub mod ledger;
pub mod openings;
mod pool;
mod report;
pub mod rules;
pub mod run;
mod seeded;
#[cfg(feature = "serve")]
mod serve;
mod settings;
pub mod stats;
mod suite;
mod text;
pub mod track;

#[cfg(test)]
#[path = "../tests/common/skip.rs"]
mod skip;
