//! `hone calc plan`: the expected length of a sequential test.

use anyhow::{Context, anyhow};
use clap::Args;
use serde::Serialize;

use super::pairs_args::PairsArgs;
use super::sprt_args::SprtArgs;
use crate::cli::{Exit, Failure};
use hone_base::diagnostic::{Advise, Diagnostic};
use hone_base::{out, outln};
use hone_report::{fixed, measured_speed};
use hone_stats::distribution::PairDistribution;
use hone_stats::plan::{self, Point};
use hone_stats::{Model, SprtConfig};

/// Pass probability and number of games of a sequential test, by true strength
#[derive(Debug, Args)]
#[command(mut_arg("model", |model| model.help("normalized, logistic or bayesian [default: normalized]")))]
pub(super) struct Plan {
    #[command(flatten)]
    pairs: PairsArgs,
    #[command(flatten)]
    test: SprtArgs,
    /// True strengths in Elo, on the model's scale; by default around the bounds
    #[arg(long, value_name = "ELO,…", value_delimiter = ',', allow_negative_numbers = true)]
    elos: Vec<f64>,
    /// Speed of the machine, to convert pairs into hours
    #[arg(long, value_name = "PAIRS", value_parser = positive)]
    pairs_per_hour: Option<f64>,
    /// Time available: find the smallest elo1 that fits
    #[arg(long, value_parser = positive)]
    hours: Option<f64>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Serialize)]
struct Output {
    model: Model,
    elo0: f64,
    elo1: f64,
    alpha: f64,
    beta: f64,
    /// A note about the assumed distribution of pairs, if none is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    assumption: Option<String>,
    points: Vec<TimedPoint>,
    /// The strength between the bounds with the longest mean duration.
    worst_case: TimedPoint,
    #[serde(skip_serializing_if = "Option::is_none")]
    affordable: Option<Affordable>,
}

#[derive(Debug, Serialize)]
struct TimedPoint {
    #[serde(flatten)]
    point: Point,
    games: f64,
    games_q95: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    hours: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hours_q95: Option<f64>,
}

impl TimedPoint {
    /// Adds the time at `speed` pairs an hour.
    fn new(point: Point, speed: Option<f64>) -> Self {
        Self {
            point,
            games: 2.0 * point.pairs,
            games_q95: 2.0 * point.pairs_q95,
            hours: speed.map(|speed| point.pairs / speed),
            hours_q95: speed.map(|speed| point.pairs_q95 / speed),
        }
    }
}

/// The test with the smallest bounds that fits into the time.
#[derive(Debug, Serialize)]
struct Affordable {
    hours: f64,
    elo0: f64,
    /// If a test in its worst case may take that long on average; `null` if no
    /// test can.
    elo1: Option<f64>,
    /// Of the widest test that was considered.
    #[serde(skip)]
    widest: f64,
}

impl Plan {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let config = self.test.config()?;
        // The formulas do not apply, because the stakes of both bets depend on the results.
        if config.model == Model::Betting {
            return Err(anyhow!(Diagnostic::new("the length of a betting test cannot be computed").help(format!("`hone calc simulate --model betting --elo0 {} --elo1 {} --elo ELO` plays such tests", config.elo0, config.elo1)))
            .into());
        }
        let base = self.pairs.base()?;
        let speed = self.speed()?;
        let output = Output {
            model: config.model,
            elo0: config.elo0,
            elo1: config.elo1,
            alpha: config.alpha,
            beta: config.beta,
            assumption: self.pairs.assumption(),
            points: self.points(&config, &base, speed)?,
            affordable: self.affordable(&config, &base, speed)?,
            worst_case: TimedPoint::new(plan::worst_case(&config, &base)?, speed),
        };
        if self.json {
            outln!("{}", serde_json::to_string(&output)?);
        } else {
            print(&output);
        }
        Ok(Exit::Done)
    }

    /// Pairs an hour, if they are given or measured.
    fn speed(&self) -> anyhow::Result<Option<f64>> {
        match (self.pairs_per_hour, self.pairs.run_folder()?) {
            (Some(speed), _) => Ok(Some(speed)),
            (None, Some(folder)) => measured_speed(&folder),
            (None, None) => Ok(None),
        }
    }

    fn points(
        &self,
        config: &SprtConfig,
        base: &PairDistribution,
        speed: Option<f64>,
    ) -> anyhow::Result<Vec<TimedPoint>> {
        let elos = if self.elos.is_empty() {
            around(config)
        } else {
            self.elos.clone()
        };
        let points = elos.into_iter().map(|elo| plan::point(config, base, elo));
        points
            .map(|point| Ok(TimedPoint::new(point?, speed)))
            .collect()
    }

    /// The narrowest test that fits into `--hours`, if they are given.
    fn affordable(
        &self,
        config: &SprtConfig,
        base: &PairDistribution,
        speed: Option<f64>,
    ) -> anyhow::Result<Option<Affordable>> {
        let Some(hours) = self.hours else {
            return Ok(None);
        };
        let speed = speed
            .context("--hours needs a speed")
            .help("give --pairs-per-hour, or --run RUN")?;
        Ok(Some(Affordable {
            hours,
            elo0: config.elo0,
            elo1: plan::affordable_elo1(config, base, hours * speed)?,
            widest: plan::widest(config),
        }))
    }
}

