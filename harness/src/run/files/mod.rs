//! What a run's folder holds besides its ledger.
//!
//! * `folder`: makes and finds it. `manifest`: `run.toml`, what is played.
//! * `reader`: manifest and ledger together, for reports.
//! * `live`: `live.json`, the games being played.
//! * `table`: the rows of a table that a kill may have torn.
//! * `machines`: `workers.csv`, `clocks.csv` and `incidents.csv` of a fleet.
//! * `final_positions`: `games.epd`.

pub(crate) mod final_positions;
pub(crate) mod folder;
pub(crate) mod live;
pub(crate) mod machines;
pub(super) mod manifest;
pub(super) mod reader;
pub(crate) mod table;
