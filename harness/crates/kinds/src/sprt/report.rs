//! The report of a sequential test, or of several in a row.

use std::path::Path;

use serde_json::{Value, json};

use super::SequentialTest;
use hone_experiment::Experiment;
use hone_report::html::{Page, PageLocation};
use hone_report::{
    Form, MatchReport, REPORT_JSON, REPORT_MD, Report, StageFacts, TestVerdict, as_markdown,
    json_file, limits,
};
use hone_run::{BookIdentity, EarlierRun, Fold, Manifest, RunFiles};
use hone_run::{stage_folder_name, started_stages};

/// The results of a sequential test with its stages.
pub struct TestReport {
    /// The first stage, or the only test.
    first: MatchReport,
    /// The later stages that have been started.
    later: Vec<MatchReport>,
}

impl TestReport {
    /// The report of the run whose results `fold` has absorbed.
    ///
    /// # Errors
    /// If a ledger cannot be read.
    pub(super) fn read(files: RunFiles, fold: &Fold<impl Experiment>) -> anyhow::Result<Self> {
        let folders = started_stages(&files.manifest, files.folder.path());
        let later = folders.iter().map(|dir| SequentialTest::read(dir));
        let mut report = Self {
            first: MatchReport::new(files, fold)?,
            later: later.collect::<anyhow::Result<_>>()?,
        };
        report.describe_stages();
        Ok(report)
    }

    /// The results of the first stage, or of the only test.
    pub(crate) fn into_first(self) -> MatchReport {
        self.first
    }

    pub(super) fn manifest(&self) -> &Manifest {
        &self.first.run_files().manifest
    }

    pub(super) fn dir(&self) -> &Path {
        self.first.run_files().folder.path()
    }

    /// The books with which the stages so far were played.
    pub(super) fn books(&self) -> Vec<BookIdentity> {
        let books = self.runs().map(|run| run.run_files().manifest.book.clone());
        books.flatten().collect()
    }

    /// Whether all stages before `index` have accepted H1.
    pub(super) fn has_passed(&self, index: usize) -> bool {
        let mut verdicts = self.runs().map(|run| run.facts.verdict);
        (0..index).all(|_| verdicts.next() == Some(TestVerdict::H1))
    }

    /// The pairs, with those left out, of the stages before `index`.
    pub(super) fn judged_before(&self, index: usize) -> u64 {
        self.runs().take(index).map(|run| run.facts.judged).sum()
    }

    /// The stages before `index`, from the folder of stage `index`.
    pub(super) fn runs_before(&self, index: usize) -> Vec<EarlierRun> {
        let before = self.runs().take(index).enumerate();
        before
            .map(|(number, run)| EarlierRun {
                folder: match number {
                    0 => "..".into(),
                    _ => format!("../{}", stage_folder_name(number)).into(),
                },
                pairs: run.facts.absorbed,
            })
            .collect()
    }

    /// Replaces the results of a stage after the first.
    pub(super) fn set_stage(&mut self, index: usize, report: MatchReport) {
        self.later.truncate(index - 1);
        self.later.push(report);
        self.describe_stages();
    }

    fn runs(&self) -> impl Iterator<Item = &MatchReport> {
        std::iter::once(&self.first).chain(&self.later)
    }

    fn last(&self) -> &MatchReport {
        self.later.last().unwrap_or(&self.first)
    }

    /// The verdict of all stages together.
    fn verdict(&self) -> TestVerdict {
        let last = self.last().facts.verdict;
        match last {
            TestVerdict::H1 if self.runs().count() < self.manifest().config.stage.len() => {
                TestVerdict::None
            }
            verdict => verdict,
        }
    }

    /// Whether no stage is left to play.
    fn is_finished(&self) -> bool {
        let last = &self.last().facts;
        last.is_finished && last.verdict == self.verdict()
    }

    fn is_staged(&self) -> bool {
        self.manifest().config.stage.len() > 1
    }