fn positive(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(number) if number > 0.0 && f64::is_finite(number) => Ok(number),
        _ => Err(format!("`{text}` is not a number above 0")),
    }
}

/// Thirteen strengths from one width of the bounds below them to one width above.
fn around(config: &SprtConfig) -> Vec<f64> {
    let width = config.elo1 - config.elo0;
    (-4..=8)
        .map(|i| config.elo0 + 0.25 * f64::from(i) * width)
        .collect()
}

/// The name of a model's Elo scale.
fn scale(model: Model) -> &'static str {
    match model {
        Model::Normalized => "normalized Elo (nElo)",
        Model::Bayesian => "BayesElo",
        Model::Logistic | Model::Betting => "logistic Elo",
    }
}

/// The unit of a model's strengths.
fn unit(model: Model) -> &'static str {
    match model {
        Model::Normalized => "nElo",
        Model::Bayesian => "BayesElo",
        Model::Logistic | Model::Betting => "Elo",
    }
}

fn print(output: &Output) {
    outln!(
        "SPRT [{}, {}] in {}, alpha {}, beta {}",
        output.elo0,
        output.elo1,
        scale(output.model),
        output.alpha,
        output.beta
    );
    if let Some(assumption) = &output.assumption {
        outln!("{assumption}");
    }
    let worst = &output.worst_case;
    outln!(
        "At most {:.0} games ({:.0} pairs) on average, at a true strength of {} {}.",
        worst.games,
        worst.point.pairs,
        fixed(worst.point.elo, 2),
        unit(output.model)
    );
    print_points(&output.points, unit(output.model));
    if let Some(affordable) = &output.affordable {
        print_affordable(affordable);
    }
}

fn print_points(points: &[TimedPoint], unit: &str) {
    let timed = points.iter().any(|point| point.hours.is_some());
    let hours = if timed { "     hours  95 % hours" } else { "" };
    outln!(
        "\n{:>9} {:>8} {:>10} {:>10} {:>11} {:>11}{hours}",
        format!("true {unit}"),
        "pass",
        "games",
        "pairs",
        "95 % games",
        "95 % pairs"
    );
    for TimedPoint {
        point,
        games,
        games_q95,
        hours,
        hours_q95,
    } in points
    {
        out!(
            "{:>9} {:>7.2}% {games:>10.0} {:>10.0} {games_q95:>11.0} {:>11.0}",
            fixed(point.elo, 2),
            100.0 * point.pass,
            point.pairs,
            point.pairs_q95
        );
        match (hours, hours_q95) {
            (Some(hours), Some(q95)) => outln!("{hours:>10.1} {q95:>11.1}"),
            _ => outln!(),
        }
    }
}

fn print_affordable(affordable: &Affordable) {
    let Affordable {
        hours,
        elo0,
        elo1,
        widest,
    } = affordable;
    match elo1 {
        Some(elo1) if *elo1 <= elo0 + plan::NARROWEST => {
            outln!("Even the test [{elo0}, {elo1:.2}] takes less than {hours} hours on average");
        }
        Some(elo1) => outln!(
            "Narrowest test with a mean of at most {hours} hours at its most expensive strength: [{elo0}, {elo1:.2}]"
        ),
        None => outln!(
            "No test up to [{elo0}, {}] takes {hours} hours or less on average",
            elo0 + widest
        ),
    }
}
