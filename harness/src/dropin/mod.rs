//! The command lines of fastchess and cutechess-cli, and their output.
//!
//! * [`table`]: every flag of both programs and its support.
//! * [`settings`]: a parsed command line.
//! * [`configuration`]: its conversion to a configuration of `hone`.
//! * [`resume`]: the file by which a run is resumed.
//! * [`show`]: the output for scripts and servers.
//! * [`page`]: the table as a page of the documentation.
//! * [`wording`]: messages of a run, with flags in place of keys.

mod clock;
mod configuration;
mod engine;
mod engines_json;
pub(crate) mod page;
mod program;
mod resume;
mod settings;
pub(crate) mod show;
mod table;
pub(crate) mod wording;
mod words;

pub(crate) use engines_json::KnownEngines;
pub(crate) use program::{OutputFormat, Program};
pub(crate) use resume::{CONFIG_JSON, StartedRun};
pub(crate) use settings::{LogFile, OutFile, Request, Settings};
pub(crate) use words::flags;

#[cfg(test)]
mod golden;
