//! Why a run could not start or had to stop.

use std::fs;
use std::path::{Path, PathBuf};

use super::files::folder::FolderError;
use super::files::manifest::MANIFEST;
use super::play::driver::RunError;
use super::prepare::error::PrepareError;
use crate::executor::Situation;
use crate::ledger::{FAILURES, LedgerError};
use hone_base::diagnostic::Diagnostic;
use hone_base::platform::quoted;
use hone_uci::openings::BookError;
use hone_uci::rules::tablebase::TablebaseError;

/// Why a run could not start or had to stop.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    #[error(transparent)]
    Prepare(#[from] PrepareError),
    #[error(transparent)]
    Book(#[from] BookError),
    #[error(transparent)]
    Tablebase(#[from] TablebaseError),
    #[error(transparent)]
    Folder(#[from] FolderError),
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    #[error("{0}")]
    Input(#[from] anyhow::Error),
    /// The run had started and can be resumed.
    #[error("{error}")]
    Stopped {
        folder: PathBuf,
        /// Made of a [`RunError`].
        #[source]
        error: Diagnostic,
    },
    /// Another error after the run had started, such as of its report.
    #[error("{0}")]
    AfterStart(#[source] anyhow::Error),
}

/// What to do after the run in `folder` has stopped with `error`.
fn next_step(folder: &Path, error: &RunError) -> String {
    let path = folder.display();
    if folder.join(MANIFEST).is_file() {
        let folder = quoted(folder);
        // Otherwise it stops again at once.
        let [condition, more] = match error {
            RunError::TooManyFailures(_) => {
                ["to play on with these failures, ", " --max-failures 1"]
            }
            _ => ["", ""],
        };
        format!("all finished games are saved; {condition}resume with `hone resume {folder}{more}`")
    } else if folder.is_dir() {
        format!("restore {MANIFEST} in {path} from a copy to resume the run, or start a new run")
    } else {
        format!(
            "if {path} was moved, `hone resume` continues the run in its new place; if it was deleted, its games are lost: start a new run"
        )
    }
}

/// The evidence of the first failure of an engine in the run in `folder`, by pair and game.
fn first_failure(folder: &Path, engine: &str) -> Option<PathBuf> {
    let entries = fs::read_dir(folder.join(FAILURES)).ok()?.flatten();
    let mut failures: Vec<(Vec<u64>, PathBuf)> = entries
        .filter_map(|entry| {
            let name = entry.file_name();
            let numbers = name.to_str()?.split('-').map(str::parse);
            Some((numbers.collect::<Result<_, _>>().ok()?, entry.path()))
        })
        .collect();
    failures.sort();
    let mut paths = failures.into_iter().map(|(_, path)| path);
    paths.find(|path| {
        fs::read_to_string(path.join("replay.toml"))
            .ok()
            .and_then(|text| toml::from_str::<Situation>(&text).ok())
            .is_some_and(|situation| situation.name == engine)
    })
}

impl SessionError {
    /// The error of the run in `folder`, which had started. If an engine failed too often,
    /// the error names the evidence.
    pub fn stopped(folder: &Path, mut source: RunError) -> Self {
        if let RunError::TooManyFailures(error) = &mut source
            && let Some(evidence) = first_failure(folder, &error.name)
        {
            error.advise(format!(
                "`hone replay {}` repeats its first failure; summary.txt in that folder describes it",
                quoted(&evidence)
            ));
        }
        Self::in_folder(folder, source)
    }

    fn in_folder(folder: &Path, error: RunError) -> Self {
        let next_step = next_step(folder, &error);
        Self::Stopped {
            folder: folder.to_path_buf(),
            error: Diagnostic::of(error).help(next_step),
        }
    }

    /// The error of a follow-up run as an error of the run in `folder`, which is the one to
    /// resume.
    pub fn of_folder(self, folder: &Path) -> Self {
        match self.into_run_error() {
            Ok(error) => Self::in_folder(folder, error),
            Err(error) => Self::after_start(error),
        }
    }

    /// The error of a measurement of the speed, whose games are not kept: it can be neither
    /// resumed nor replayed.
    pub fn of_measurement(self) -> Self {
        let mut error = match self.into_run_error() {
            Ok(error) => error,
            Err(error) => return error,
        };
        if let RunError::TooManyFailures(failures) = &mut error {
            failures.remedy = Diagnostic::default().help("fix the engine");
        }
        let error = anyhow::Error::new(error).context("the speed cannot be measured");
        Self::after_start(error)
    }

    /// Why the run stopped.
    fn into_run_error(self) -> Result<RunError, Self> {
        let Self::Stopped { error, .. } = self else {
            return Err(self);
        };
        let error = error.into_source().expect("it is made of an error");
        error.downcast().map_err(Self::AfterStart)
    }

    /// Any error after the run had started.
    pub fn after_start(error: impl Into<anyhow::Error>) -> Self {
        Self::AfterStart(error.into())
    }

    /// Whether a build or the run had started.
    pub fn is_after_start(&self) -> bool {
        self.is_of_run() || matches!(self, Self::Prepare(error) if error.is_after_start())
    }

    /// Whether the run had started.
    pub fn is_of_run(&self) -> bool {
        matches!(self, Self::Stopped { .. } | Self::AfterStart(_))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_without_its_folder_or_manifest_cannot_be_resumed() {
        let error = || RunError::from(LedgerError::missing(Path::new("")));
        let folder = tempfile::tempdir().expect("a folder");
        let run = folder.path().join("run");
        assert!(next_step(&run, &error()).contains("if it was deleted, its games are lost"));
        fs::create_dir(&run).expect("made");
        let without = next_step(&run, &error());
        assert!(without.starts_with("restore run.toml in "), "{without}");
        fs::write(run.join(MANIFEST), "").expect("written");
        let whole = next_step(&run, &error());
        assert!(whole.starts_with("all finished games are saved"), "{whole}");
    }
}
