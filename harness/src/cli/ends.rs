//! Arguments about the end of a run: time limit, summary, JSON.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, ensure};
use clap::Args;

use super::repeat;
use crate::config::Draft;
use crate::run::Manifest;
use crate::settings::TimeSpan;

/// Time limit and results of a run.
#[derive(Debug, Args)]
pub(super) struct EndArgs {
    /// Stop after this time, as in 30m or 1h30m. Pairs in progress are
    /// finished. Exit code 3 if the run is undecided.
    #[arg(long, value_name = "TIME")]
    pub(super) max_time: Option<TimeSpan>,
    #[command(flatten)]
    pub(super) results: ResultArgs,
}

/// The output of results.
#[derive(Debug, Clone, Args)]
pub(super) struct ResultArgs {
    /// Write a summary in Markdown, and append it to $GITHUB_STEP_SUMMARY
    /// where that is set. Both must be writable before anything is played.
    #[arg(long, value_name = "FILE")]
    summary: Option<PathBuf>,
    /// Print the result as one JSON object on standard output.
    #[arg(long)]
    pub(super) json: bool,
}

impl EndArgs {
    /// Applies the time limit to a draft.
    pub(super) fn apply(&self, draft: &mut Draft) {
        let time = self.max_time.map(|time| time.to_string());
        draft.flag("--max-time", time, &["match", "max_time"]);
    }

    /// The requested time limit.
    pub(super) fn max_time(&self) -> Option<Duration> {
        self.max_time.map(TimeSpan::duration)
    }
}

impl ResultArgs {
    /// Refuses a summary that cannot be written, before anything is played.
    ///
    /// # Errors
    /// The file that cannot be opened.
    pub(super) fn check(&self) -> anyhow::Result<()> {
        let Some(path) = &self.summary else {
            return Ok(());
        };
        check_writable(path)?;
        step_summary().map_or(Ok(()), |step| check_writable(&step))
    }

    /// Refuses a summary of a command that does not play games.
    ///
    /// # Errors
    /// If a summary is requested.
    pub(super) fn check_without_games(&self, option: &str) -> anyhow::Result<()> {
        ensure!(
            self.summary.is_none(),
            "`{option}` plays no games that `--summary` could summarize\nhelp: leave out one of them"
        );
        Ok(())
    }

    /// Writes the summary to the requested files.
    pub(super) fn summarize(&self, text: &str) -> anyhow::Result<()> {
        let Some(path) = &self.summary else {
            return Ok(());
        };
        fs::write(path, text).with_context(|| failed(path))?;
        let Some(step) = step_summary() else {
            return Ok(());
        };
        let append = || appending(&step)?.write_all(text.as_bytes());
        append().with_context(|| failed(&step))
    }
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

/// The command line that repeats this one, with the commits of the run, if it has begun.
pub(super) fn repeating(manifest: Option<&Manifest>) -> String {
    // Paths need not be UTF-8.
    let arguments: Vec<String> = std::env::args_os()
        .skip(1)
        .map(|argument| argument.to_string_lossy().into_owned())
        .collect();
    let engines = manifest.map_or(&[][..], |manifest| &manifest.engines);
    let commits: Vec<_> = engines.iter().map(|engine| engine.commit.clone()).collect();
    let bisect = manifest.and_then(|manifest| manifest.config.bisect.as_ref());
    let skipped = bisect.map_or(&[][..], |section| &section.skip);
    repeat::repeating(&arguments, &commits, skipped)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_that_cannot_be_written_is_refused_before_the_games() {
        let folder = tempfile::tempdir().expect("a folder");
        let results = |path: &Path| ResultArgs {
            summary: Some(path.to_path_buf()),
            json: false,
        };
        let missing = folder.path().join("missing/summary.md");
        let error = results(&missing).check().expect_err("refused").to_string();
        assert!(error.starts_with("cannot write the summary "), "{error}");
        results(folder.path()).check().expect_err("a folder");
        let path = folder.path().join("summary.md");
        results(&path).check().expect("writable");
        assert!(!path.exists(), "nothing is left");
        fs::write(&path, "of another test").expect("written");
        results(&path).check().expect("writable");
        assert_eq!(fs::read_to_string(&path).expect("there"), "of another test");
    }
}
