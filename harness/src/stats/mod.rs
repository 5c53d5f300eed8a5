//! Pure statistics of engine matches: no I/O, no clock.
//!
//! `docs/statistics.md` explains every quantity with its formula, its
//! assumptions and its source. Nothing here returns NaN or an infinity: what
//! is not defined is `None`.
//!
//! * [`counts`]: the counts everything starts from.
//! * [`sample`]: counts as an empirical distribution of scores.
//! * [`elo`]: Elo, normalized Elo, LOS and ratios of a match of fixed length.
//! * [`llr`]: the log-likelihood ratio between two strengths.
//! * [`sprt`]: the sequential test, incremental.

pub mod confidence;
pub mod counts;
pub mod definitions;
pub mod detect;
pub mod distribution;
pub mod elo;
pub mod llr;
pub mod model;
pub mod normal;
pub mod plan;
pub mod rating;
pub mod sample;
pub mod simulate;
pub mod sprt;

pub use counts::{Counts, Pentanomial, Wdl};
pub use elo::{Estimate, Summary};
pub use model::Model;
pub use sprt::{Decision, Sprt, SprtConfig, SprtError};
