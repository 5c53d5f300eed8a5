//! Makes a book: candidates are drawn in a fixed order, judged by an engine in any order, and
//! chosen in the order in which they were drawn.
//!
//! * [`candidates`]: positions from random play, from games, or both.
//! * [`judge`]: the engine's judgement of a candidate.
//! * [`selection`]: chooses the positions of the book.
//! * [`journal`]: the judgements so far, to continue an interrupted command.
//! * [`session`]: runs the judges on the candidates.

pub mod candidates;
pub mod journal;
pub mod judge;
pub(crate) mod selection;
pub mod session;

use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};

use hone_uci::openings::Variant;

/// All settings that determine the positions of a book. The same recipe, judge and games give
/// the same book.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recipe {
    pub variant: Variant,
    pub source: SourceKind,
    /// Plies from the start position.
    pub plies: RangeInclusive<usize>,
    /// Positions wanted.
    pub count: usize,
    /// Centipawns from White's side.
    pub window: RangeInclusive<i32>,
    /// Nodes of the judge's full search.
    pub nodes: u64,
    /// Nodes of its first, short search.
    pub glance: u64,
    /// Maximum difference of the two scores, in centipawns.
    pub quiet: i32,
    /// Maximum number of positions from one first move (in Chess960: from one start
    /// position).
    pub per_family: Option<usize>,
    pub seed: u64,
}

/// Where candidates come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum SourceKind {
    /// Uniformly random legal moves from the start position.
    Random,
    /// The leading moves of games.
    Games,
    /// The leading moves of games, followed by random ones.
    Both,
}
