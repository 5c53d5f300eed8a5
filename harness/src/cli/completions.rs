//! `hone completions` and `hone man`: for packagers and shells.

use std::fs;
use std::path::PathBuf;

use anyhow::Context;
use clap::{Args, ValueEnum};
use clap_complete::generate;

use super::{Exit, Failure, help};
use hone_base::outln;
use hone_base::output::Out;

/// Print a completion script for a shell.
#[derive(Debug, Args)]
pub(super) struct CompletionsArgs {
    /// The shell to complete for.
    shell: Shell,
}

/// Shells with completions.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Shell {
    Bash,
    Elvish,
    Fish,
    Nushell,
    Powershell,
    Zsh,
}

impl CompletionsArgs {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        use clap_complete::Shell as Of;
        let mut command = help::command();
        let of = match self.shell {
            Shell::Bash => Of::Bash,
            Shell::Elvish => Of::Elvish,
            Shell::Fish => Of::Fish,
            Shell::Powershell => Of::PowerShell,
            Shell::Zsh => Of::Zsh,
            Shell::Nushell => {
                generate(
                    clap_complete_nushell::Nushell,
                    &mut command,
                    "hone",
                    &mut Out,
                );
                return Ok(Exit::Done);
            }
        };
        generate(of, &mut command, "hone", &mut Out);
        Ok(Exit::Done)
    }
}

/// Print the manual page, or write the pages of all commands.
///
/// With --out, `hone.1` and a page for each command, as `hone-sprt.1`, are
/// written into a folder, so that `man hone-sprt` finds them.
#[derive(Debug, Args)]
pub(super) struct ManArgs {
    /// The folder that the pages are written into.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

impl ManArgs {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let Some(dir) = self.out else {
            clap_mangen::Man::new(help::command()).render(&mut Out)?;
            return Ok(Exit::Done);
        };
        let write = || {
            fs::create_dir_all(&dir)?;
            clap_mangen::generate_to(help::command(), &dir)
        };
        write().with_context(|| format!("cannot write the manual pages to {}", dir.display()))?;
        outln!("wrote the manual pages to {}", dir.display());
        Ok(Exit::Done)
    }
}
