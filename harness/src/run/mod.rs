//! A run: what is checked before it starts, the loop that plays it, its folder, and
//! the independent check of its games.

mod error;
pub(crate) mod files;
mod play;
pub(crate) mod prepare;
pub(crate) mod verify;

pub(crate) use error::SessionError;
pub(crate) use files::folder::{Folder, RESULTS, find_run, list_runs, stage_folder_name};
pub(crate) use files::kind::Kind;
pub(crate) use files::manifest::{
    BookIdentity, EngineIdentity, MANIFEST, Manifest, PooledRun, option_value,
};
pub(crate) use files::play_time::PlayTime;
pub(crate) use files::reader::RunFiles;
pub use play::driver::{Driver, Ended};
pub use play::fold::Fold;
pub use play::interrupt::Interrupts;
#[cfg(feature = "fleet")]
pub(crate) use play::interrupt::Request;
pub use play::jobs::Jobs;
pub use play::repeats::RepeatRule;
pub(crate) use play::repeats::Repeats;
pub(crate) use play::stop_requests::StopRequests;
pub(crate) use play::tally::{EngineTally, Failures, PairingTally, Tally};
pub use play::view::Progress;
pub(crate) use play::view::View;
pub(crate) use prepare::error::PrepareError;
pub(crate) use prepare::prepared::{PreparedEngines, find_program};
