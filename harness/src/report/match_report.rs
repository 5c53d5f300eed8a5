//! The report of a match or a sequential test.

use super::facts::RunFacts;
use super::html::{self, Page, Source};
use super::markdown::markdown;
use super::summary::{SummaryNotes, summary};
use super::text::{results_block, verdict_sentence};
use super::{REPORT_JSON, REPORT_MD, Report, json_file};
use crate::experiment::Experiment;
use crate::ledger::LedgerError;
use crate::run::{Fold, RunFiles};

/// The results of a match or a sequential test.
pub(crate) struct MatchReport {
    files: RunFiles,
    pub(crate) facts: RunFacts,
}

impl MatchReport {
    /// Of a run whose experiment has absorbed what `fold` holds.
    ///
    /// # Errors
    /// If the ledger cannot be read.
    pub(crate) fn new<E: Experiment>(files: RunFiles, fold: &Fold<E>) -> Result<Self, LedgerError> {
        let facts = RunFacts::new(&files, fold)?;
        Ok(Self { files, facts })
    }

    /// The run's files.
    pub(crate) fn run_files(&self) -> &RunFiles {
        &self.files
    }
}

impl Report for MatchReport {
    fn text(&self) -> String {
        let (results, verdict) = (results_block(&self.facts), verdict_sentence(&self.facts));
        format!("{results}\n{verdict}\n")
    }

    fn json(&self) -> anyhow::Result<String> {
        Ok(serde_json::to_string(&self.facts)?)
    }

    fn summary(&self, notes: SummaryNotes<'_>) -> String {
        summary(&self.facts, notes)
    }

    fn files(&self) -> anyhow::Result<Vec<(&'static str, String)>> {
        Ok(vec![
            (REPORT_JSON, json_file(&self.facts)?),
            (REPORT_MD, markdown(&self.facts)),
        ])
    }

    fn page(&self, inside: bool) -> anyhow::Result<Page> {
        html::run_page(&self.facts, Source::of(&self.files, inside))
    }
}
