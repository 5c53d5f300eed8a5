//! Distributions of the times and depths of moves.

use maud::{Markup, html};

use super::bins::Bins;
use super::markup::{figure, paragraph, pictures};
use super::table::Table;
use crate::chart::{Band, Chart, Line, Paint, Reading, Ticks};
use crate::effort::{Histogram, MoveHistograms};
use crate::facts::RunFacts;

/// Most engines in a chart.
const SHOWN: usize = 2;

/// A quantity with a distribution.
struct Quantity {
    title: &'static str,
    unit: &'static str,
    pick: fn(&MoveHistograms) -> &Histogram,
    /// Share of the moves (0 to 1) that the chart shows.
    shown: f64,
    /// Bins from the first to the last value.
    bins: fn(u64, u64) -> Bins,
    /// Whether the unit is written before the number, and the number of a bin of one value
    /// below the middle of the bin.
    is_count: bool,
}

const TIME: Quantity = Quantity {
    title: "Time of a move",
    unit: "ms",
    pick: |engine| &engine.ms,
    shown: 1.0,
    bins: Bins::growing,
    is_count: false,
};

const DEPTH: Quantity = Quantity {
    title: "Depth of a move",
    unit: "depth",
    pick: |engine| &engine.depth,
    // Without the last 0.5 %: a few very large depths, as after a mate, would squeeze the rest.
    shown: 0.995,
    bins: Bins::each,
    is_count: true,
};

/// Charts and tables of `moves`, from the comments of the games; without comments, of
/// `means`, the means of each game in the ledger.
pub(super) fn section(
    moves: &[MoveHistograms],
    facts: &RunFacts,
    means: &[MoveHistograms],
) -> anyhow::Result<Markup> {
    let names: Vec<&str> = facts.engines.iter().map(|e| e.name.as_str()).collect();
    let has_comments = moves.iter().any(|engine| engine.ms.total() > 0);
    let (engines, unit, origin) = if has_comments {
        (moves, "moves", "From every move's comment in games.pgn.")
    } else {
        (
            means,
            "games",
            "Means of each game, from games.csv: a live page does not read the comments in games.pgn, and with [pgn] minimal = true there are none.",
        )
    };
    if engines.iter().all(|engine| engine.ms.total() == 0) {
        return Ok(paragraph("No moves yet."));
    }
    let quantities = [TIME, DEPTH];
    let figures: Vec<Markup> = quantities
        .iter()
        .map(|quantity| quantity.figure(unit, &names, engines))
        .collect::<anyhow::Result<_>>()?;
    Ok(html! {
        (paragraph(origin))
        (pictures(&figures))
        @for quantity in &quantities { (quantity.table(unit, &names, engines).collapsed()) }
    })
}

impl Quantity {
    /// Histograms of the first engines.
    fn figure(
        &self,
        unit: &str,
        names: &[&str],
        engines: &[MoveHistograms],
    ) -> anyhow::Result<Markup> {
        let both: Vec<(&str, &Histogram)> = names
            .iter()
            .zip(engines)
            .take(SHOWN)
            .map(|(name, engine)| (*name, (self.pick)(engine)))
            .filter(|(_, counts)| counts.total() > 0)
            .collect();
        let end = |q| {
            both.iter()
                .filter_map(move |(_, counts)| counts.quantile(q))
        };
        let first = end(0.0).min().unwrap_or(0);
        let last = end(self.shown).max().unwrap_or(0);
        let bins = (self.bins)(first, last);
        let shares: Vec<Vec<f64>> = both.iter().map(|(_, c)| shares(c, &bins)).collect();
        let top = shares
            .iter()
            .flatten()
            .fold(0.0, |top: f64, share| top.max(*share));
        let paints = [Paint::First, Paint::Second];
        let outlines = || shares.iter().map(|shares| outline(shares)).zip(paints);
        let y_title = format!("% of {unit}");
        let chart = Chart {
            label: self.label(unit, &both, last),
            title: self.title.to_string(),
            x_title: self.unit,
            y_title: &y_title,
            x: (0.0, bins.count() as f64),
            y: (0.0, (top * 1.08).max(1.0)),
            x_ticks: self.ticks(&bins),
            bands: outlines()
                .map(|(points, paint)| Band {
                    paint,
                    points: points.into_iter().map(|(x, y)| (x, 0.0, y)).collect(),
                })
                .collect(),
            lines: outlines()
                .map(|(points, paint)| Line { paint, points })
                .collect(),
            readings: self.readings(&bins, &both, &shares),
            ..Chart::default()
        };
        let legend: Vec<(Paint, &str)> = paints
            .into_iter()
            .zip(both.iter().map(|(name, _)| *name))
            .collect();
        figure(&chart, &legend)
    }

    /// The caption; `last` is the last value of the chart.
    fn label(&self, unit: &str, both: &[(&str, &Histogram)], last: u64) -> String {
        let medians: Vec<String> = both
            .iter()
            .filter_map(|(name, counts)| Some(format!("{name} {}", counts.quantile(0.5)?)))
            .collect();
        let mut label = format!("{}: median {}.", self.title, medians.join(", "));
        let greatest = both.iter().filter_map(|(_, counts)| counts.quantile(1.0));
        if greatest.max().is_some_and(|greatest| last < greatest) {
            let percent = 100.0 * self.shown;
            label += &format!(" The chart shows values up to {last}: {percent} % of all {unit}.");
        }
        label
    }

