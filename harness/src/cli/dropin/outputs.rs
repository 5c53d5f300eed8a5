//! The output files of games that a command line requests, also when `hone resume` continues
//! its run.

use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};

use hone_base::text::numbered;
use hone_dropin::show::Files;
use hone_dropin::{OutFile, Program, Request, Settings, StartedRun};
use hone_run::{Manifest, RESULTS, RunFiles};

/// The command line that started a run, in the run's folder.
const COMMAND_LINE: &str = "command-line.json";

/// Opens the files that `settings` request; relative paths start from `base`.
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
    let pgn = path(&settings.pgn, "pgn");
    let epd = path(&settings.epd, "epd");
    Files::open(pgn, epd, settings.program)
}

/// The folder of a new run whose `-config outname=` names a file in another folder: under
/// `results/` next to that file, because a server may keep only that folder. `None` for a
/// file in the working directory, a device and a pipe.
pub(super) fn folder_beside(outname: &Path) -> Option<PathBuf> {
    let folder = outname.parent()?;
    let is_here = folder.as_os_str().is_empty() || folder == Path::new(".");
    if is_here || outname.exists() && !outname.is_file() {
        return None;
    }
    let now = jiff::Zoned::now().strftime("%Y-%m-%d-%H%M%S");
    let name = format!("{now}-{}", outname.file_stem()?.display());
    let results = folder.join(RESULTS);
    let is_free = |name: &String| !results.join(name).exists();
    Some(results.join(numbered(&name, is_free)))
}

/// Keeps the command line with the run.
pub(super) fn keep(started: &StartedRun) -> anyhow::Result<()> {
    started.write(&started.run.join(COMMAND_LINE))
}

/// Adds missing games of the run in `dir` to the files of the command line that started it, if
/// that is one of another program.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_file_in_another_folder_has_its_runs_beside_it() {
        for name in ["c.json", "./c.json"] {
            assert_eq!(folder_beside(Path::new(name)), None, "{name}");
        }
        let dir = tempfile::tempdir().expect("a folder");
        let beside = |name: &str| folder_beside(&dir.path().join(name));
        std::fs::write(dir.path().join("there.json"), "{}").expect("written");
        for (name, stem) in [("c.json", "-c"), ("there.json", "-there")] {
            let run = beside(name).expect("a folder");
            assert_eq!(run.parent(), Some(&*dir.path().join("results")));
            assert!(run.display().to_string().ends_with(stem), "{run:?}");
        }
        // A device, or a pipe.
        std::fs::create_dir(dir.path().join("no-file")).expect("made");
        assert_eq!(beside("no-file"), None);
    }
}
