//! `hone calc sprt`: a sequential test of counts.

use anyhow::anyhow;
use clap::Args;
use serde::Serialize;

use super::counts::CountsArgs;
use super::sprt_args::SprtArgs;
use super::text::{Lines, elo, interval, los, needed, number, supported};
use crate::cli::{Exit, Failure};
use hone_base::outln;
use hone_stats::sprt::{SprtConfig, SprtEstimate, average_of_betting, stopped};
use hone_stats::summary::{Interval, is_enough};
use hone_stats::{Counts, Estimate, Model, Summary, Wdl, llr, plan};

/// Distance of the LLR beyond a bound from which the test must have continued after its
/// decision: more than one pair adds in a usual test.
const FAR_BEYOND: f64 = 1.0;

const BIASED: &str = "An SPRT stops at extreme scores, so the plain Elo is biased away from the \
    middle of its bounds";

/// The sequential test of a match, with the estimate after it
#[derive(Debug, Args)]
pub(super) struct SprtCommand {
    #[command(flatten)]
    counts: CountsArgs,
    #[command(flatten)]
    test: SprtArgs,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Serialize)]
struct Output {
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
fn notes_on_estimate(sprt_elo: Option<SprtEstimate>, is_far_beyond: bool) -> Vec<String> {
    if sprt_elo.is_none() {
        let lacking = "The usual interval, nElo, LOS and the estimates after SPRT";
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

/// The LLR; for the betting model the average over all orders. `None` if it is not finite.
fn llr_of(config: &SprtConfig, counts: Counts, games: Option<Wdl>) -> Result<Option<f64>, Failure> {
    let (elo0, elo1) = (config.elo0, config.elo1);
    let value = match (config.model, counts, games) {
        (Model::Betting, Counts::Pentanomial(pairs), _) => average_of_betting(config, &pairs),
        // The betting test assumes the variance of a pair before there are results.
        (Model::Betting, Counts::Wdl(_), _) => {
            return Err(anyhow!(
                "cannot compute a betting test of single games: it needs pairs\n\
                 help: use `--pentanomial`, or `--model normalized`"
            )
            .into());
        }
        (Model::Bayesian, Counts::Pentanomial(pairs), Some(games)) => {
            llr::bayesian_of_pairs(&pairs, &games, elo0, elo1)
        }
        (model, counts, _) => llr::llr(model, counts, elo0, elo1),
    };
    Ok(Some(value).filter(|value| value.is_finite()))
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
        let config = self.test.config()?;
        let games = self.counts.games();
        let llr = llr_of(&config, counts, games)?;
        let (mut lower, mut upper) = config.bounds();
        if config.overshoot {
            let overshoot = plan::expected_overshoot(&config, counts);
            (lower, upper) = (lower + overshoot, upper - overshoot);
        }
        let sprt_elo = stopped::estimate(&config, counts, games).filter(|_| is_enough(counts));
        let is_far_beyond =
            llr.is_some_and(|llr| llr > upper + FAR_BEYOND || llr < lower - FAR_BEYOND);
        let summary = Summary::new(counts);
        let mut notes = notes_on_estimate(sprt_elo, is_far_beyond);
        notes.extend(self.note_on_model(config.model).map(str::to_owned));
        Ok(Output {
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
