//! `hone completions` and `hone man`: for packagers and shells.

use clap::Args;

use super::{Exit, Failure, help};
use crate::output::Out;

/// Print a completion script for a shell.
#[derive(Debug, Args)]
pub(super) struct CompletionsArgs {
    /// The shell to complete for.
    shell: clap_complete::Shell,
}

impl CompletionsArgs {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        clap_complete::generate(self.shell, &mut help::command(), "hone", &mut Out);
        Ok(Exit::Done)
    }
}

/// Print the manual page, in roff.
#[derive(Debug, Args)]
pub(super) struct ManArgs {}

impl ManArgs {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        clap_mangen::Man::new(help::command()).render(&mut Out)?;
        Ok(Exit::Done)
    }
}
