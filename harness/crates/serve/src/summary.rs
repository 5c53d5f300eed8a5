//! The summary of a run for the overview and the JSON.

use serde::Serialize;

use hone_experiment::Verdict;
use hone_experiment::settings::BookSource;
use hone_report::html::with_ends;
use hone_report::{
    CurrentResults, EndReason, Form, FormNumbers, FormTest, TestVerdict, WorkerFacts, first_engine,
    fixed, is_of_first_engine, limits, shown_elo,
};
use hone_run::{EngineIdentity, Kind, Manifest};
use hone_stats::{Estimate, Sprt, SprtState, Summary, forecast};

/// The state of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum State {
    /// A process plays it.
    Running,
    /// It has no verdict, and no process plays it.
    Stopped,
    Finished,
}

/// The summary of a run.
#[derive(Debug, Clone, Serialize)]
pub(super) struct RunSummary {
    pub run: String,
    /// The stage of a test whose numbers these are, in words; `None` without stages.
    #[serde(skip)]
    pub stage: Option<String>,
    pub kind: Kind,
    pub state: State,
    pub verdict: TestVerdict,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<EndReason>,
    /// Whether a sequential test has used up its budget without a decision.
    pub inconclusive: bool,
    pub created: jiff::Timestamp,
    /// Time of the last finished pair, in milliseconds since 1970.
    pub last_pair_ms: Option<i64>,
    pub engines: Vec<String>,
    /// The engines with commit and subject.
    pub descriptions: Vec<String>,
    /// The limit of all engines; if they differ, that of each, in order.
    pub limit: String,
    pub book: Option<BookSource>,
    pub pairs: u64,
    pub games: u64,
    /// Maximum number of pairs.
    pub budget: u64,
    /// Results of the first engine, like `pentanomial`, `elo`, `nelo` and `los`; `None` if it
    /// does not play in all pairs, or the pairs compare sets of values (a tuning).
    pub wdl: Option<[u64; 3]>,
    pub pentanomial: Option<[u64; 5]>,
    /// Elo as on the page of the run.
    pub elo: Option<Estimate>,
    pub nelo: Option<Estimate>,
    pub los: Option<f64>,
    pub sprt: Option<SprtState>,
    /// The result of a bisection, as text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub found: Option<String>,
    /// Games lost by a crash, a stall, an illegal move or on time.
    pub failures: u64,
    pub games_per_hour: Option<f64>,
    pub remaining: Option<Remaining>,
    /// The machines of a fleet that have played its pairs.
    #[serde(skip)]
    pub machines: Vec<WorkerFacts>,
}

/// Seconds until the end at the present speed.
#[derive(Debug, Clone, Copy, Serialize)]
pub(super) struct Remaining {
    /// Expected, with a 95 % interval; of a sequential test with enough pairs.
    pub expected: Option<Expected>,
    pub at_most: f64,
}

#[derive(Debug, Clone, Copy, Serialize)]
pub(super) struct Expected {
    pub median: f64,
    pub low: f64,
    pub high: f64,
}

/// The input of a summary besides the results.
#[derive(Debug, Clone)]
pub(super) struct Circumstances {
    pub is_running: bool,
    pub last_pair_ms: Option<i64>,
    pub pairs_per_second: Option<f64>,
    pub machines: Vec<WorkerFacts>,
}

impl RunSummary {
    /// The summary of the run with the name `run` on the live pages.
    pub(super) fn new(
        run: &str,
        manifest: &Manifest,
        results: &CurrentResults,
        circumstances: Circumstances,
    ) -> Self {
        let tally = &results.tally;
        let config = &manifest.config;
        let first = first_engine(tally);
        let summary = Summary::new(first.pentanomial);
        let elo = shown_elo(
            first.pentanomial,
            results.test.as_ref(),
            results.always_valid,
            results.verdict.is_some() && manifest.plays_as_planned(),
        );
        let rate = circumstances.pairs_per_second;
        let is_of_first = is_of_first_engine(manifest);
        let state = match results.verdict {
            Some(_) => State::Finished,
            None if circumstances.is_running => State::Running,
            None => State::Stopped,
        };
        Self {
            run: run.to_string(),
            stage: None,
            kind: manifest.kind,
            state,
            verdict: results.verdict.into(),
            reason: EndReason::of(results.verdict),
            inconclusive: results.verdict == Some(Verdict::Inconclusive),
            created: manifest.created,
            last_pair_ms: circumstances.last_pair_ms,
            engines: manifest.names(),
            descriptions: manifest
                .engines
                .iter()
                .map(EngineIdentity::description)
                .collect(),
            limit: limits(config),
            book: config.r#match.openings.file.clone(),
            pairs: tally.pairs,
            games: tally.games(),
            budget: results.budget,
            wdl: is_of_first.then_some(first.wdl.into()),
            pentanomial: is_of_first.then_some(first.pentanomial.0),
            elo: elo.filter(|_| is_of_first),
            nelo: summary.nelo.filter(|_| is_of_first),
            los: summary.los.filter(|_| is_of_first),
            sprt: results.test.as_ref().map(Sprt::state),
            found: results.found.clone(),
            failures: tally
                .engines
                .iter()
                .map(|engine| engine.failures.total())
                .sum(),
            games_per_hour: rate.map(|rate| rate * 7200.0),
            remaining: rate
                .filter(|_| state == State::Running)
                .map(|rate| remaining(results, rate)),
            machines: circumstances.machines,
        }
    }

