//! A run: its folder, what is checked before it starts, and the loop that
//! joins experiment, executor and ledger.

pub(crate) mod conditions;
mod driver;
mod error;
mod failure_limit;
mod files;
pub(crate) mod final_positions;
mod fold;
mod folder;
mod greeting;
mod interrupt;
pub(crate) mod live;
pub(crate) mod machines;
mod manifest;
mod memory_warnings;
mod preflight;
mod prepare_error;
mod prepared;
mod repeats;
pub(crate) mod setup;
mod tally;
pub(crate) mod verify;

pub(crate) use driver::View;
pub use driver::{Driver, Ended, Jobs, Progress};
pub(crate) use error::SessionError;
pub(crate) use files::{PlayTime, RunFiles};
pub use fold::Fold;
pub(crate) use folder::{Folder, RESULTS, find_run, list_runs};
pub use interrupt::Interrupts;
#[cfg(feature = "fleet")]
pub(crate) use interrupt::Request;
pub(crate) use manifest::{
    BookIdentity, EngineIdentity, Kind, MANIFEST, Manifest, PooledRun, option_value,
};
pub(crate) use prepare_error::PrepareError;
pub(crate) use prepared::{PreparedEngines, find_program};
pub use repeats::RepeatRule;
pub(crate) use repeats::Repeats;
pub(crate) use tally::{Failures, PairingTally, Tally};
