//! `hone completions` and `hone man`: for packagers and shells.

use std::io;

use clap::{Args, CommandFactory};

use super::{Cli, Exit, Failure};

/// Print a completion script for a shell.
#[derive(Debug, Args)]
pub(super) struct CompletionsArgs {
    /// The shell to complete for.
    shell: clap_complete::Shell,
}

impl CompletionsArgs {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        clap_complete::generate(self.shell, &mut Cli::command(), "hone", &mut io::stdout());
        Ok(Exit::Done)
    }
}

/// Print the manual page, in roff.
#[derive(Debug, Args)]
pub(super) struct ManArgs {}

impl ManArgs {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        clap_mangen::Man::new(Cli::command()).render(&mut io::stdout())?;
        Ok(Exit::Done)
    }
}
