//! The command line. Each command is a file or a folder, with an `Args` struct whose method
//! `run` returns the exit code. Names that differ: `hone help` is in [`manual`], `hone man` in
//! [`completions`], `hone fastchess` and `hone cutechess-cli` in [`dropin`].
//!
//! What several commands share:
//!
//! * [`args`]: arguments, each with what it does to a configuration or an engine.
//! * [`help`]: the text of `--help`.
//! * [`play`]: plays the run of a configuration.
//! * [`results`]: what commands print: results and progress.
//! * [`errors`]: exit codes, and the text of errors.

mod args;
mod bisect;
mod book;
mod builds;
mod calc;
mod check;
mod completions;
mod dropin;
mod errors;
#[cfg(feature = "fleet")]
mod fleet;
mod guard;
mod help;
mod manual;
mod match_;
mod play;
mod pool;
mod replay;
mod report;
mod results;
mod resume;
mod runs;
#[cfg(feature = "serve")]
mod serve;
mod sprt;
mod suite;
mod track;
mod tune;
mod verify;
#[cfg(feature = "fleet")]
mod worker;

pub(crate) use errors::exit::{Exit, Failure};

use std::process::ExitCode;

use clap::{FromArgMatches, Parser, Subcommand};

use hone_base::errln;
use hone_base::output;

/// Tests whether a chess engine got stronger, tunes it, and tracks its Elo.
#[derive(Debug, Parser)]
#[command(name = "hone", version, about, max_term_width = 100, disable_help_subcommand = true)]
struct Cli {
    #[command(flatten)]
    log: args::logging::LogArgs,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Bisect(Box<bisect::BisectArgs>),
    Book(book::BookArgs),
    Builds(builds::BuildsArgs),
    Sprt(Box<sprt::SprtArgs>),
    Match(Box<match_::MatchArgs>),
    Pool(pool::PoolArgs),
    Resume(resume::ResumeArgs),
    Report(report::ReportArgs),
    Verify(verify::VerifyArgs),
    Replay(replay::ReplayArgs),
    Check(check::CheckArgs),
    #[cfg(feature = "fleet")]
    Fleet(fleet::FleetArgs),
    #[cfg(feature = "fleet")]
    Worker(worker::WorkerArgs),
    Runs(runs::RunsArgs),
    #[cfg(feature = "serve")]
    Serve(serve::ServeArgs),
    Fastchess(dropin::FastchessArgs),
    #[command(name = "cutechess-cli")]
    Cutechess(dropin::CutechessArgs),
    Calc(Box<calc::CalcArgs>),
    Completions(completions::CompletionsArgs),
    Man(completions::ManArgs),
    Help(manual::HelpArgs),
    #[command(name = hone_base::platform::guard::ARGUMENT, hide = true)]
    Guard(guard::GuardArgs),
    Suite(suite::Suite),
    Track(Box<track::TrackArgs>),
    Tune(Box<tune::TuneArgs>),
}

impl Command {
    /// Whether it can start engines.
    fn plays(&self) -> bool {
        #[cfg(feature = "fleet")]
        if matches!(self, Self::Fleet(_)) {
            return false;
        }
        // Its runs are separate processes.
        #[cfg(feature = "serve")]
        if matches!(self, Self::Serve(_)) {
            return false;
        }
        !matches!(
            self,
            Self::Builds(_)
                | Self::Calc(_)
                | Self::Completions(_)
                | Self::Guard(_)
                | Self::Help(_)
                | Self::Man(_)
                | Self::Pool(_)
                | Self::Report(_)
                | Self::Runs(_)
                | Self::Verify(_)
        )
    }
}

impl Command {
    fn run(self) -> Result<Exit, Failure> {
        if self.plays() {
            hone_base::platform::guard::install();
        }
        match self {
            Self::Bisect(args) => args.run(),
            Self::Book(args) => args.run(),
            Self::Builds(args) => args.run(),
            Self::Sprt(args) => args.run(),
            Self::Match(args) => args.run(),
            Self::Pool(args) => args.run(),
            Self::Resume(args) => args.run(),
            Self::Report(args) => args.run(),
            Self::Verify(args) => args.run(),
            Self::Replay(args) => args.run(),
            Self::Check(args) => args.run(),
            #[cfg(feature = "fleet")]
            Self::Fleet(args) => args.run(),
            #[cfg(feature = "fleet")]
            Self::Worker(args) => args.run(),
            Self::Guard(args) => args.run(),
            Self::Fastchess(args) => args.run(),
            Self::Cutechess(args) => args.run(),
            Self::Runs(args) => args.run(),
            #[cfg(feature = "serve")]
            Self::Serve(args) => args.run(),
            Self::Calc(args) => args.run(),
            Self::Completions(args) => args.run(),
            Self::Man(args) => args.run(),
            Self::Help(args) => args.run(),
            Self::Suite(args) => args.run(),
            Self::Track(args) => args.run(),
            Self::Tune(args) => args.run(),
        }
    }

    /// The action in an error message: `cannot <purpose>`.
    fn purpose(&self) -> &'static str {
        match self {
            Self::Bisect(_) => "bisect",
            Self::Book(_) => "process the book",
            Self::Builds(_) => "use the cache of builds",
            Self::Sprt(_) => "run the test",
            Self::Match(_) => "run the match",
            Self::Pool(_) => "pool the runs",
            Self::Fastchess(_) | Self::Cutechess(_) => "play",
            Self::Resume(_) => "resume the run",
            Self::Report(_) => "report on the run",
            Self::Verify(_) => "verify the run",
            Self::Replay(_) => "replay the failure",
            Self::Check(_) => "check the engine",
            #[cfg(feature = "fleet")]
            Self::Fleet(args) => args.purpose(),
            #[cfg(feature = "fleet")]
            Self::Worker(_) => "work for the fleet",
            Self::Guard(_) => "guard the engines",
            Self::Runs(_) => "list the runs",
            #[cfg(feature = "serve")]
            Self::Serve(_) => "serve the runs",
            Self::Calc(_) => "calculate",
            Self::Completions(_) => "print completions",
            Self::Man(_) => "make the manual pages",
            Self::Help(_) => "show the help",
            Self::Suite(_) => "run the suite",
            Self::Track(_) => "track the engine",
            Self::Tune(_) => "tune",
        }
    }
}

/// Parses the command line, runs the command and returns the exit code.
pub fn main() -> ExitCode {
    hone_base::platform::fail_beyond_limit();
    let arguments: Vec<_> = std::env::args_os().collect();
    if let Some(called) = dropin::called(&arguments) {
        return called.main();
    }
    completions::answer();
    errors::usage::refuse_credential();
    let matches = help::command()
        .try_get_matches()
        .unwrap_or_else(|error| errors::usage::exit(error));
    let cli = Cli::from_arg_matches(&matches).unwrap_or_else(|error| errors::usage::exit(error));
    let what = cli.command.purpose();
    let outcome = match cli.log.install() {
        Ok(()) => hone_base::platform::raise_limit()
            .map_err(Failure::from)
            .and_then(|()| cli.command.run()),
        Err(error) => Err(error.into()),
    };
    let exit = outcome.unwrap_or_else(|failure| {
        errln!("{}", errors::rendered(what, &failure.error));
        failure.exit
    });
    match output::finish() {
        Ok(()) => exit.into(),
        Err(error) => {
            errln!("error: cannot write the result to standard output: {error}");
            // A verdict is kept: only a success becomes a failure.
            match exit {
                Exit::Done => Exit::Failed.into(),
                exit => exit.into(),
            }
        }
    }
}
