//! When a run ends, and the summary that it writes on request.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use clap::Args;

use super::repeat;
use crate::config::{Draft, Level};
use crate::run::Manifest;
use crate::settings::TimeSpan;

/// When a run ends, and how it reports.
#[derive(Debug, Args)]
pub(super) struct EndArgs {
    /// Stop after this time, as in 30m or 1h30m. Pairs in progress are
    /// finished. Exit code 3 if the run is undecided.
    #[arg(long, value_name = "TIME")]
    pub(super) max_time: Option<TimeSpan>,
    #[command(flatten)]
    pub(super) results: ResultArgs,
}

/// Where results go.
#[derive(Debug, Args)]
pub(super) struct ResultArgs {
    /// Write a summary in Markdown, and append it to $GITHUB_STEP_SUMMARY
    /// where that is set.
    #[arg(long, value_name = "FILE")]
    summary: Option<PathBuf>,
    /// Print the result as one JSON object on standard output.
    #[arg(long)]
    pub(super) json: bool,
}

impl EndArgs {
    /// Those of a command that only has `--json`.
    pub(super) fn only_json(json: bool) -> Self {
        Self {
            max_time: None,
            results: ResultArgs {
                summary: None,
                json,
            },
        }
    }

    /// Lays the time over a draft.
    pub(super) fn apply(&self, draft: &mut Draft) {
        if let Some(time) = self.max_time {
            let source = format!("--max-time {time}");
            draft.set(
                Level::Key,
                &["match", "max_time"],
                time.to_string(),
                &source,
            );
        }
    }

    /// The time that was asked for.
    pub(super) fn max_time(&self) -> Option<Duration> {
        self.max_time.map(TimeSpan::duration)
    }
}

impl ResultArgs {
    /// Writes the summary to where it was asked for.
    pub(super) fn summarize(&self, text: &str) -> anyhow::Result<()> {
        let Some(path) = &self.summary else {
            return Ok(());
        };
        let failed = |path: &Path| format!("cannot write the summary {}", path.display());
        fs::write(path, text).with_context(|| failed(path))?;
        let Some(step) = std::env::var_os("GITHUB_STEP_SUMMARY").map(PathBuf::from) else {
            return Ok(());
        };
        if step.as_os_str().is_empty() {
            return Ok(());
        }
        let append = || {
            let mut file = File::options().create(true).append(true).open(&step)?;
            file.write_all(text.as_bytes())
        };
        append().with_context(|| failed(&step))
    }
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
