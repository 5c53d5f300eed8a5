//! `hone calc elo`: Elo of a match of fixed length.

use std::num::NonZeroU32;

use clap::Args;
use serde::Serialize;

use super::counts::CountsArgs;
use super::text::{Lines, elo, interval, los, needed, number, percent, supported};
use crate::cli::args::ranges::from_one;
use crate::cli::{Exit, Failure};
use hone_base::outln;
use hone_stats::Summary;
use hone_stats::summary::Interval;

/// Elo, normalized Elo, LOS and ratios of a match of fixed length
#[derive(Debug, Args)]
pub(super) struct Elo {
    #[command(flatten)]
    counts: CountsArgs,
    /// Pairs that the match was planned with: with few pairs, the always-valid interval is then
    /// that of its report
    #[arg(
        long,
        value_name = "N",
        value_parser = from_one::<NonZeroU32>,
        conflicts_with = "wdl"
    )]
    pairs: Option<NonZeroU32>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Serialize)]
struct Output {
    #[serde(flatten)]
    summary: Summary,
    /// Ratio of pairs with one win each to pairs of two draws.
    wl_dd_ratio: Option<f64>,
}

impl Elo {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let planned = self.pairs.map(|pairs| pairs.get().into());
        let output = Output {
            summary: Summary::of_planned(self.counts.counts(), planned),
            wl_dd_ratio: self.counts.wl_dd_ratio(),
        };
        if self.json {
            outln!("{}", serde_json::to_string(&output)?);
        } else {
            table(&output).print();
        }
        Ok(Exit::Done)
    }
}

fn table(output: &Output) -> Lines {
    let summary = &output.summary;
    let mut lines = Lines::default();
    lines.row("Score", percent(summary.score));
    let is_supported = summary.interval == Interval::FixedLength;
    lines.row("Elo", elo(summary.elo, summary.interval));
    let row = |text: String| supported(Some(text).filter(|_| is_supported));
    lines.row("nElo", row(interval(summary.nelo)));
    lines.row("LOS", row(los(summary.los)));
    lines.row("Draw ratio", percent(summary.draw_ratio));
    lines.row("Pair ratio", number(summary.pair_ratio));
    lines.row("WL/DD ratio", number(output.wl_dd_ratio));
    if !is_supported {
        lines.note(&needed("The usual interval, nElo and LOS"));
    }
    lines
}
