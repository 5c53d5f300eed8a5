//! What a run came to: the same facts as JSON, text, Markdown and a page of
//! HTML, and live on the terminal.

pub(crate) mod chart;
mod escape;
mod facts;
pub(crate) mod html;
mod live;
mod markdown;
mod summary;
mod text;

pub(crate) use escape::escape;
pub(crate) use facts::{EngineFacts, RunFacts};
pub(crate) use live::Scoreboard;
pub(crate) use live::terminal_block;
pub(crate) use markdown::markdown;
pub(crate) use summary::{SummaryNotes, failed_summary, summary};
pub(crate) use text::{results_block, verdict_sentence};

use std::fs;

use anyhow::Context;

use crate::ledger::Pairs;
use crate::run::{Folder, Manifest};

/// Names of the report's files in a run's folder.
pub(crate) const REPORT_JSON: &str = "report.json";
pub(crate) const REPORT_MD: &str = "report.md";
pub(crate) const REPORT_HTML: &str = "report.html";

/// Writes the report files of a match or a test into its folder.
///
/// # Errors
/// Those of the file system, and of a picture that cannot be drawn.
pub(crate) fn write_files(
    folder: &Folder,
    facts: &RunFacts,
    manifest: &Manifest,
    pairs: &Pairs,
) -> anyhow::Result<()> {
    let dir = folder.path();
    let json = serde_json::to_string_pretty(facts).context("the report cannot be put into JSON")?;
    let source = html::Source {
        dir,
        manifest,
        pairs,
        inside: true,
    };
    let files = [(REPORT_JSON, json + "\n"), (REPORT_MD, markdown(facts))];
    for (name, text) in files {
        let path = dir.join(name);
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    html::run_page(facts, source)?.save(&dir.join(REPORT_HTML))
}
