//! The files of a run's summary: the one that the user names, and the job summary on GitHub.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;

/// Checks that the summary can be written to `path` and to the job summary.
///
/// # Errors
/// The file that cannot be opened.
pub(in crate::cli) fn check(path: &Path) -> anyhow::Result<()> {
    check_writable(path)?;
    step_summary().map_or(Ok(()), |step| check_writable(&step))
}

/// Writes the summary to `path`, and appends it to the job summary.
///
/// # Errors
/// The file that cannot be written.
pub(in crate::cli) fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    fs::write(path, text).with_context(|| failed(path))?;
    let Some(step) = step_summary() else {
        return Ok(());
    };
    let append = || appending(&step)?.write_all(text.as_bytes());
    append().with_context(|| failed(&step))
}

/// The file of a job summary on GitHub.
fn step_summary() -> Option<PathBuf> {
    let step = std::env::var_os("GITHUB_STEP_SUMMARY")?;
    (!step.is_empty()).then(|| step.into())
}

fn failed(path: &Path) -> String {
    format!("cannot write the summary {}", path.display())
}

fn appending(path: &Path) -> io::Result<File> {
    File::options().create(true).append(true).open(path)
}

/// Checks that a file can be written, without changing or creating it.
fn check_writable(path: &Path) -> anyhow::Result<()> {
    let is_new = !path.exists();
    appending(path)
        .and_then(|_| {
            if is_new {
                fs::remove_file(path)
            } else {
                Ok(())
            }
        })
        .with_context(|| failed(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_that_cannot_be_written_is_refused_before_the_games() {
        let folder = tempfile::tempdir().expect("a folder");
        let missing = folder.path().join("missing/summary.md");
        let error = check(&missing).expect_err("refused").to_string();
        assert!(error.starts_with("cannot write the summary "), "{error}");
        check(folder.path()).expect_err("a folder");
        let path = folder.path().join("summary.md");
        check(&path).expect("writable");
        assert!(!path.exists(), "nothing is left");
        fs::write(&path, "of another test").expect("written");
        check(&path).expect("writable");
        assert_eq!(fs::read_to_string(&path).expect("there"), "of another test");
    }
}
