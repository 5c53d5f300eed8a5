//! Elo of every nightly: the matches of a night, one rating scale for all nights, and
//! detected changes.
//!
//! Only the tracker plays; everything else is a function of the nights that were played.

mod change;
mod chart;
mod gauntlet;
mod limit;
mod night;
mod night_of_run;
mod order;
mod page;
mod previous;
mod record;
mod report;
mod reported_count;
mod scale;
mod skipped;
mod status;
mod stuck;
mod tracker;
mod used_openings;

pub use hone_run::config::Role;
pub use night::{Night, read};
pub use report::TrackReport;
pub use tracker::{NightEnd, Tracker};

use hone_run::{NIGHTS_RUNS as RUNS, NIGHTS_TABLE as TABLE};

/// What the history needs besides its rows, in the same folder.
const RECORD: &str = "elo.toml";
