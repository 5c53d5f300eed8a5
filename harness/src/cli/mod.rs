//! The command line: one file a command. Each command is an `Args` struct
//! with a `run` method that returns how the process should exit.

mod bisect;
mod book;
mod builds;
mod calc;
mod check;
mod common;
mod completions;
mod ends;
mod exit;
mod gate;
mod guard;
mod play;
mod progress;
mod ranges;
mod replay;
mod report;
mod resume;
mod runs;
mod suite;
mod track;
mod tune;
mod verify;

pub(crate) use exit::{Exit, Failure};

use std::{num::NonZeroUsize, process::ExitCode};

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
    Bisect(Box<bisect::BisectArgs>),
    Book(book::BookArgs),
    Builds(builds::BuildsArgs),
    Sprt(Box<play::SprtArgs>),
    Match(play::MatchArgs),
    Resume(resume::ResumeArgs),
    Report(report::ReportArgs),
    Verify(verify::VerifyArgs),
    Replay(replay::ReplayArgs),
    Check(check::CheckArgs),
    Runs(runs::RunsArgs),
    Calc(Box<calc::CalcArgs>),
    Completions(completions::CompletionsArgs),
    Man(completions::ManArgs),
    #[command(name = crate::engine::uci::guard::ARGUMENT, hide = true)]
    Guard(guard::GuardArgs),
    Suite(suite::Suite),
    Track(Box<track::TrackArgs>),
    Tune(Box<tune::TuneArgs>),
}

impl Command {
    /// Whether it may start engines.
    fn plays(&self) -> bool {
        !matches!(
            self,
            Self::Builds(_)
                | Self::Calc(_)
                | Self::Completions(_)
                | Self::Guard(_)
                | Self::Man(_)
                | Self::Report(_)
                | Self::Runs(_)
                | Self::Verify(_)
        )
    }
}

/// Parses the command line, runs the command and reports how it ended.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    if cli.command.plays() {
        crate::engine::uci::guard::install();
    }
    let outcome = match cli.command {
        Command::Bisect(args) => args.run(),
        Command::Book(args) => args.run(),
        Command::Builds(args) => args.run(),
        Command::Sprt(args) => args.run(),
        Command::Match(args) => args.run(),
        Command::Resume(args) => args.run(),
        Command::Report(args) => args.run(),
        Command::Verify(args) => args.run(),
        Command::Replay(args) => args.run(),
        Command::Check(args) => args.run(),
        Command::Guard(args) => args.run(),
        Command::Runs(args) => args.run(),
        Command::Calc(args) => args.run(),
        Command::Completions(args) => args.run(),
        Command::Man(args) => args.run(),
        Command::Suite(args) => args.run(),
        Command::Track(args) => args.run(),
        Command::Tune(args) => args.run(),
    };
    match outcome {
        Ok(exit) => exit.into(),
        Err(failure) => {
            eprintln!("hone: {}", message(&failure.error));
            failure.exit.into()
        }
    }
}

/// Engines at work at once: as many as asked for, or one a physical core.
fn concurrency(asked: Option<NonZeroUsize>) -> usize {
    asked.map_or_else(crate::executor::machine::physical_cores, NonZeroUsize::get)
}

/// The error and its causes in one line. Many errors say their cause in their
/// own text, so a cause that has been said is not said again.
fn message(error: &anyhow::Error) -> String {
    let mut text = String::new();
    for cause in error.chain().map(ToString::to_string) {
        if text.is_empty() {
            text = cause;
        } else if !text.contains(&cause) {
            text.push_str(": ");
            text.push_str(&cause);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use anyhow::Context;

    use super::*;

    #[test]
    fn a_cause_is_said_once() {
        let io = std::io::Error::other("disk full");
        let said = anyhow::Error::new(io).context("cannot write x: disk full");
        assert_eq!(message(&said), "cannot write x: disk full");
        let unsaid: anyhow::Result<()> =
            Err(anyhow::anyhow!("disk full")).context("cannot write x");
        assert_eq!(message(&unsaid.unwrap_err()), "cannot write x: disk full");
    }
}
