//! Arguments about the end of a run: time limit, summary, JSON.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::ensure;
use clap::Args;

use crate::cli::results::summary;
use hone_base::diagnostic::Diagnostic;
use hone_experiment::settings::TimeSpan;
use hone_run::config::Draft;

/// Time limit and results of a run.
#[derive(Debug, Args)]
pub(in crate::cli) struct EndArgs {
    /// Stop after this time, as in 30m or 1h30m. It includes builds. A build and
    /// pairs in progress are finished. Exit code 3 if the run is undecided.
    #[arg(long, value_name = "TIME")]
    pub(in crate::cli) max_time: Option<TimeSpan>,
    #[command(flatten)]
    pub(in crate::cli) results: ResultArgs,
}

/// The output of results.
#[derive(Debug, Clone, Args)]
pub(in crate::cli) struct ResultArgs {
    /// Write a summary in Markdown, and append it to $GITHUB_STEP_SUMMARY
    /// where that is set. Both must be writable before anything is played.
    #[arg(long, value_name = "FILE")]
    summary: Option<PathBuf>,
    /// Print the result as one JSON object on standard output.
    #[arg(long)]
    pub(in crate::cli) json: bool,
}

impl EndArgs {
    /// Applies the time limit to a draft.
    pub(in crate::cli) fn apply(&self, draft: &mut Draft) {
        let time = self.max_time.map(|time| time.to_string());
        draft.flag("--max-time", time, &["match", "max_time"]);
    }

    /// The requested time limit.
    pub(in crate::cli) fn max_time(&self) -> Option<Duration> {
        self.max_time.map(TimeSpan::duration)
    }
}

impl ResultArgs {
    /// Refuses a summary that cannot be written, before anything is played.
    ///
    /// # Errors
    /// The file that cannot be opened.
    pub(in crate::cli) fn check(&self) -> anyhow::Result<()> {
        self.summary.as_deref().map_or(Ok(()), summary::check)
    }

    /// Refuses a summary of a command that does not play games.
    ///
    /// # Errors
    /// If a summary is requested.
    pub(in crate::cli) fn check_without_games(&self, option: &str) -> anyhow::Result<()> {
        ensure!(
            self.summary.is_none(),
            Diagnostic::new(format!(
                "`{option}` plays no games that `--summary` could summarize"
            ))
            .help("leave out one of them")
        );
        Ok(())
    }

    /// Writes the summary to the requested files.
    pub(in crate::cli) fn summarize(&self, text: &str) -> anyhow::Result<()> {
        match &self.summary {
            Some(path) => summary::write(path, text),
            None => Ok(()),
        }
    }
}
