//! The files in a run's folder besides its ledger.
//!
//! * `folder`: makes and finds it. `manifest`: `run.toml`. `kind`: the kinds of runs.
//! * `reader`: manifest and ledger together, for reports. `play_time`: how long a run has
//!   been playing.
//! * `live`: `live.json`, the games in play.
//! * `table`: reads and appends to CSV tables, whose last row a kill may have cut off.
//! * `machines`: `workers.csv`, `clocks.csv` and `incidents.csv` of a fleet.
//! * `findings`: `findings.csv`, what was found while the run was played.
//! * `final_positions`: `games.epd`.

#![cfg_attr(not(test), warn(clippy::expect_used, clippy::indexing_slicing))]
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects, clippy::cast_possible_truncation))]

pub mod final_positions;
pub mod findings;
pub mod folder;
pub(super) mod kind;
pub mod live;
pub mod machines;
pub(super) mod manifest;
pub(super) mod play_time;
pub(super) mod reader;
pub mod table;
