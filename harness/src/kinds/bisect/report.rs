//! The report of a bisection.

use super::facts::BisectFacts;
use super::page::html;
use crate::experiment::bisect::BisectExperiment;
use crate::ledger::LedgerError;
use crate::report::html::{Page, Place, Source};
use crate::report::{REPORT_JSON, REPORT_MD, Report, SummaryNotes, json_file};
use crate::run::{Fold, RunFiles};

/// The results of a bisection.
pub(crate) struct BisectReport {
    files: RunFiles,
    outcome: BisectFacts,
}

impl BisectReport {
    /// Of a run whose experiment has absorbed what `fold` holds.
    ///
    /// # Errors
    /// If the ledger cannot be read.
    pub(super) fn new(files: RunFiles, fold: &Fold<BisectExperiment>) -> Result<Self, LedgerError> {
        let outcome = BisectFacts::of(&files, fold)?;
        Ok(Self { files, outcome })
    }
}

impl Report for BisectReport {
    fn text(&self) -> String {
        format!("{}\n{}\n", self.outcome.table(), self.outcome.sentence())
    }

    fn json(&self) -> anyhow::Result<String> {
        Ok(serde_json::to_string(&self.outcome)?)
    }

    fn summary(&self, notes: SummaryNotes<'_>) -> String {
        format!("{}\n{}", self.outcome.markdown(), notes.text())
    }

    fn files(&self) -> anyhow::Result<Vec<(&'static str, String)>> {
        Ok(vec![
            (REPORT_JSON, json_file(&self.outcome)?),
            (REPORT_MD, self.outcome.markdown()),
        ])
    }

    fn page(&self, place: Place) -> anyhow::Result<Page> {
        html(&self.outcome, Source::of(&self.files, place))
    }
}
