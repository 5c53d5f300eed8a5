//! `hone book`: makes, inspects and converts opening books.

mod convert;
mod info;
mod make;
mod read;

use clap::Subcommand;

use super::{Exit, Failure};

/// Opening books: make, inspect and convert them
#[derive(Debug, clap::Args)]
pub(super) struct BookArgs {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Convert(convert::Convert),
    Info(info::Info),
    Make(make::Make),
}

impl BookArgs {
    /// Runs the chosen command.
    pub(super) fn run(self) -> Result<Exit, Failure> {
        match self.command {
            Command::Convert(convert) => convert.run(),
            Command::Info(info) => info.run(),
            Command::Make(make) => make.run(),
        }
    }
}