    /// Adds all stages to the facts of the first, for its page.
    fn describe_stages(&mut self) {
        if !self.is_staged() {
            return;
        }
        let first = &self.manifest().config;
        let later = first.later_stages();
        let configs = std::iter::once(first).chain(&later);
        let rows = configs.enumerate().map(|(index, config)| {
            let test = config.sprt.unwrap_or_default();
            let run = self.runs().nth(index);
            StageFacts {
                words: first.stage_words(index),
                limit: limits(config),
                bounds: [test.elo0, test.elo1],
                is_started: run.is_some(),
                verdict: run.map_or(TestVerdict::None, |run| run.facts.verdict),
                pairs: run.map_or(0, |run| run.facts.pairs),
            }
        });
        let rows: Vec<StageFacts> = rows.collect();
        self.first.facts.stages = rows;
    }

    /// The result of all stages.
    fn sentence(&self) -> String {
        let words = self.manifest().config.stage_words(self.later.len());
        if let Some(withheld) = self.last().facts.withheld {
            return format!("Verdict withheld: {words} ended with {withheld}, but has findings.");
        }
        match (self.last().facts.verdict, self.verdict()) {
            (TestVerdict::H0, _) => format!("The change failed: {words} accepted H0."),
            (_, TestVerdict::H1) => "The change passed: all stages accepted H1.".to_string(),
            (TestVerdict::H1, _) => {
                let next = self.manifest().config.stage_words(self.later.len() + 1);
                format!("No verdict yet: {next} has not started.")
            }
            _ => format!("No verdict: {words} has not decided."),
        }
    }

    /// The facts of the last stage that has been started, with the name and the verdict of
    /// the whole run, and the facts of all stages.
    fn object(&self) -> anyhow::Result<Value> {
        if !self.is_staged() {
            return Ok(serde_json::to_value(&self.first.facts.json)?);
        }
        let mut object = serde_json::to_value(&self.last().facts.json)?;
        object["run"] = json!(self.first.facts.run);
        object["verdict"] = json!(self.verdict());
        object["finished"] = json!(self.is_finished());
        object["stage"] = json!(self.later.len() + 1);
        let stages = self.runs().map(|run| serde_json::to_value(&run.facts.json));
        object["stages"] = stages.collect::<Result<Vec<_>, _>>()?.into();
        Ok(object)
    }
}

impl Report for TestReport {
    fn text(&self) -> String {
        if !self.is_staged() {
            return self.first.text();
        }
        let config = &self.manifest().config;
        let stages = self.runs().enumerate().map(|(index, run)| {
            let mut words = config.stage_words(index);
            words.replace_range(..1, "S");
            format!("{words}\n{}\n", run.text())
        });
        stages.collect::<String>() + &self.sentence() + "\n"
    }

    fn json(&self) -> anyhow::Result<String> {
        if !self.is_staged() {
            return self.first.json();
        }
        Ok(serde_json::to_string(&self.object()?)?)
    }

    fn withheld(&self) -> Option<TestVerdict> {
        self.last().facts.withheld
    }

    /// Like the JSON, that of the last stage that has been started.
    fn form(&self, form: Form) -> Option<String> {
        self.last().form(form)
    }

    fn summary(&self, resume: Option<&str>) -> String {
        let last = self.last().summary(resume);
        if !self.is_staged() {
            return last;
        }
        let heading = match self.verdict() {
            TestVerdict::H1 => "passed",
            TestVerdict::H0 => "failed",
            TestVerdict::None => "no decision",
        };
        format!(
            "# hone: {heading}\n\n{}\n\nThe last stage that was played:\n\n{last}",
            self.sentence()
        )
    }

    fn files(&self) -> anyhow::Result<Vec<(&'static str, String)>> {
        if !self.is_staged() {
            return self.first.files();
        }
        let markdown = as_markdown(&self.first.facts.run, &self.text());
        Ok(vec![
            (REPORT_JSON, json_file(&self.object()?)?),
            (REPORT_MD, markdown),
        ])
    }

    fn page(&self, place: PageLocation) -> anyhow::Result<Page> {
        let mut page = self.first.page(place)?;
        if self.is_staged() {
            let words = self.manifest().config.stage_words(0);
            let lead = format!(
                "{}\nUnless another stage is named, the numbers and games on this page are those of \
                 {words}.",
                self.sentence()
            );
            page.lead(&lead, self.verdict().into());
        }
        Ok(page)
    }
}
