//! The probabilities over the pairs of a bisection, as a chart.

use maud::Markup;

use super::facts::{BisectFacts, Suspect};
use crate::builds::short_id;
use crate::experiment::bisect::Moment;
use crate::report::chart::{Chart, Level, Line, Reading, Ticks};
use crate::report::html::{Paint, figure};

/// The colours of the most probable commits.
const COLOURS: [Paint; 4] = [Paint::Bad, Paint::First, Paint::Second, Paint::Good];

/// How the most probable commits became so; nothing before the first batch.
///
/// # Errors
/// If the chart cannot be drawn.
pub(super) fn section(facts: &BisectFacts) -> anyhow::Result<Markup> {
    let moments = &facts.moments;
    let Some(last) = moments.last().filter(|_| moments.len() > 1) else {
        return Ok(Markup::default());
    };
    let mut commits: Vec<(usize, &Suspect)> = (1..).zip(&facts.posterior).collect();
    commits.sort_by(|(_, a), (_, b)| {
        let [a, b] = [a, b].map(|one| one.probability.unwrap_or_default());
        b.total_cmp(&a)
    });
    commits.truncate(COLOURS.len());
    let names = commits.iter().map(|(_, one)| short_id(&one.commit));
    let names: Vec<&str> = names.chain(["nothing changed"]).collect();
    let columns: Vec<usize> = commits.iter().map(|(at, _)| *at).chain([0]).collect();
    let paints = COLOURS.iter().copied().take(commits.len());
    let paints: Vec<Paint> = paints.chain([Paint::Faint]).collect();
    let lines = columns.iter().zip(&paints).map(|(column, paint)| Line {
        paint: *paint,
        points: line(moments, *column),
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
            y: 100.0 * facts.needed,
        }],
        lines: lines.collect(),
        readings: moments
            .iter()
            .map(|moment| reading(moment, &columns, &names))
            .collect(),
        ..Chart::default()
    };
    let legend: Vec<(Paint, &str)> = paints.into_iter().zip(names).collect();
    figure(&chart, &legend)
}

fn percent(moment: &Moment, column: usize) -> f64 {
    let share = moment.probabilities.get(column).copied();
    100.0 * f64::from(share.unwrap_or_default())
}

fn line(moments: &[Moment], column: usize) -> Vec<(f64, f64)> {
    let points = moments.iter();
    points
        .map(|moment| (moment.pairs as f64, percent(moment, column)))
        .collect()
}

fn reading(moment: &Moment, columns: &[usize], names: &[&str]) -> Reading {
    let texts = columns.iter().zip(names);
    let texts = texts.map(|(column, name)| format!("{name}: {:.1} %", percent(moment, *column)));
    Reading {
        x: moment.pairs as f64,
        text: format!(
            "after {} pairs\n{}",
            moment.pairs,
            texts.collect::<Vec<_>>().join("\n")
        ),
    }
}
