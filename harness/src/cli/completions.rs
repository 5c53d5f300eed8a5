//! `hone completions` and `hone man`: for packagers and shells.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::{Args, Command, ValueEnum, ValueHint};
use clap_complete::engine::{
    ArgValueCompleter, CompletionCandidate, PathCompleter, ValueCompleter,
};
use clap_complete::env::{self, CompleteEnv, EnvCompleter};
use clap_complete::generate;

use super::{Exit, Failure, help};
use hone_base::outln;
use hone_base::output::Out;
use hone_run::ledger::FAILURES;
use hone_run::{LATEST, RESULTS, run_folders};

/// The variable by which a script of `hone completions` asks for candidates.
const VARIABLE: &str = "HONE_COMPLETE";

/// Print a completion script for a shell.
///
/// The script asks `hone` itself for commands, options, values and names of runs, except the
/// one for nushell, which contains them.
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
        let shell: &dyn EnvCompleter = match self.shell {
            Shell::Bash => &env::Bash,
            Shell::Elvish => &env::Elvish,
            Shell::Fish => &env::Fish,
            Shell::Powershell => &env::Powershell,
            Shell::Zsh => &env::Zsh,
            Shell::Nushell => {
                generate(
                    clap_complete_nushell::Nushell,
                    &mut help::command(),
                    "hone",
                    &mut Out,
                );
                return Ok(Exit::Done);
            }
        };
        shell.write_registration(VARIABLE, "hone", "hone", "hone", &mut Out)?;
        if matches!(self.shell, Shell::Zsh) {
            // In a folder of `fpath`, zsh runs the script at the first completion.
            outln!("[[ $funcstack[1] == _hone ]] && _clap_dynamic_completer_hone");
        }
        Ok(Exit::Done)
    }
}

/// Answers a completion script and ends, if one has started this process.
pub(super) fn answer() {
    CompleteEnv::with_factory(|| with_paths(help::command()))
        .var(VARIABLE)
        .complete();
}

/// Completes programs by their paths: their arguments are texts, because options may follow.
fn with_paths(command: Command) -> Command {
    let is_program = |name: &clap::builder::Str| {
        ["CMD", "ENGINE", "PATH"]
            .iter()
            .any(|part| name.contains(part))
    };
    command
        .mut_args(|arg| {
            if arg
                .get_value_names()
                .unwrap_or_default()
                .iter()
                .any(is_program)
            {
                arg.value_hint(ValueHint::AnyPath)
            } else {
                arg
            }
        })
        .mut_subcommands(with_paths)
}

/// Completes a run by its name in `results/`, newest first, or by its path.
pub(super) fn run() -> ArgValueCompleter {
    completer(run_names, PathCompleter::dir())
}

/// Completes a run or a file.
pub(super) fn run_or_file() -> ArgValueCompleter {
    completer(run_names, PathCompleter::any())
}

/// Completes the evidence of a failure.
pub(super) fn evidence() -> ArgValueCompleter {
    completer(failures, PathCompleter::dir())
}

/// Completes names; paths if no name begins with the text.
fn completer(names: fn() -> Vec<String>, paths: PathCompleter) -> ArgValueCompleter {
    ArgValueCompleter::new(move |start: &OsStr| {
        let start_text = start.to_string_lossy();
        let names = names().into_iter();
        let found: Vec<_> = names
            .filter(|name| name.starts_with(&*start_text))
            .map(CompletionCandidate::new)
            .collect();
        if found.is_empty() {
            paths.complete(start)
        } else {
            found
        }
    })
}

fn run_names() -> Vec<String> {
    let runs = run_folders(Path::new(RESULTS));
    let latest = (!runs.is_empty()).then(|| LATEST.to_string());
    latest
        .into_iter()
        .chain(runs.iter().rev().map(|run| name(run)))
        .collect()
}

/// As `RUN/failures/1-1`.
fn failures() -> Vec<String> {
    let runs = run_folders(Path::new(RESULTS));
    let of_run = |run: &PathBuf| {
        let entries = fs::read_dir(run.join(FAILURES))
            .into_iter()
            .flatten()
            .flatten();
        let run = name(run);
        entries.map(move |entry| format!("{run}/{FAILURES}/{}", name(&entry.path())))
    };
    runs.iter().rev().flat_map(of_run).collect()
}

fn name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
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
