//! The report of a tuning.

use serde_json::{Map, Value, json};

use super::outcome::Outcome;
use super::page::html;
use super::pictures;
use crate::experiment::tune::TuneExperiment;
use crate::report::html::{Page, Place, Source};
use crate::report::{
    MatchReport, REPORT_JSON, Report, SummaryNotes, TestVerdict, evidence_findings, json_file,
};
use crate::run::{Fold, RunFiles};
use crate::stats::detect::Finding;

/// The values to copy, in the run's folder.
const VALUES: &str = "values.txt";

/// The results of a tuning.
pub(crate) struct TuneReport {
    pub(super) files: RunFiles,
    experiment: TuneExperiment,
    pub(super) outcome: Outcome,
    /// What makes the games weak evidence.
    findings: Vec<Finding>,
    repeated_pairs: u64,
    distinct_games: u64,
    /// The test of the tuned values against the start.
    pub(super) verification: Option<MatchReport>,
}

impl TuneReport {
    /// Of a run whose experiment has absorbed its results, and of its verifying
    /// test if that has been started.
    pub(super) fn new(
        files: RunFiles,
        fold: Fold<TuneExperiment>,
        verification: Option<MatchReport>,
    ) -> Self {
        let Fold {
            mut experiment,
            tally,
            ..
        } = fold;
        experiment.conclude();
        let section = files.manifest.config.tune.clone().unwrap_or_default();
        Self {
            outcome: Outcome::of(&experiment, &section),
            verification,
            findings: evidence_findings(&files.manifest, &tally),
            repeated_pairs: tally.repeated_pairs,
            distinct_games: tally.distinct_games,
            files,
            experiment,
        }
    }

    fn object(&self, verify: Value) -> Map<String, Value> {
        let mut object = self.outcome.json();
        object.insert("run".into(), json!(self.files.folder.name()));
        object.insert("kind".into(), json!(self.files.manifest.kind));
        object.insert("repeated_pairs".into(), json!(self.repeated_pairs));
        object.insert("distinct_games".into(), json!(self.distinct_games));
        object.insert("findings".into(), json!(self.findings));
        object.insert("verify".into(), verify);
        object
    }
}

impl Report for TuneReport {
    fn text(&self) -> String {
        let mut text = self.outcome.text();
        let section = self.files.manifest.config.tune.as_ref();
        if section.is_some_and(|section| self.outcome.pairs < section.pairs()) {
            text += "Not all pairs are played: these values are not final.\n";
        }
        for finding in &self.findings {
            text += &format!("{}\n", finding.sentence());
        }
        if self.files.folder.path().join(VALUES).exists() {
            let path = self.files.folder.path().join(VALUES);
            text += &format!("The values to copy are in {}.\n", path.display());
        }
        if let Some(test) = &self.verification {
            text += &format!("\n{}", test.text());
            text += match test.facts.verdict {
                TestVerdict::H1 => "The engine got stronger.\n",
                TestVerdict::H0 => {
                    "The test did not find the engine stronger: keep the old values.\n"
                }
                TestVerdict::None => "",
            };
        }
        text
    }

    fn json(&self) -> anyhow::Result<String> {
        let verify = match &self.verification {
            Some(test) => serde_json::to_value(&test.facts)?,
            None => Value::Null,
        };
        Ok(serde_json::to_string(&self.object(verify))?)
    }

    fn summary(&self, _notes: SummaryNotes<'_>) -> String {
        let run = self.files.folder.name();
        format!("# {run}\n\n```text\n{}```\n", self.text())
    }

    /// The verifying test has a report of its own.
    fn files(&self) -> anyhow::Result<Vec<(&'static str, String)>> {
        let mut files = vec![
            (REPORT_JSON, json_file(&self.object(Value::Null))?),
            (VALUES, self.outcome.exports_file()),
        ];
        let paths = pictures::file(&pictures::paths(&self.experiment))?;
        files.extend(paths.map(|text| ("paths.svg", text)));
        let responses = pictures::file(&pictures::responses(&self.outcome))?;
        files.extend(responses.map(|text| ("responses.svg", text)));
        Ok(files)
    }

    fn page(&self, place: Place) -> anyhow::Result<Page> {
        let source = Source::of(&self.files, place);
        html(&self.experiment, &self.outcome, &self.findings, source)
    }
}