    /// Whether it plays all its pairs, regardless of their results.
    pub(super) fn has_fixed_length(&self) -> bool {
        self.kind.has_fixed_length()
    }

    /// Whether nothing is left to resume.
    pub(super) fn is_over(&self) -> bool {
        self.state == State::Finished && self.kind.ends_with_verdict()
    }

    /// Whether a test has ended without a decision.
    pub(super) fn is_undecided(&self) -> bool {
        self.inconclusive || self.reason.is_some()
    }

    /// One sentence, for a preview or a tooltip.
    pub(super) fn sentence(&self) -> String {
        let mut text = match (self.state, self.verdict) {
            (State::Finished, TestVerdict::None) if self.is_undecided() => "Undecided".to_string(),
            (State::Finished, TestVerdict::None) => "Finished".to_string(),
            (State::Finished, verdict) => format!("{verdict} accepted"),
            (State::Running, _) => "Running".to_string(),
            (State::Stopped, _) => "Stopped".to_string(),
        };
        if let Some(test) = self.sprt {
            text += &format!(
                ": LLR {} ({:.2}, {:.2})",
                fixed(test.llr, 2),
                test.lower,
                test.upper
            );
        }
        if let Some(elo) = self.elo {
            text += &format!(", Elo {}", with_ends(elo));
        }
        if let Some(found) = &self.found {
            text += &format!(", {found}");
        }
        text + &format!(", {} games", self.games)
    }

    /// The numbers in the format of another test page; `None` if the pairs are not those of one
    /// engine.
    pub(super) fn form(&self, form: Form) -> Option<String> {
        let numbers = FormNumbers {
            limit: &self.limit,
            wdl: self.wdl?,
            pentanomial: self.pentanomial?,
            test: self.sprt.map(|test| FormTest {
                llr: test.llr,
                bounds: [test.lower, test.upper],
                elos: [test.elo0, test.elo1],
            }),
        };
        Some(numbers.text(form))
    }
}

fn remaining(results: &CurrentResults, rate: f64) -> Remaining {
    let tally = &results.tally;
    let left = results.budget.saturating_sub(tally.judged_pairs()) as f64;
    let forecast = results.test.as_ref().and_then(forecast::remaining_pairs);
    let seconds = |pairs: f64| pairs.min(left) / rate;
    Remaining {
        expected: forecast.map(|forecast| Expected {
            median: seconds(forecast.median),
            low: seconds(forecast.low),
            high: seconds(forecast.high),
        }),
        at_most: left / rate,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hone_stats::{Pentanomial, SprtConfig};

    /// A match with this result whose Elo has the always-valid interval.
    fn run(pentanomial: [u64; 5]) -> RunSummary {
        RunSummary {
            run: "run".to_string(),
            stage: None,
            kind: Kind::Match,
            state: State::Finished,
            verdict: TestVerdict::None,
            reason: None,
            inconclusive: false,
            created: jiff::Timestamp::UNIX_EPOCH,
            last_pair_ms: None,
            engines: Vec::new(),
            descriptions: Vec::new(),
            limit: "nodes=5".to_string(),
            book: None,
            pairs: 12,
            games: 24,
            budget: 12,
            wdl: Some([12, 10, 2]),
            pentanomial: Some(pentanomial),
            elo: Summary::new(Pentanomial(pentanomial)).elo,
            nelo: None,
            los: None,
            sprt: None,
            found: None,
            failures: 0,
            games_per_hour: None,
            remaining: None,
            machines: Vec::new(),
        }
    }

    #[test]
    fn a_sentence_has_the_interval_of_the_page() {
        let run = run([0, 1, 3, 5, 3]);
        let sentence = "Finished, Elo +154.1 [\u{2212}1199.8, +1199.8], 24 games";
        assert_eq!(run.sentence(), sentence);
    }

    #[test]
    fn an_llr_that_is_rounded_to_zero_has_no_sign() {
        let mut run = run([0; 5]);
        run.sprt = Some(SprtState {
            llr: -0.004,
            ..Sprt::new(SprtConfig::default()).expect("a test").state()
        });
        let sentence = "Undecided: LLR 0.00 (-2.94, 2.94), 24 games";
        run.inconclusive = true;
        assert_eq!(run.sentence(), sentence);
    }

    #[test]
    fn without_pairs_a_sentence_has_no_elo() {
        let text = run([0; 5]).sentence();
        assert!(!text.contains("Elo"), "{text}");
    }
}
