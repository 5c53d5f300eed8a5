//! `hone book`: makes opening books and measures them.

mod make;

use clap::Subcommand;

use super::{Exit, Failure};

/// Opening books: make, measure and convert them
#[derive(Debug, clap::Args)]
pub(super) struct BookArgs {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Make(make::Make),
}

impl BookArgs {
    /// Runs the chosen command.
    pub(super) fn run(self) -> Result<Exit, Failure> {
        match self.command {
            Command::Make(make) => make.run(),
        }
    }
}
