//! The laboratory of Stillwater: compares designs of its search in games, and fits its
//! evaluation. `README.md` lists the pages with results.
//!
//! * [`designs`]: plays and measures the designs of `engine/lab/designs`.
//! * [`terms`]: fits the weights of the evaluation's terms to games.
//! * [`network`]: fits the weights of the network that corrects them.
//! * [`games`]: reads positions with results, for both fits.

mod designs;
mod games;
mod network;
mod terms;

use std::process::ExitCode;

use clap::Parser;
use designs::programs::Interrupted;

/// The laboratory of Stillwater
#[derive(Parser)]
#[command(name = "lab")]
enum Command {
    Designs(designs::Arguments),
    Terms(terms::Arguments),
    #[command(subcommand)]
    Network(network::Command),
}

fn main() -> ExitCode {
    let done = match Command::parse() {
        Command::Designs(arguments) => designs::run(&arguments),
        Command::Terms(arguments) => terms::run(&arguments),
        Command::Network(command) => network::run(command),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if error.is::<Interrupted>() => {
            eprintln!("Interrupted. Give the same command again to continue.");
            ExitCode::from(130)
        }
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    #[test]
    fn the_command_line_is_consistent() {
        Command::command().debug_assert();
    }
}
