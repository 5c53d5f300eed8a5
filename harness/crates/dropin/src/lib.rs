//! The command lines of fastchess and cutechess-cli, and their output.
//!
//! Uses: the core.
//!
//! * [`table`]: every flag of both programs and its support.
//! * [`settings`]: a parsed command line.
//! * [`configuration`]: its conversion to a configuration of `hone`.
//! * [`resume`]: the file by which a run is resumed.
//! * [`show`]: the output for scripts and servers.
//! * [`page`]: the table as a page of the documentation.
//! * [`wording`]: settings in messages, by flags in place of keys.

// `println!` panics on a closed pipe: `hone_base::output` prints in its place.
#![cfg_attr(not(test), warn(clippy::print_stdout, clippy::print_stderr))]
#![cfg_attr(not(test), warn(clippy::unwrap_used, clippy::string_slice))]

mod clock;
mod configuration;
mod engine;
mod engines_json;
pub mod page;
mod program;
mod resume;
mod settings;
pub mod show;
mod table;
pub mod wording;
mod words;

pub use engines_json::KnownEngines;
pub use program::OutputFormat;
pub use program::Program;
pub use resume::{CONFIG_JSON, StartedRun};
pub use settings::{LogFile, OutFile, Request, Settings};
pub use words::flags;

#[cfg(test)]
mod golden;
