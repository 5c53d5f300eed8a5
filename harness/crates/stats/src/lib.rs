//! Pure statistics of engine matches: no I/O, no clock.
//!
//! It uses no other crate of `hone`, so another program can use it as it is.
//!
//! `docs/statistics.md` explains every quantity with its formula, its
//! assumptions and its source. Nothing here returns NaN or an infinity: what
//! is not defined is `None`.
//!
//! A match:
//!
//! * [`counts`]: counts of pairs and games, the input of everything else.
//! * [`sample`]: counts as an empirical distribution of scores.
//! * [`elo`]: Elo, normalized Elo and LOS of a match of fixed length.
//! * [`summary`]: the same and the ratios, as far as the counts support them.
//! * [`confidence`]: the interval of a running match that holds at every look.
//! * [`detect`]: signs of bad data.
//!
//! A sequential test:
//!
//! * [`model`]: the scales of its bounds.
//! * [`llr`]: the log-likelihood ratio between two strengths.
//! * [`sprt`]: the test, incremental.
//! * [`distribution`]: the distribution of a pair's result at a given strength.
//! * [`plan`], [`simulate`]: what a test will cost, computed and simulated.
//! * [`forecast`]: how many pairs a running test still needs.
//!
//! [`rating`] rates any number of players. [`normal`], [`bisection`] and [`cholesky`] are the
//! numerical tools.

// `println!` panics on a closed pipe: `hone_base::output` prints in its place.
#![cfg_attr(not(test), warn(clippy::print_stdout, clippy::print_stderr))]
#![cfg_attr(not(test), warn(clippy::unwrap_used, clippy::string_slice))]

pub mod bisection;
pub mod cholesky;
pub mod confidence;
pub mod counts;
pub mod detect;
pub mod distribution;
pub mod elo;
pub mod forecast;
pub mod llr;
pub mod model;
pub mod normal;
pub mod plan;
pub mod rating;
pub mod sample;
pub mod simulate;
pub mod sprt;
pub mod summary;

pub use counts::{Counts, Pentanomial, Wdl};
pub use elo::Estimate;
pub use model::Model;
pub use sprt::SprtError;
pub use sprt::{Decision, Sprt, SprtConfig, SprtState};
pub use summary::Summary;
