//! `hone calc`: statistics of counts that someone already has.

mod counts;
mod elo;

use clap::Subcommand;

use super::{Exit, Failure};

/// Statistics of counts, without playing a game
#[derive(Debug, clap::Args)]
pub(super) struct CalcArgs {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Elo(elo::Elo),
}

impl CalcArgs {
    /// Runs the chosen calculator.
    pub(super) fn run(self) -> Result<Exit, Failure> {
        match self.command {
            Command::Elo(elo) => elo.run(),
        }
    }
}
