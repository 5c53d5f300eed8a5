//! The results of a run as JSON, text, Markdown and a page of HTML, and live on the
//! terminal.
//!
//! Uses: the core, up to `run`. The other wings show their results with it.
//!
//! Data:
//!
//! * `contract`: the JSON of a run; `facts`: it, and what pages show besides; `match_report`: the
//!   report made from them.
//! * `timeline`, `effort`: LLR and Elo pair by pair; times and depths of the moves.
//! * `workers`, `openings`, `machines`: results by worker, opening and
//!   machine of a fleet.
//! * `standings`, `verdict`: ratings, the verdict of a test.
//! * `evidence`, `engine_evidence`: signs of bad data, and of an engine with an advantage.
//! * `shown_elo`: the Elo that lists of runs show.
//! * `follow`: the results of a run while another process plays it.
//!
//! Output:
//!
//! * `text`, `tournament`: lines of text; `scoreboard`: the live view of a run.
//! * `summary`: for a pull request or a CI job.
//! * `forms`: in the formats of OpenBench and fishtest.
//! * [`html`], [`chart`]: the page and its charts.
//! * `numbers`, `escape`, `table`: numbers, escaping and tables for all of these.

// `println!` panics on a closed pipe: `hone_base::output` prints in its place.
#![cfg_attr(not(test), warn(clippy::print_stdout, clippy::print_stderr))]
#![cfg_attr(not(test), warn(clippy::unwrap_used, clippy::string_slice))]

pub mod chart;
mod contract;
mod effort;
mod engine_evidence;
mod escape;
mod evidence;
mod facts;
mod follow;
mod forms;
pub mod html;
mod machines;
mod match_report;
mod numbers;
mod openings;
mod scoreboard;
mod shown_elo;
mod standings;
mod summary;
mod table;
mod text;
mod timeline;
mod tournament;
mod verdict;
mod workers;

pub use escape::percent_encoded;
pub use escape::{escape_markdown, guarded, unguarded};
pub use evidence::evidence_findings;
pub use facts::{RunFacts, StageFacts, first_engine, is_of_first_engine, limits};
pub use facts::{verdict_of, verdict_with};
pub use follow::{Breakdown, CurrentResults, Following};
pub use forms::Form;
pub use forms::{FormNumbers, FormTest};
pub use match_report::MatchReport;
pub use numbers::duration;
pub use numbers::{
    TOO_FEW_PAIRS, TOO_FEW_RESULTS, counted, fixed, number, percent, probability, signed,
    signed_ends, signed_with,
};
pub use openings::OpeningFacts;
pub use scoreboard::{Live, LiveText, STOPPING, Scoreboard, Terminal, progress_text, time_for};
pub use shown_elo::shown_elo;
pub use summary::{as_markdown, error_block, fenced, stopped_summary, to_resume};
pub use timeline::Timeline;
pub use verdict::{EndReason, TestVerdict};
pub use workers::WorkerFacts;

use std::fs;
use std::path::Path;

use anyhow::Context;
use serde::{Deserialize, Serialize};

use hone_base::platform::write_whole;
use html::{Page, PageLocation};

use hone_run::REPORT_HTML;
pub use hone_run::{REPORT_JSON, REPORT_MD};

/// The results of a run of any kind, finished or not.
pub trait Report {
    /// As lines of text.
    fn text(&self) -> String;

    /// One JSON object on one line.
    ///
    /// # Errors
    /// If it cannot be written as JSON.
    fn json(&self) -> anyhow::Result<String>;

    /// The verdict of a test that its findings hold back.
    fn withheld(&self) -> Option<TestVerdict> {
        None
    }

    /// In the format of OpenBench or fishtest. `None` unless the first engine plays in every
    /// pair.
    fn form(&self, _form: Form) -> Option<String> {
        None
    }

    /// Markdown for a pull request or a CI job. `resume` is the command that resumes the run;
    /// `None` if it is finished.
    fn summary(&self, resume: Option<&str>) -> String;

    /// The files besides the page: name and text of each.
    ///
    /// # Errors
    /// If one cannot be written as JSON.
    fn files(&self) -> anyhow::Result<Vec<(&'static str, String)>>;

    /// The page, for the place where it will be read.
    ///
    /// # Errors
    /// If the games cannot be read or a chart cannot be drawn.
    fn page(&self, place: PageLocation) -> anyhow::Result<Page>;

    /// Name of the page in the folder.
    fn page_name(&self) -> &'static str {
        REPORT_HTML
    }
}

/// Writes the files of a report into a folder.
///
/// # Errors
/// Those of [`Report::files`] and [`Report::page`], and of the file system.
pub fn write_files(report: &(impl Report + ?Sized), dir: &Path) -> anyhow::Result<()> {
    for (name, text) in report.files()? {
        let path = dir.join(name);
        write_whole(&path, |file| file.write_all(text.as_bytes()))
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    report
        .page(PageLocation::Inside)?
        .save(&dir.join(report.page_name()))
}

/// `value` as the text of [`REPORT_JSON`].
///
/// # Errors
/// If it cannot be written as JSON.
pub fn json_file(value: &impl Serialize) -> anyhow::Result<String> {
    let json = serde_json::to_string_pretty(value).context("the report cannot be put into JSON")?;
    Ok(json + "\n")
}

/// Pairs an hour of a run, from its [`REPORT_JSON`]. `None` without a report, or if the
/// report has no pairs or no time.
///
/// # Errors
/// If the report cannot be read.
pub fn measured_speed(dir: &Path) -> anyhow::Result<Option<f64>> {
    #[derive(Deserialize)]
    struct Speed {
        pairs: u64,
        /// Absent in the report of a tuning.
        seconds: Option<f64>,
    }
    let path = dir.join(REPORT_JSON);
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error).with_context(|| format!("cannot read {}", path.display())),
    };
    let speed: Speed = serde_json::from_str(&text)
        .with_context(|| format!("{} is not the report of a run", path.display()))?;
    let seconds = speed
        .seconds
        .filter(|seconds| *seconds > 0.0 && speed.pairs > 0);
    Ok(seconds.map(|seconds| 3600.0 * speed.pairs as f64 / seconds))
}
