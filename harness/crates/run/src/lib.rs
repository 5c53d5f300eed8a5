//! A run: what is checked before it starts, the loop that plays it, its folder, and
//! the independent check of its games.
//!
//! Uses: `base`, `stats`, `uci`, `builds`, `experiment`. With these five it is the core: a
//! program that plays a run and keeps its results needs nothing else.
//!
//! # Layout
//!
//! * [`config`]: the whole configuration, every mistake named with its line.
//! * [`prepare`]: engines, book, tables and processors before the first game.
//! * [`executor`]: plays pairs, with engines or from a model.
//! * `play`: the loop that joins experiment, executor and ledger.
//! * [`ledger`]: the append-only record. [`files`]: the manifest and the other files of a run.
//! * [`verify`]: the independent check. [`pool`]: the ledgers of several runs as one run.

// `println!` panics on a closed pipe: `hone_base::output` prints in its place.
#![cfg_attr(not(test), warn(clippy::print_stdout, clippy::print_stderr))]
#![cfg_attr(not(test), warn(clippy::unwrap_used, clippy::string_slice))]

pub mod config;
mod error;
pub mod executor;
pub mod files;
pub mod ledger;
mod play;
pub mod pool;
pub mod prepare;
#[cfg(test)]
mod samples;
pub mod verify;

pub use error::SessionError;
pub use files::folder::{
    Folder, LATEST, NIGHTS_RUNS, NIGHTS_TABLE, REPORT_HTML, REPORT_JSON, REPORT_MD, RESULTS,
    VERIFY, find_run, is_folder_of_nights, list_runs, run_folders, stage_folder_name,
    started_stages, started_verification,
};
pub use files::kind::Kind;
pub use files::manifest::{
    BookIdentity, EarlierRun, EngineIdentity, MANIFEST, Manifest, PooledRun, option_value,
};
pub use files::play_time::PlayTime;
pub use files::reader::RunFiles;
pub use play::driver::{Driver, Ended};
pub use play::fold::Fold;
pub use play::interrupt::Interrupts;
pub use play::interrupt::Request;
pub use play::jobs::Jobs;
pub use play::repeats::RepeatRule;
pub use play::repeats::Repeats;
pub use play::stop_requests::StopRequests;
pub use play::tally::{EngineTally, Failures, PairingTally, SHORT_GAME, Tally};
pub use play::view::Progress;
pub use play::view::View;
pub use prepare::error::PrepareError;
pub use prepare::prepared::{PreparedEngines, find_program};
