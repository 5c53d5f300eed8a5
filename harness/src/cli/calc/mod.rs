//! `hone calc`: statistics of given counts.

mod counts;
mod elo;
mod pairs_args;
mod pgn_games;
mod pgn_headers;
mod plan;
mod rate;
mod run_folder;
mod simulate;
mod sources;
mod sprt;
mod sprt_args;
mod text;

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
    Sprt(sprt::SprtCommand),
    Plan(plan::Plan),
    Simulate(simulate::Simulate),
    Rate(rate::Rate),
}

impl CalcArgs {
    /// Runs the chosen calculator.
    pub(super) fn run(self) -> Result<Exit, Failure> {
        match self.command {
            Command::Elo(command) => command.run(),
            Command::Sprt(command) => command.run(),
            Command::Plan(command) => command.run(),
            Command::Simulate(command) => command.run(),
            Command::Rate(command) => command.run(),
        }
    }
}
