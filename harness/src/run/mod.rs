//! A run: its folder, what is checked before it starts, and the loop that
//! joins experiment, executor and ledger.

mod contenders;
mod driver;
mod fold;
mod folder;
mod interrupt;
mod manifest;
pub(crate) mod session;
mod tally;
pub mod verify;

pub use contenders::{Contenders, PrepareError};
pub use driver::{Driver, Ended, Jobs, Progress, RunError, View};
pub use fold::Fold;
pub use folder::{Folder, FolderError, list_runs};
pub use interrupt::Interrupts;
pub use manifest::{BookIdentity, EngineIdentity, Kind, MANIFEST, Manifest};
pub use session::{Session, SessionError, open_pairs, seconds_played};
pub use tally::{EngineTally, Failures, PairingTally, Tally};
