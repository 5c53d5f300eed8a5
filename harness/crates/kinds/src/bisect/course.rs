//! The probabilities over the pairs of a bisection, as a chart.

use maud::Markup;

use super::facts::BisectFacts;
use hone_builds::short_id;
use hone_experiment::bisect::TimelinePoint;
use hone_report::chart::{Chart, Level, Line, Reading, Ticks};
use hone_report::html::{Paint, figure};
use hone_report::probability;

/// The colours of the most probable commits.
const COLOURS: [Paint; 4] = [Paint::Bad, Paint::First, Paint::Second, Paint::Good];

/// The chart with its legend; empty before the first batch.
///
/// # Errors
/// If the chart cannot be drawn.
pub(super) fn section(facts: &BisectFacts) -> anyhow::Result<Markup> {
    let timeline = &facts.timeline;
    let Some(last) = timeline.last().filter(|_| timeline.len() > 1) else {
        return Ok(Markup::default());
    };
    let commits = facts.most_probable(COLOURS.len());
    let names = commits.iter().map(|(_, one)| short_id(&one.commit));
    let names: Vec<&str> = names.chain(["nothing changed"]).collect();
    let columns: Vec<usize> = commits.iter().map(|(at, _)| *at).chain([0]).collect();
    let paints = COLOURS.iter().copied().take(commits.len());
    let paints: Vec<Paint> = paints.chain([Paint::Faint]).collect();
    let lines = columns.iter().zip(&paints).map(|(column, paint)| Line {
        paint: *paint,
        points: line(timeline, *column),
    });
    let chart = Chart {
        label: format!(
            "The probability of the {} most probable commits over {} pairs, and that nothing \
             changed.",
            commits.len(),
            last.pairs
        ),
        x_title: "pairs",
        y_title: "%",
        x_ticks: Ticks::Whole,
        x: (0.0, last.pairs.max(1) as f64),
        y: (0.0, 100.0),
        levels: vec![Level {
            paint: Paint::Faint,
            y: 100.0 * facts.threshold,
        }],
        lines: lines.collect(),
        readings: timeline
            .iter()
            .map(|point| reading(point, &columns, &names))
            .collect(),
        ..Chart::default()
    };
    let legend: Vec<(Paint, &str)> = paints.into_iter().zip(names).collect();
    figure(&chart, &legend)
}

fn share(point: &TimelinePoint, column: usize) -> f64 {
    let share = point.probabilities.get(column).copied();
    f64::from(share.unwrap_or_default())
}

fn line(timeline: &[TimelinePoint], column: usize) -> Vec<(f64, f64)> {
    let points = timeline.iter();
    points
        .map(|point| (point.pairs as f64, 100.0 * share(point, column)))
        .collect()
}

fn reading(point: &TimelinePoint, columns: &[usize], names: &[&str]) -> Reading {
    let texts = columns.iter().zip(names);
    let texts =
        texts.map(|(column, name)| format!("{name}: {}", probability(share(point, *column), 1)));
    Reading {
        x: point.pairs as f64,
        text: format!(
            "after {} pairs\n{}",
            point.pairs,
            texts.collect::<Vec<_>>().join("\n")
        ),
    }
}
