//! `hone calc elo`: Elo of a match of fixed length.

use std::fmt::Write as _;

use clap::Args;
use serde::Serialize;

use super::counts::CountsArgs;
use crate::cli::{Exit, Failure};
use crate::stats::{Estimate, Summary};

/// Elo, normalized Elo, LOS and ratios of a match of fixed length
#[derive(Debug, Args)]
pub(super) struct Elo {
    #[command(flatten)]
    counts: CountsArgs,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Serialize)]
struct Output {
    #[serde(flatten)]
    summary: Summary,
    wl_dd_ratio: Option<f64>,
}

impl Elo {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let output = Output {
            summary: Summary::new(self.counts.counts()),
            wl_dd_ratio: self.counts.wl_dd_ratio(),
        };
        if self.json {
            println!("{}", serde_json::to_string(&output)?);
        } else {
            print!("{}", table(&output));
        }
        Ok(Exit::Done)
    }
}

fn table(output: &Output) -> String {
    let summary = &output.summary;
    let mut text = String::new();
    let mut row = |name: &str, value: String| {
        writeln!(text, "{name:<12} {value}").expect("writing to a string succeeds");
    };
    row(
        "Score",
        number(summary.score.map(|score| 100.0 * score), " %"),
    );
    row("Elo", interval(summary.elo));
    row("nElo", interval(summary.nelo));
    row("LOS", number(summary.los.map(|los| 100.0 * los), " %"));
    row(
        "Draw ratio",
        number(summary.draw_ratio.map(|ratio| 100.0 * ratio), " %"),
    );
    row("Pair ratio", number(summary.pair_ratio, ""));
    row("WL/DD ratio", number(output.wl_dd_ratio, ""));
    text
}

fn number(value: Option<f64>, unit: &str) -> String {
    value.map_or_else(
        || "not defined".to_owned(),
        |value| format!("{value:.2}{unit}"),
    )
}

fn interval(estimate: Option<Estimate>) -> String {
    estimate.map_or_else(
        || "not defined".to_owned(),
        |e| {
            let half = e.half_width();
            format!(
                "{:.2} +/- {half:.2} [{:.2}, {:.2}] (95 %)",
                e.estimate, e.low, e.high
            )
        },
    )
}
