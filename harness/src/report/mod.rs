//! What a run came to: the same facts as JSON, text and Markdown, and live on
//! the terminal.

mod facts;
mod live;
mod markdown;
mod text;

pub use facts::{EngineFacts, PairingFacts, RunFacts, SprtFacts};
pub use live::Scoreboard;
pub use markdown::markdown;
pub use text::{results_block, verdict_sentence};

use std::fs;
use std::path::Path;

use anyhow::Context;

/// Names of the report's files in a run's folder.
pub const REPORT_JSON: &str = "report.json";
pub const REPORT_MD: &str = "report.md";

/// Writes the report files of a run into its folder.
///
/// # Errors
/// Those of the file system.
pub fn write_files(dir: &Path, facts: &RunFacts) -> anyhow::Result<()> {
    let json = serde_json::to_string_pretty(facts).context("the report cannot be put into JSON")?;
    for (name, text) in [(REPORT_JSON, json + "\n"), (REPORT_MD, markdown(facts))] {
        let path = dir.join(name);
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}
