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

pub use change::{Change, Detector, Direction, Evidence, Observation, changes};
pub use chart::{chart, chart_on_page};
pub use gauntlet::{Opponent, Role, opponents};
pub use night::{HistoryError, Night, NightMatch, append, in_order, read};
pub(crate) use page::html;
pub use scale::{Scale, difference};
pub use status::{Comparison, Point, Status};

/// The history, in the folder of nights.
pub(crate) const TABLE: &str = "elo.csv";
/// The folder of the nights' runs, in the folder of nights.
pub(crate) const RUNS: &str = "track";
