//! `hone calc sprt`: a sequential test of counts.

use clap::Args;
use serde::Serialize;

use super::counts::CountsArgs;
use super::sprt_args::SprtArgs;
use super::text::{Lines, elo, interval, los, needed, number, supported};
use crate::cli::{Exit, Failure};
use hone_base::outln;
use hone_stats::definitions::Definition;
use hone_stats::sprt::{SprtEstimate, after_test};
use hone_stats::summary::{Interval, is_enough};
use hone_stats::{Counts, Estimate, Model, Wdl, plan};

/// Distance of the LLR beyond a bound from which the test must have continued after its
/// decision: more than one pair adds in a usual test.
const FAR_BEYOND: f64 = 1.0;

const BIASED: &str = "An SPRT stops at extreme scores, so the plain Elo is biased away from the \
    middle of its bounds";

const MODEL_HELP: &str = "normalized, logistic, bayesian or betting; by default that of the \
    definition: logistic for cutechess and c-chess-cli, bayesian for single games of openbench, \
    else normalized";

/// The sequential test of a match, with the estimate after it
#[derive(Debug, Args)]
#[command(mut_arg("model", |model| model.help(MODEL_HELP)))]
pub(super) struct SprtCommand {
    #[command(flatten)]
    counts: CountsArgs,
    #[command(flatten)]
    test: SprtArgs,
    /// Whose definitions to use: hone, fishtest, fastchess, openbench, cutechess or c-chess-cli
    #[arg(long, default_value_t)]
    definition: Definition,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Serialize)]
struct Output {
    definition: &'static str,
    model: Model,
    elo0: f64,
    elo1: f64,
    llr: Option<f64>,
    lower: f64,
    upper: f64,
    verdict: &'static str,
    elo: Option<Estimate>,
    /// The kind of the interval of `elo`.
    interval: Interval,
    nelo: Option<Estimate>,
    los: Option<f64>,
    sprt_elo: Option<SprtEstimate>,
    /// Notes about these numbers, one or two sentences each.
    notes: Vec<String>,
}

/// Notes about the estimate after a test, or what it needs.
fn notes_on_estimate(
    sprt_elo: Option<SprtEstimate>,
    interval: Interval,
    is_far_beyond: bool,
) -> Vec<String> {
    if sprt_elo.is_none() {
        let lacking = match interval {
            Interval::AlwaysValid => "The usual interval, nElo, LOS and the estimates after SPRT",
            // Other programs have their interval after any number of results.
            Interval::FixedLength => "The estimates after SPRT",
        };
        return vec![format!("{BIASED}."), needed(lacking)];
    }
    let mut notes = vec![format!("{BIASED}; the Elo after SPRT is median-unbiased.")];
    if is_far_beyond {
        notes.push(
            "The LLR is far beyond its bound: the interval after SPRT is that of a test that \
             stopped at the bound, however many results came after it."
                .to_owned(),
        );
    }
    notes
}

impl SprtCommand {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let output = self.evaluate()?;
        if self.json {
            outln!("{}", serde_json::to_string(&output)?);
        } else {
            self.table(&output).print();
        }
        Ok(Exit::Done)
    }

    fn evaluate(&self) -> Result<Output, Failure> {
        let counts = self.counts.counts();
        let usual = self.definition.models(counts).first().copied();
        let config = self.test.config_with(usual.unwrap_or_default())?;
        let games = self.counts.games();
        let llr = match (self.definition, counts, games) {
            (Definition::Hone | Definition::Fishtest, Counts::Pentanomial(pairs), Some(games))
                if config.model == Model::Bayesian =>
            {
                let (elo0, elo1) = (config.elo0, config.elo1);
                Some(hone_stats::llr::bayesian_of_pairs(
                    &pairs, &games, elo0, elo1,
                ))
            }
            (definition, counts, _) => definition.llr(&config, counts)?,
        };
        let (mut lower, mut upper) = config.bounds();
        if config.overshoot {
            let overshoot = plan::expected_overshoot(&config, counts);
            (lower, upper) = (lower + overshoot, upper - overshoot);
        }
        let sprt_elo = after_test::estimate(&config, counts, games).filter(|_| is_enough(counts));
        let is_far_beyond =
            llr.is_some_and(|llr| llr > upper + FAR_BEYOND || llr < lower - FAR_BEYOND);
        let summary = self.definition.summary(counts)?;
        let mut notes = notes_on_estimate(sprt_elo, summary.interval, is_far_beyond);
        notes.extend(self.note_on_model(config.model).map(str::to_owned));
        Ok(Output {
            definition: self.definition.name(),
            model: config.model,
            elo0: config.elo0,
            elo1: config.elo1,
            llr,
            lower,
            upper,
            verdict: match llr {
                Some(llr) if llr >= upper => "H1",
                Some(llr) if llr <= lower => "H0",
                _ => "none",
            },
            elo: summary.elo,
            interval: summary.interval,
            nelo: summary.nelo,
            los: summary.los,
            sprt_elo,
            notes,
        })
    }

    /// What a model assumes about the counts.
    fn note_on_model(&self, model: Model) -> Option<&'static str> {
        match model {
            Model::Bayesian if self.level_pairs_are_guessed() => Some(
                "Pairs that end 1-1 count as two draws. Six counts (LL,LD,WL,DD,WD,WW) give \
                 the exact draw Elo.",
            ),
            Model::Betting => Some(
                "The LLR depends on the order of results; this is the average over all orders.",
            ),
            _ => None,
        }
    }

    fn table(&self, output: &Output) -> Lines {
        let mut lines = Lines::default();
        let (elo0, elo1) = (output.elo0, output.elo1);
        lines.row("Test", format!("{} [{elo0}, {elo1}]", output.model));
        let (lower, upper) = (output.lower, output.upper);
        let llr = number(output.llr);
        lines.row("LLR", format!("{llr} [{lower:.2}, {upper:.2}]"));
        lines.row(
            "Verdict",
            match output.verdict {
                "none" => "none: continue",
                verdict => verdict,
            },
        );
        let is_supported = output.interval == Interval::FixedLength;
        let row = |text: String| supported(Some(text).filter(|_| is_supported));
        lines.row("Elo", elo(output.elo, output.interval));
        lines.row("nElo", row(interval(output.nelo)));
        lines.row("LOS", row(los(output.los)));
        let after = output.sprt_elo;
        lines.row(
            "Elo after SPRT",
            supported(after.map(|after| interval(Some(after.elo)))),
        );
        lines.row(
            "LOS after SPRT",
            supported(after.map(|after| los(Some(after.los)))),
        );
        lines.row("Definition", output.definition);
        for note in &output.notes {
            lines.note(note);
        }
        lines
    }

    fn level_pairs_are_guessed(&self) -> bool {
        let games: Option<Wdl> = self.counts.games();
        matches!(self.counts.counts(), Counts::Pentanomial(_)) && games.is_none()
    }
}
