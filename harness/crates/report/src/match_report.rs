//! The report of a match or a sequential test.

use super::facts::{RunFacts, is_of_first_engine};
use super::forms::{Form, FormNumbers, FormTest};
use super::html::{self, Page, PageLocation, Source};
use super::machines::FleetFacts;
use super::summary::{as_markdown, summary};
use super::text::{results_block, verdict_sentence};
use super::timeline::Timeline;
use super::verdict::TestVerdict;
use super::{REPORT_JSON, REPORT_MD, Report, json_file};
use hone_experiment::Experiment;
use hone_run::{Fold, RunFiles};

/// The results of a match or a sequential test.
pub struct MatchReport {
    files: RunFiles,
    pub facts: RunFacts,
    course: Timeline,
}

impl MatchReport {
    /// The report of a run from the results in `fold`.
    ///
    /// # Errors
    /// If the ledger cannot be read.
    pub fn new<E: Experiment>(files: RunFiles, fold: &Fold<E>) -> anyhow::Result<Self> {
        let course = Timeline::read(&files, fold)?;
        Self::of(files, fold, course)
    }

    /// As [`MatchReport::new`], with the `course` already read.
    ///
    /// # Errors
    /// If the findings of the run's folder cannot be read.
    pub fn of<E: Experiment>(
        files: RunFiles,
        fold: &Fold<E>,
        course: Timeline,
    ) -> anyhow::Result<Self> {
        let dir = files.folder.path();
        let fleet = FleetFacts::read(dir, &files.manifest, course.workers());
        let facts = RunFacts::new(&files, fold, &course, fleet)?;
        Ok(Self {
            files,
            facts,
            course,
        })
    }

    /// The run's files.
    pub fn run_files(&self) -> &RunFiles {
        &self.files
    }
}

impl Report for MatchReport {
    fn text(&self) -> String {
        let (results, verdict) = (results_block(&self.facts), verdict_sentence(&self.facts));
        format!("{results}\n{verdict}\n")
    }

    fn json(&self) -> anyhow::Result<String> {
        Ok(serde_json::to_string(&self.facts.json)?)
    }

    fn withheld(&self) -> Option<TestVerdict> {
        self.facts.withheld
    }

    fn form(&self, form: Form) -> Option<String> {
        if !is_of_first_engine(&self.files.manifest) {
            return None;
        }
        let numbers = FormNumbers {
            limit: &self.facts.limit,
            wdl: self.facts.wdl,
            pentanomial: self.facts.pentanomial,
            test: self.facts.sprt.as_ref().map(|test| FormTest {
                llr: test.llr,
                bounds: [test.lower, test.upper],
                elos: [test.elo0, test.elo1],
            }),
        };
        Some(numbers.text(form))
    }

    fn summary(&self, resume: Option<&str>) -> String {
        summary(&self.facts, resume)
    }

    fn files(&self) -> anyhow::Result<Vec<(&'static str, String)>> {
        Ok(vec![
            (REPORT_JSON, json_file(&self.facts.json)?),
            (REPORT_MD, as_markdown(&self.facts.run, &self.text())),
        ])
    }

    fn page(&self, place: PageLocation) -> anyhow::Result<Page> {
        html::run_page(&self.facts, &self.course, Source::of(&self.files, place))
    }
}
