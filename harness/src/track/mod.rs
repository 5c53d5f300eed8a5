//! Elo from night to night: what is played, one scale for all nights, and
//! whether anything changed.
//!
//! Everything here is a function of the nights that were played; what starts
//! engines and writes files is in the command line's part.

mod change;
mod chart;
mod gauntlet;
mod night;
mod page;
mod scale;
mod status;

pub(crate) use change::Direction;
pub(crate) use chart::{chart, chart_on_page};
pub use gauntlet::Role;
pub(crate) use gauntlet::{Opponent, opponents};
pub use night::{Night, read};
pub(crate) use night::{NightMatch, append, in_order};
pub(crate) use page::html;
pub(crate) use scale::Scale;
pub(crate) use status::Status;

/// The history, in the folder of nights.
pub(crate) const TABLE: &str = "elo.csv";
/// The folder of the nights' runs, in the folder of nights.
pub(crate) const RUNS: &str = "track";