    fn ticks(&self, bins: &Bins) -> Ticks {
        let is_centred = self.is_count && bins.are_single();
        let shift = if is_centred { 0.5 } else { 0.0 };
        let count = bins.edges().len() - usize::from(is_centred);
        let edges = bins.edges().iter().take(count).enumerate();
        Ticks::Named(
            edges
                .map(|(at, edge)| (at as f64 + shift, edge.to_string()))
                .collect(),
        )
    }

    fn readings(
        &self,
        bins: &Bins,
        both: &[(&str, &Histogram)],
        shares: &[Vec<f64>],
    ) -> Vec<Reading> {
        let reading = |bin: usize| {
            let numbers = match bins.ends(bin) {
                (first, last) if first == last => first.to_string(),
                (first, last) => format!("{first} to {last}"),
            };
            let mut text = if self.is_count {
                format!("{} {numbers}", self.unit)
            } else {
                format!("{numbers} {}", self.unit)
            };
            for ((name, _), shares) in both.iter().zip(shares) {
                text += &format!("\n{name}: {:.1} %", shares[bin]);
            }
            Reading {
                x: bin as f64 + 0.5,
                text,
            }
        };
        (0..bins.count()).map(reading).collect()
    }

    fn table(&self, unit: &str, names: &[&str], engines: &[MoveHistograms]) -> Table {
        let head = ["engine", unit, "10 %", "median", "90 %", "99 %", "maximum"];
        let caption = if self.is_count {
            format!("{}: quantiles", self.title)
        } else {
            format!("{}: quantiles, in {}", self.title, self.unit)
        };
        let mut table = Table::new(&caption, &head);
        for (name, engine) in names.iter().zip(engines) {
            let counts = (self.pick)(engine);
            let mut row = vec![(*name).to_string(), counts.total().to_string()];
            row.extend([0.1, 0.5, 0.9, 0.99, 1.0].map(|q| {
                let value = counts.quantile(q);
                value.map_or("–".to_string(), |value| value.to_string())
            }));
            table.row(&row);
        }
        table
    }
}

/// The percentage of the values in each bin.
fn shares(counts: &Histogram, bins: &Bins) -> Vec<f64> {
    let mut shares = vec![0.0; bins.count()];
    for (value, count) in counts.iter() {
        if let Some(bin) = bins.of(value) {
            shares[bin] += 100.0 * count as f64 / counts.total() as f64;
        }
    }
    shares
}

/// The outline of bins of width 1, the first from 0 to 1.
fn outline(shares: &[f64]) -> Vec<(f64, f64)> {
    let mut points = vec![(0.0, 0.0)];
    for (bin, share) in shares.iter().enumerate() {
        points.extend([(bin as f64, *share), (bin as f64 + 1.0, *share)]);
    }
    points.push((shares.len() as f64, 0.0));
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(values: &[u64]) -> Histogram {
        let mut counts = Histogram::default();
        values.iter().for_each(|value| counts.add(*value));
        counts
    }

    #[test]
    fn an_outline_has_a_step_for_each_bin() {
        let shares = shares(&counts(&[1, 2, 2, 4]), &Bins::each(1, 4));
        assert_eq!(shares, [25.0, 50.0, 0.0, 25.0]);
        let outline = outline(&shares[..2]);
        assert_eq!(
            outline,
            [
                (0.0, 0.0),
                (0.0, 25.0),
                (1.0, 25.0),
                (1.0, 50.0),
                (2.0, 50.0),
                (2.0, 0.0)
            ]
        );
    }

    #[test]
    fn one_and_two_milliseconds_are_neighbours() {
        let bins = Bins::growing(0, 2);
        assert_eq!(shares(&counts(&[0, 1, 1, 2]), &bins), [25.0, 50.0, 25.0]);
    }

    #[test]
    fn depths_are_written_below_the_middle_of_their_bins() {
        let Ticks::Named(ticks) = DEPTH.ticks(&Bins::each(4, 5)) else {
            panic!("depths are named");
        };
        assert_eq!(ticks, [(0.5, "4".to_string()), (1.5, "5".to_string())]);
    }

    #[test]
    fn a_chart_of_all_values_is_not_called_cut_off() {
        let mut few = counts(&[3; 500]);
        let caption = |counts: &Histogram| {
            let last = counts.quantile(DEPTH.shown).unwrap_or_default();
            DEPTH.label("games", &[("a", counts)], last)
        };
        few.add(4);
        let cut_off = "Depth of a move: median a 3. The chart shows values up to 3: 99.5 % of \
                       all games.";
        assert_eq!(caption(&few), cut_off);
        let all = counts(&[3, 3, 4]);
        assert_eq!(caption(&all), "Depth of a move: median a 3.");
    }

    /// Engines may report any depth, and a chart has points for each bin.
    #[test]
    fn huge_depths_share_bins() {
        let depths = MoveHistograms {
            depth: counts(&[9, 4_294_967_295]),
            ..MoveHistograms::default()
        };
        let figure = DEPTH.figure("moves", &["wild"], &[depths]);
        let figure = figure.expect("a figure").into_string();
        assert!(figure.len() < 50_000, "{} bytes", figure.len());
        assert!(figure.contains("depth 8 to 9"), "{figure}");
    }
}
