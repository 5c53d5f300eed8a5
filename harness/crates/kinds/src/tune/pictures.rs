//! Charts of a tuning: the parameters' paths and their responses.

use super::facts::TuneFacts;
use super::units;
use hone_experiment::tune::TuneExperiment;
use hone_experiment::tune::param::Param;
use hone_experiment::tune::response::ParamResponse;
use hone_report::chart::{
    Chart, Level, Line, Mark, Paint, READINGS, Reading, Thinning, Ticks, sheet, short,
};
use hone_report::signed;
use hone_stats::Estimate;

/// Charts in a row of an SVG file.
const COLUMNS: usize = 3;
/// Points of a drawn path or curve.
const POINTS: usize = 200;

/// The path of each parameter; none before the first pair.
pub(super) fn paths(experiment: &TuneExperiment) -> Vec<Chart<'static>> {
    let params = experiment.tuner().space().params().iter().enumerate();
    params
        .filter_map(|(index, param)| {
            let points = path(experiment, index, units::factor(param));
            path_chart(&units::in_engine_units(param), points)
        })
        .collect()
}

/// The response of each parameter; none before the first pair.
pub(super) fn responses(facts: &TuneFacts) -> Vec<Chart<'static>> {
    let params = facts.params().iter().map(units::in_engine_units);
    let both = params.zip(facts.responses());
    both.map(|(param, known)| response_chart(&param, &known))
        .collect()
}

/// Charts as a file; `None` if there are none.
pub(super) fn file(charts: &[Chart<'_>]) -> anyhow::Result<Option<String>> {
    let text = (!charts.is_empty()).then(|| sheet(charts, COLUMNS));
    text.transpose()
}

pub(super) fn interval(known: Estimate) -> String {
    format!(
        "{} ({} to {})",
        short(&known.estimate),
        short(&known.low),
        short(&known.high)
    )
}

/// The optimum of a response in the engine's units.
pub(super) fn optimum(param: &Param, known: &ParamResponse) -> String {
    let [estimate, low, high] = units::places(param, &known.optimum);
    format!("{estimate} ({low} to {high})")
}

/// The numbers of a parameter's axis; of a check or a combo, its choices.
fn ticks(param: &Param) -> Ticks {
    if !param.is_choice() {
        return Ticks::Numbers;
    }
    let choices = (param.min as u64..=param.max as u64).map(|at| at as f64);
    Ticks::Named(choices.map(|at| (at, param.text(at))).collect())
}

/// A parameter's values after pairs, times a factor, thinned to what can be seen.
fn path(experiment: &TuneExperiment, index: usize, factor: f64) -> Vec<(f64, f64)> {
    let history = experiment.tuner().history();
    let path = history.map_or(&[][..], |history| history.path());
    let thinning = Thinning::new(path.len() as u64, POINTS as u64);
    let points = (0..).zip(path).filter(|(at, _)| thinning.keeps(*at));
    points
        .map(|(_, (pairs, values))| (*pairs as f64, values[index] * factor))
        .collect()
}

fn path_chart(param: &Param, points: Vec<(f64, f64)>) -> Option<Chart<'static>> {
    let &(pairs, last) = points.last()?;
    Some(Chart {
        label: format!(
            "{} went from {} to {} in {pairs} pairs; its range is {} to {}.",
            param.name,
            param.text(param.start),
            param.text(last),
            param.text(param.min),
            param.text(param.max)
        ),
        title: param.name.clone(),
        x_title: "pairs",
        y_title: "value",
        x_ticks: Ticks::Whole,
        y_ticks: ticks(param),
        x: (0.0, pairs),
        y: (param.min, param.max),
        levels: vec![Level {
            paint: Paint::Faint,
            y: param.start,
        }],
        lines: vec![Line {
            paint: Paint::First,
            points: points.clone(),
        }],
        readings: readings(&points, |pairs, value| {
            format!("after {pairs} pairs\n{}", param.text(value))
        }),
        ..Chart::default()
    })
}

/// At most [`READINGS`] of the points, with their texts.
fn readings(points: &[(f64, f64)], text: impl Fn(f64, f64) -> String) -> Vec<Reading> {
    let thinning = Thinning::new(points.len() as u64, READINGS);
    let points = (0..).zip(points).filter(|(at, _)| thinning.keeps(*at));
    points
        .map(|(_, (x, y))| Reading {
            x: *x,
            text: text(*x, *y),
        })
        .collect()
}

