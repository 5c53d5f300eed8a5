//! `hone bisect`: the run with its builds, what it came to, and how that is
//! shown.

mod live;
mod outcome;
mod page;
mod session;

pub(crate) use live::Suspects;
pub(crate) use outcome::Outcome;
pub(crate) use page::html;
pub(crate) use session::{Bisection, experiment_of};

use std::fs;

use anyhow::Context;

use crate::report::html::Source;
use crate::report::{REPORT_HTML, REPORT_JSON, REPORT_MD};

/// Writes the report files of a bisection into its folder.
pub(crate) fn write_files(outcome: &Outcome, source: Source<'_>) -> anyhow::Result<()> {
    let files = [
        (REPORT_JSON, serde_json::to_string_pretty(outcome)? + "\n"),
        (REPORT_MD, outcome.markdown()),
    ];
    for (name, text) in files {
        let path = source.dir.join(name);
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    html(outcome, source)?.save(&source.dir.join(REPORT_HTML))
}
