//! The report of a bisection.

use super::facts::BisectFacts;
use super::page::html;
use hone_experiment::bisect::BisectExperiment;
use hone_report::html::{Page, PageLocation, Source};
use hone_report::{REPORT_JSON, REPORT_MD, Report, json_file, to_resume};
use hone_run::{Fold, RunFiles};

/// The results of a bisection.
pub struct BisectReport {
    files: RunFiles,
    facts: BisectFacts,
}

impl BisectReport {
    /// The report of the run whose results `fold` has absorbed.
    ///
    /// # Errors
    /// If the ledger cannot be read.
    pub(super) fn new(files: RunFiles, fold: &Fold<BisectExperiment>) -> anyhow::Result<Self> {
        let facts = BisectFacts::of(&files, fold)?;
        Ok(Self { files, facts })
    }
}

impl Report for BisectReport {
    fn text(&self) -> String {
        format!("{}\n{}\n", self.facts.table(), self.facts.sentence())
    }

    fn json(&self) -> anyhow::Result<String> {
        Ok(serde_json::to_string(&self.facts)?)
    }

    fn summary(&self, resume: Option<&str>) -> String {
        format!("{}\n{}", self.facts.markdown(), to_resume(resume))
    }

    fn files(&self) -> anyhow::Result<Vec<(&'static str, String)>> {
        Ok(vec![
            (REPORT_JSON, json_file(&self.facts)?),
            (REPORT_MD, self.facts.markdown()),
        ])
    }

    fn page(&self, place: PageLocation) -> anyhow::Result<Page> {
        html(&self.facts, Source::of(&self.files, place))
    }
}
