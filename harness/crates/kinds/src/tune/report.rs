//! The report of a tuning.

use serde_json::{Map, Value, json};

use super::facts::TuneFacts;
use super::page::{Content, html};
use super::{pictures, tested, values_csv};
use hone_experiment::tune::TuneExperiment;
use hone_report::html::{Page, PageLocation, Source};
use hone_report::{
    MatchReport, REPORT_JSON, Report, TestVerdict, counted, escape_markdown, evidence_findings,
    fenced, json_file, to_resume,
};
use hone_run::{Fold, RunFiles};
use hone_stats::detect::Finding;

/// The values to copy, in the run's folder.
const VALUES: &str = "values.txt";
/// The values over time.
const VALUES_CSV: &str = "values.csv";

/// The results of a tuning.
pub struct TuneReport {
    pub(super) files: RunFiles,
    experiment: TuneExperiment,
    pub(super) facts: TuneFacts,
    /// Reasons why the games are weak evidence.
    findings: Vec<Finding>,
    repeated_pairs: u64,
    distinct_games: u64,
    /// The test of the tuned values against the start.
    pub(super) verification: Option<MatchReport>,
}

impl TuneReport {
    /// The report of the run whose results `fold` has absorbed, and of its verifying test if
    /// that has been started.
    ///
    /// # Errors
    /// If the findings of the run's folder cannot be read.
    pub(super) fn new(
        files: RunFiles,
        fold: Fold<TuneExperiment>,
        verification: Option<MatchReport>,
    ) -> anyhow::Result<Self> {
        let Fold {
            mut experiment,
            tally,
            ..
        } = fold;
        experiment.conclude();
        let section = files.manifest.config.tune.clone().unwrap_or_default();
        Ok(Self {
            facts: TuneFacts::of(&experiment, &section),
            verification,
            findings: evidence_findings(&files, &tally)?,
            repeated_pairs: tally.repeated_pairs,
            distinct_games: tally.distinct_games,
            files,
            experiment,
        })
    }

    fn object(&self) -> anyhow::Result<Map<String, Value>> {
        let verify = match &self.verification {
            Some(test) => serde_json::to_value(&test.facts.json)?,
            None => Value::Null,
        };
        let mut object = self.facts.json();
        object.insert("finished".into(), json!(self.facts.is_finished()));
        object.insert("run".into(), json!(self.files.folder.name()));
        object.insert("kind".into(), json!(self.files.manifest.kind));
        object.insert("repeated_pairs".into(), json!(self.repeated_pairs));
        object.insert("distinct_games".into(), json!(self.distinct_games));
        object.insert("findings".into(), json!(self.findings));
        object.insert("verify".into(), verify);
        Ok(object)
    }

    /// The result of the verifying test in words, if it has been started.
    fn tested(&self) -> Option<String> {
        let test = self.verification.as_ref()?;
        Some(tested::finding(&test.facts, self.files.folder.path()))
    }

    /// The values to copy, after a comment about their test.
    fn values(&self) -> String {
        format!("# {}\n\n{}", self.status(), self.facts.exports_file())
    }

    fn status(&self) -> String {
        let facts = &self.facts;
        if !facts.is_finished() {
            return format!(
                "NOT FINAL: {} of {}",
                facts.pairs,
                counted(facts.planned, "pair")
            );
        }
        match (&self.verification, self.tested()) {
            (Some(test), Some(finding)) => match test.facts.verdict {
                TestVerdict::None => format!("undecided test: {}", tested::standing(&test.facts)),
                TestVerdict::H0 | TestVerdict::H1 => finding,
            },
            _ if !facts.is_changed() => format!("{}.", tested::UNCHANGED),
            _ => "not tested".to_string(),
        }
    }
}

impl Report for TuneReport {
    fn text(&self) -> String {
        let mut text = self.facts.text();
        if !self.facts.is_finished() {
            text += "Not all pairs are played: these values are not final.\n";
        }
        for finding in &self.findings {
            text += &format!("{}\n", finding.sentence());
        }
        let path = self.files.folder.path().join(VALUES);
        if path.exists() {
            text += &format!("The values to copy are in {}.\n", path.display());
        }
        if let (Some(test), Some(finding)) = (&self.verification, self.tested()) {
            text += &format!("\n{}{finding}\n", test.text());
        }
        text
    }

    fn json(&self) -> anyhow::Result<String> {
        Ok(serde_json::to_string(&self.object()?)?)
    }

    fn summary(&self, resume: Option<&str>) -> String {
        let name = escape_markdown(&self.files.folder.name());
        format!(
            "# {name}\n\n{}\n{}",
            fenced(&self.text()),
            to_resume(resume)
        )
    }

    fn files(&self) -> anyhow::Result<Vec<(&'static str, String)>> {
        let mut files = vec![
            (REPORT_JSON, json_file(&self.object()?)?),
            (VALUES, self.values()),
            (VALUES_CSV, values_csv::table(&self.experiment)?),
        ];
        let paths = pictures::file(&pictures::paths(&self.experiment))?;
        files.extend(paths.map(|text| ("paths.svg", text)));
        let responses = pictures::file(&pictures::responses(&self.facts))?;
        files.extend(responses.map(|text| ("responses.svg", text)));
        Ok(files)
    }

    fn page(&self, place: PageLocation) -> anyhow::Result<Page> {
        html(Content {
            experiment: &self.experiment,
            facts: &self.facts,
            findings: &self.findings,
            test: self.verification.as_ref(),
            source: Source::of(&self.files, place),
        })
    }
}
