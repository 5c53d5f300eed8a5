//! The report of all nights.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::Role;
use super::chart::chart;
use super::night::{Night, read};
use super::order::in_order;
use super::page::html;
use super::record::Record;
use super::skipped::{SkippedCommit, markdown};
use super::status::Status;
use super::{RUNS, TABLE};
use hone_report::html::{Page, PageLocation};
use hone_report::{Report, to_resume};
use hone_run::Manifest;
use hone_run::config::false_alarm_nights;

/// The results of all nights.
pub struct TrackReport {
    pub(super) dir: PathBuf,
    /// In the order of their commits.
    pub(super) nights: Vec<Night>,
    pub(super) status: Status,
    /// Commits played by this process.
    pub(super) played: Vec<String>,
    /// Commits skipped by this process.
    pub(super) skipped: Vec<SkippedCommit>,
    /// Nights that no process has reported yet, from 0 in the order of `nights`.
    pub(super) unreported: Vec<usize>,
}

/// The verdict: whether the engine has become weaker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum TrackVerdict {
    Regression,
    None,
}

#[derive(Serialize)]
struct Object<'a> {
    kind: &'static str,
    verdict: TrackVerdict,
    /// The verdict that findings hold back.
    #[serde(skip_serializing_if = "Option::is_none")]
    withheld: Option<TrackVerdict>,
    played: &'a [String],
    skipped: &'a [SkippedCommit],
    #[serde(flatten)]
    status: &'a Status,
}

impl TrackReport {
    /// Reads the table of nights in a folder.
    ///
    /// # Errors
    /// If the table cannot be read.
    pub fn read(dir: &Path) -> anyhow::Result<Self> {
        let nights = in_order(&read(&dir.join(TABLE))?, &[]);
        let mut matches = nights.iter().rev().flat_map(|night| &night.matches);
        let anchor = matches.find(|played| played.role == Role::Anchor);
        let anchor = anchor.map_or("", |played| played.commit.as_str());
        let alarms = configured_alarms(dir, &nights)?.unwrap_or_else(false_alarm_nights);
        Ok(Self {
            status: Status::new(&nights, anchor, alarms),
            dir: dir.to_path_buf(),
            nights,
            played: Vec::new(),
            skipped: Vec::new(),
            unreported: Vec::new(),
        })
    }

    /// Whether a night has been played, so that there is something to show.
    pub fn has_nights(&self) -> bool {
        !self.nights.is_empty()
    }

    /// Whether a regression was detected that no process has reported yet.
    pub fn has_unreported_regression(&self) -> bool {
        let mut losses = self.status.losses_at(&self.unreported);
        losses.any(|loss| !self.status.is_withheld(loss))
    }

    /// Whether one was detected that findings withhold.
    pub fn has_withheld_regression(&self) -> bool {
        let mut losses = self.status.losses_at(&self.unreported);
        losses.any(|loss| self.status.is_withheld(loss))
    }

    /// The verdict, and the one that findings hold back.
    fn verdict(&self) -> (TrackVerdict, Option<TrackVerdict>) {
        if self.status.is_regression() || self.has_unreported_regression() {
            return (TrackVerdict::Regression, None);
        }
        let is_withheld =
            self.has_withheld_regression() || self.status.last_losses().next().is_some();
        let withheld = is_withheld.then_some(TrackVerdict::Regression);
        (TrackVerdict::None, withheld)
    }
}

/// `false_alarm_nights` of the nights in `dir`: that of the last `hone track`, or that of the last
/// night's run, if it still exists.
fn configured_alarms(dir: &Path, nights: &[Night]) -> anyhow::Result<Option<u64>> {
    let of_run = |night: &Night| {
        let manifest = Manifest::read(&dir.join(RUNS).join(&night.run)).ok()?;
        Some(manifest.config.track?.false_alarm_nights)
    };
    let recorded = Record::read(dir)?.false_alarm_nights();
    Ok(recorded.or_else(|| nights.last().and_then(of_run)))
}

impl Report for TrackReport {
    fn text(&self) -> String {
        self.status.sentences() + &self.status.earlier_losses(&self.unreported)
    }

    fn json(&self) -> anyhow::Result<String> {
        let (verdict, withheld) = self.verdict();
        let object = Object {
            kind: "track",
            verdict,
            withheld,
            played: &self.played,
            skipped: &self.skipped,
            status: &self.status,
        };
        // A JSON value has sorted keys.
        Ok(serde_json::to_value(&object)?.to_string())
    }

    fn summary(&self, resume: Option<&str>) -> String {
        // A job's page has no file beside it.
        let nights = self.status.markdown(None);
        format!("{nights}\n{}{}", markdown(&self.skipped), to_resume(resume))
    }

    fn files(&self) -> anyhow::Result<Vec<(&'static str, String)>> {
        Ok(vec![
            ("elo.svg", chart(&self.status)?),
            ("elo.md", self.status.markdown(Some("elo.svg"))),
        ])
    }

    fn page(&self, place: PageLocation) -> anyhow::Result<Page> {
        html(&self.status, &self.nights, &self.dir, place)
    }

    fn page_name(&self) -> &'static str {
        "elo.html"
    }
}
