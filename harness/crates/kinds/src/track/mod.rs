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
mod role;
mod scale;
mod skipped;
mod status;
mod stuck;
mod tracker;
mod unfinished;
mod used_openings;

pub use night::{Night, read};
pub use report::{TrackReport, is_folder_of_nights};
pub use role::Role;
pub use tracker::{NightEnd, Tracker};

/// The history, in the folder of nights.
pub const TABLE: &str = "elo.csv";
/// What the history needs besides its rows, in the same folder.
const RECORD: &str = "elo.toml";
/// The folder of the nights' runs, in the folder of nights.
pub const RUNS: &str = "track";
