//! When a run ends, and the summary that it writes on request.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;

use super::gate;
use crate::report::EngineFacts;
use crate::run::Session;
use crate::settings::TimeSpan;

/// When a run ends, and how it reports.
#[derive(Debug, Args)]
pub(super) struct EndArgs {
    /// Stop after this time, as in 30m or 1h30m. Pairs in progress are
    /// finished. Exit code 3 if the run is undecided.
    #[arg(long, value_name = "TIME")]
    pub(super) max_time: Option<TimeSpan>,
    /// Write a summary in Markdown, and append it to $GITHUB_STEP_SUMMARY
    /// where that is set.
    #[arg(long, value_name = "FILE")]
    summary: Option<PathBuf>,
    /// Print the result as one JSON object on standard output.
    #[arg(long)]
    pub(super) json: bool,
}

impl EndArgs {
    /// The session with the time that was asked for.
    pub(super) fn limit(&self, mut session: Session) -> Session {
        if let Some(time) = self.max_time {
            session.max_time = Some(time.duration());
        }
        session
    }

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

/// The command line that repeats this one, with the engines' commits.
pub(super) fn repeating(engines: &[EngineFacts]) -> String {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let commits: Vec<_> = engines.iter().map(|engine| engine.commit.clone()).collect();
    gate::repeating(&arguments, &commits)
}
