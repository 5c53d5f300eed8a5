//! Charts and a table of LLR and Elo over pairs.

use maud::{Markup, html};

use super::markup::{figure, paragraph, pictures};
use super::numbers::{counted, ends, real_minus, signed};
use super::table::Table;
use crate::chart::{Band, Chart, Level, Line, Paint, READINGS, Reading, Thinning, Ticks, short};
use crate::numbers::fixed;
use crate::timeline::{Trace, TracePoint};
use hone_stats::{Estimate, SprtState};

/// Most rows of the table below the charts.
const ROWS: u64 = 10;

pub(super) fn section(trace: &Trace) -> anyhow::Result<Markup> {
    let trace_points = trace.points();
    if trace_points.is_empty() {
        return Ok(paragraph("No pairs yet."));
    }
    let mut figures = vec![elo_figure(&trace_points)?];
    if trace.is_test() {
        figures.insert(0, llr_figure(&trace_points)?);
    }
    Ok(html! {
        (pictures(&figures))
        (table(&trace_points, trace.is_test()).collapsed())
    })
}

/// At most [`READINGS`] readings of a line.
fn readings<T: Copy>(points: &[(f64, T)], text: impl Fn(T) -> String) -> Vec<Reading> {
    let thinning = Thinning::new(points.len() as u64, READINGS);
    let points = (0..).zip(points).filter(|(at, _)| thinning.keeps(*at));
    points
        .map(|(_, (pairs, value))| Reading {
            x: *pairs,
            text: format!("after {}\n{}", counted(*pairs as u64, "pair"), text(*value)),
        })
        .collect()
}

fn llr_figure(trace_points: &[TracePoint]) -> anyhow::Result<Markup> {
    let tests: Vec<(f64, SprtState)> = trace_points
        .iter()
        .filter_map(|point| Some((point.pairs as f64, point.test?)))
        .collect();
    let Some((pairs, last)) = tests.last().copied() else {
        return Ok(Markup::default());
    };
    let (low, high) = range(tests.iter().flat_map(|(_, t)| [t.llr, t.lower, t.upper]));
    let line = |value: fn(&SprtState) -> f64| tests.iter().map(|(x, t)| (*x, value(t))).collect();
    let label = format!(
        "The LLR over pairs: {} after {}; its bounds are {:.2} and {:.2}.",
        fixed(last.llr, 2),
        counted(pairs as u64, "pair"),
        last.lower,
        last.upper
    );
    let label = real_minus(&label);
    let chart = Chart {
        label,
        title: "LLR".to_string(),
        x_title: "pairs",
        y_title: "LLR",
        x_ticks: Ticks::Whole,
        readings: readings(&tests, |t| format!("LLR {}", real_minus(&fixed(t.llr, 2)))),
        x: (0.0, pairs),
        y: (low, high),
        levels: vec![
            Level {
                paint: Paint::Bad,
                y: last.lower,
            },
            Level {
                paint: Paint::Good,
                y: last.upper,
            },
        ],
        lines: vec![Line {
            paint: Paint::First,
            points: line(|t| t.llr),
        }],
        ..Chart::default()
    };
    figure(
        &chart,
        &[
            (Paint::First, "LLR"),
            (Paint::Good, "upper bound: H1 is accepted"),
            (Paint::Bad, "lower bound: H0 is accepted"),
        ],
    )
}

fn elo_figure(trace_points: &[TracePoint]) -> anyhow::Result<Markup> {
    let points: Vec<(f64, Estimate)> = trace_points
        .iter()
        .filter_map(|point| Some((point.pairs as f64, point.elo?)))
        .collect();
    let Some((pairs, last)) = points.last().copied() else {
        return Ok(Markup::default());
    };
    // The interval of the first pairs is very wide: it is cut off, so that the last one, which
    // is the answer, has at least half of the height.
    let width = last.high - last.low;
    let kept = (last.low - 0.5 * width).min(0.0)..=(last.high + 0.5 * width).max(0.0);
    let all = points.iter().flat_map(|(_, e)| [e.low, e.high, 0.0]);
    let (low, high) = range(all.map(|elo| elo.clamp(*kept.start(), *kept.end())));
    let label = format!(
        "Elo over pairs: {} after {}, always-valid 95 % band from {}.",
        signed(last.estimate),
        counted(pairs as u64, "pair"),
        ends(last)
    );
    let chart = Chart {
        label,
        title: "Elo".to_string(),
        x_title: "pairs",
        y_title: "Elo",
        x_ticks: Ticks::Whole,
        readings: readings(&points, |e| {
            format!("Elo {}\n95 %: {}", signed(e.estimate), ends(e))
        }),
        x: (0.0, pairs),
        y: (low, high),
        bands: vec![Band {
            paint: Paint::First,
            points: points.iter().map(|(x, e)| (*x, e.low, e.high)).collect(),
        }],
        levels: vec![Level {
            paint: Paint::Ink,
            y: 0.0,
        }],
        lines: vec![Line {
            paint: Paint::First,
            points: points.iter().map(|(x, e)| (*x, e.estimate)).collect(),
        }],
        ..Chart::default()
    };
    figure(
        &chart,
        &[
            (
                Paint::First,
                "Elo of the first engine; shaded: always-valid 95 % interval",
            ),
            (Paint::Ink, "equal strength"),
        ],
    )
}

/// The ends of an axis for these values, with a margin.
fn range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (low, high) = values.fold((f64::MAX, f64::MIN), |(low, high), value| {
        (low.min(value), high.max(value))
    });
    let margin = 0.06 * (high - low).max(0.1);
    (low - margin, high + margin)
}

fn table(trace_points: &[TracePoint], is_test: bool) -> Table {
    let mut head = vec!["after pairs", "Elo", "always-valid 95 %"];
    if is_test {
        head.extend(["LLR", "bounds"]);
    }
    let mut table = Table::new("The same in numbers", &head);
    let thinning = Thinning::new(trace_points.len() as u64, ROWS);
    let rows = (0..)
        .zip(trace_points)
        .filter(|(at, _)| thinning.keeps(*at));
    for (_, point) in rows {
        let mut row = vec![point.pairs.to_string()];
        match point.elo {
            Some(elo) => row.extend([signed(elo.estimate), ends(elo)]),
            None => row.extend(["–".to_string(), "–".to_string()]),
        }
        if let Some(test) = point.test {
            row.push(real_minus(&fixed(test.llr, 2)));
            let bounds = format!("{} to {}", short(&test.lower), short(&test.upper));
            row.push(real_minus(&bounds));
        }
        table.row(&row);
    }
    table
}
