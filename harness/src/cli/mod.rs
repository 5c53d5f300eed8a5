//! The command line: one file a command. Each command is an `Args` struct
//! with a `run` method that returns how the process should exit.

mod calc;
mod completions;
mod exit;

pub use exit::{Exit, Failure};

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Says whether a chess engine got stronger, tunes it, and keeps watch over it.
#[derive(Debug, Parser)]
#[command(name = "hone", version, about, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Calc(calc::CalcArgs),
    Completions(completions::CompletionsArgs),
    Man(completions::ManArgs),
}

/// Parses the command line, runs the command and reports how it ended.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    let outcome = match cli.command {
        Command::Calc(args) => args.run(),
        Command::Completions(args) => args.run(),
        Command::Man(args) => args.run(),
    };
    match outcome {
        Ok(exit) => exit.into(),
        Err(failure) => {
            eprintln!("hone: {:#}", failure.error);
            failure.exit.into()
        }
    }
}
