//! Elo of every nightly: what is played, one scale for all nights, and detected
//! changes.
//!
//! All but the tracker, which plays nights, is a function of the nights that
//! were played.

mod change;
mod chart;
mod gauntlet;
mod night;
mod order;
mod page;
mod previous;
mod report;
mod reported;
mod result;
mod role;
mod scale;
mod skipped;
mod status;
mod stop;
mod stuck;
mod tracker;

pub use night::{Night, read};
pub(crate) use report::{TrackReport, is_folder_of_nights};
pub use role::Role;
pub(crate) use tracker::{NightEnd, Tracker};

/// The history, in the folder of nights.
pub(crate) const TABLE: &str = "elo.csv";
/// The folder of the nights' runs, in the folder of nights.
pub(crate) const RUNS: &str = "track";
