//! The files in a run's folder besides its ledger.
//!
//! * `folder`: makes and finds it. `manifest`: `run.toml`.
//! * `reader`: manifest and ledger together, for reports.
//! * `live`: `live.json`, the games in play.
//! * `table`: tables that a kill may have cut off.
//! * `machines`: `workers.csv`, `clocks.csv` and `incidents.csv` of a fleet.
//! * `final_positions`: `games.epd`.

pub(crate) mod final_positions;
pub(crate) mod folder;
pub(crate) mod live;
pub(crate) mod machines;
pub(super) mod manifest;
pub(super) mod reader;
pub(crate) mod table;