/// Elo against a parameter's value, from what is lost a quarter of the span away from the
/// optimum. Below 0, that is a gain.
fn curve(param: &Param, known: &ParamResponse, quarter: f64) -> Vec<(f64, f64)> {
    let point = |at: usize| {
        let value = param.min + param.range() * at as f64 / POINTS as f64;
        let distance = (value - known.optimum.estimate) / param.span();
        (value, -quarter * 16.0 * distance * distance)
    };
    (0..=POINTS).map(point).collect()
}

/// The range of the Elo axis: one and a half times the depth of the estimate, and at most the
/// same height, because an interval can be far wider.
fn elo_range(param: &Param, known: &ParamResponse) -> (f64, f64) {
    let farthest = |quarter| {
        let points = curve(param, known, quarter).into_iter();
        points.map(|(_, elo)| elo.abs()).fold(1.0, f64::max)
    };
    let depth = 1.5 * farthest(known.quarter.estimate.abs().max(0.5));
    let height = if known.quarter.low < 0.0 {
        farthest(known.quarter.low).min(depth)
    } else {
        0.5
    };
    (-depth, height)
}

fn response_chart(param: &Param, known: &ParamResponse) -> Chart<'static> {
    let line = |paint, quarter| Line {
        paint,
        points: curve(param, known, quarter),
    };
    let mark = |x: f64| Mark {
        paint: Paint::Second,
        x,
        text: String::new(),
        row: 0,
    };
    let estimate = curve(param, known, known.quarter.estimate);
    Chart {
        label: format!(
            "{} ({}): best at {}; a quarter of the span away {} Elo are lost.",
            param.name,
            known.weight.word(),
            optimum(param, known),
            interval(known.quarter)
        ),
        title: param.name.clone(),
        x_title: "value",
        y_title: "Elo",
        x_ticks: ticks(param),
        x: (param.min, param.max),
        y: elo_range(param, known),
        lines: vec![
            line(Paint::Faint, known.quarter.low),
            line(Paint::Faint, known.quarter.high),
            line(Paint::First, known.quarter.estimate),
        ],
        readings: readings(&estimate, |value, elo| {
            format!("{}\n{} Elo", param.text(value), signed(elo))
        }),
        marks: vec![mark(known.optimum.low), mark(known.optimum.high)],
        ..Chart::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hone_experiment::tune::param::ParamKind;
    use hone_experiment::tune::response::Relevance;

    #[test]
    fn choices_are_named_on_their_axis() {
        let param = Param {
            kind: ParamKind::Check,
            ..Param::int("A", 0.0, 0.0, 1.0)
        };
        let named = [(0.0, "false".to_string()), (1.0, "true".to_string())];
        assert_eq!(ticks(&param), Ticks::Named(named.to_vec()));
        assert_eq!(ticks(&Param::int("A", 0.0, 0.0, 1.0)), Ticks::Numbers);
    }

    #[test]
    fn a_response_shows_both_ends_of_its_interval() {
        let param = Param::int("A", 50.0, 0.0, 100.0);
        let chart = |low: f64, high: f64| {
            let known = ParamResponse {
                name: "A".to_string(),
                weight: Relevance::Unclear,
                optimum: Estimate::around(50.0, 20.0),
                quarter: Estimate {
                    estimate: 3.0,
                    low,
                    high,
                },
                at_bound: false,
            };
            response_chart(&param, &known)
        };
        let ends = |chart: &Chart<'_>| -> Vec<f64> {
            let lines = chart.lines.iter();
            lines.map(|line| line.points[0].1).collect()
        };
        // The bounds are half the span away from the optimum.
        let wide = chart(-109.0, 115.0);
        assert_eq!(ends(&wide), [436.0, -460.0, -12.0]);
        assert_eq!(wide.y, (-18.0, 18.0));
        assert_eq!(chart(-1.0, 7.0).y, (-18.0, 4.0));
        assert_eq!(chart(2.0, 4.0).y, (-18.0, 0.5));
    }
}
