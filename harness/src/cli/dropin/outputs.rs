//! The files of games that a command line asks for, also when `hone resume`
//! continues its run.

use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};

use crate::dropin::show::Files;
use crate::dropin::{OutFile, Program, Request, Settings, StartedRun};
use crate::run::{Manifest, RunFiles};

/// The command line that started a run, in the run's folder.
const COMMAND_LINE: &str = "command-line.json";

/// Opens the files that `settings` ask for; relative names start from `base`.
pub(super) fn open_files(settings: &Settings, base: &Path) -> anyhow::Result<Files> {
    let path = |file: &Option<OutFile>, extension: &str| {
        file.as_ref().map(|file| {
            let made_up = || {
                let now = jiff::Zoned::now().strftime("%Y%m%d_%H%M%S").to_string();
                PathBuf::from(format!("fastchess_{now}.{extension}"))
            };
            let name = file.path.clone().unwrap_or_else(made_up);
            (base.join(name), file.append)
        })
    };
    Files::open(path(&settings.pgn, "pgn"), path(&settings.epd, "epd"))
}

/// Keeps the command line with the run.
pub(super) fn keep(started: &StartedRun) -> anyhow::Result<()> {
    started.write(&started.run.join(COMMAND_LINE))
}

/// Adds to the files of a command line the games of its run that they lack, if a
/// command line of another program started the run in `dir`.
///
/// # Errors
/// If a file cannot be read or written.
pub(in crate::cli) fn complete(dir: &Path) -> anyhow::Result<()> {
    let path = dir.join(COMMAND_LINE);
    if !path.is_file() {
        return Ok(());
    }
    let started = StartedRun::read(&path)?;
    let program = started.program.as_deref().and_then(Program::named);
    let program = program.with_context(|| format!("{} names no program", path.display()))?;
    let Request::Play(settings) = Request::read(program, &started.arguments)? else {
        return Err(anyhow!("{} names no match", path.display()));
    };
    let base = Manifest::read(dir)?.base;
    open_files(&settings, &base)?.catch_up(&RunFiles::open(dir)?)
}
