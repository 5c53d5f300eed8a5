//! Pictures of a run: the parameters' paths and their responses.

use anyhow::anyhow;
use plotters::coord::Shift;
use plotters::prelude::*;

use super::outcome::Outcome;
use crate::experiment::tune::TuneExperiment;
use crate::experiment::tune::param::Param;
use crate::experiment::tune::response::ParamResponse;

/// SVG texts.
pub(crate) struct Pictures {
    pub(crate) paths: String,
    /// Absent if no pair counted.
    pub(crate) responses: Option<String>,
}

/// Panels in a row, and the size of one in pixels.
const COLUMNS: usize = 3;
const PANEL: (u32, u32) = (340, 220);
/// Points of a drawn path or curve.
const POINTS: usize = 200;

/// Draws the pictures.
pub(crate) fn draw(experiment: &TuneExperiment, outcome: &Outcome) -> anyhow::Result<Pictures> {
    let params = experiment.tuner().space().params();
    let paths = panels(params.len(), |area, index| {
        path_panel(area, &params[index], &path(experiment, index))
    })?;
    let responses = outcome.response().map(|response| {
        panels(params.len(), |area, index| {
            response_panel(area, &params[index], &response.params[index])
        })
    });
    Ok(Pictures {
        paths,
        responses: responses.transpose()?,
    })
}

/// A parameter's values after pairs, thinned to what can be seen.
pub(crate) fn path(experiment: &TuneExperiment, index: usize) -> Vec<(f64, f64)> {
    let history = experiment.tuner().history();
    let path = history.map_or(&[][..], |history| history.path());
    let step = path.len().div_ceil(POINTS).max(1);
    let points = path.iter().rev().step_by(step);
    let points = points.map(|(pairs, values)| (*pairs as f64, values[index]));
    let mut points: Vec<(f64, f64)> = points.collect();
    points.reverse();
    points
}

/// Elo against a parameter's value, from what is lost a quarter of the span
/// away from the optimum.
pub(crate) fn curve(param: &Param, known: &ParamResponse, quarter: f64) -> Vec<(f64, f64)> {
    let point = |at: usize| {
        let value = param.min + param.range() * at as f64 / POINTS as f64;
        let distance = (value - known.optimum.estimate) / param.span();
        (value, -quarter.max(0.0) * 16.0 * distance * distance)
    };
    (0..=POINTS).map(point).collect()
}

/// How deep a picture of responses must be.
pub(crate) fn deepest(param: &Param, known: &ParamResponse) -> f64 {
    let points = curve(param, known, known.quarter.estimate.max(0.5));
    1.5 * points.iter().map(|(_, elo)| *elo).fold(-1.0, f64::min)
}

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

fn panels(
    count: usize,
    mut panel: impl FnMut(&Area<'_>, usize) -> anyhow::Result<()>,
) -> anyhow::Result<String> {
    let rows = count.div_ceil(COLUMNS).max(1);
    let size = (PANEL.0 * COLUMNS as u32, PANEL.1 * rows as u32);
    let mut text = String::new();
    {
        let root = SVGBackend::with_string(&mut text, size).into_drawing_area();
        root.fill(&WHITE)?;
        let areas = root.split_evenly((rows, COLUMNS));
        for (index, area) in areas.iter().take(count).enumerate() {
            panel(area, index)?;
        }
        root.present()?;
    }
    Ok(text)
}

fn path_panel(area: &Area<'_>, param: &Param, points: &[(f64, f64)]) -> anyhow::Result<()> {
    let last = points.last().map_or(1.0, |(pairs, _)| pairs.max(1.0));
    let mut chart = ChartBuilder::on(area)
        .caption(&param.name, ("sans-serif", 14))
        .margin(8)
        .x_label_area_size(22)
        .y_label_area_size(44)
        .build_cartesian_2d(0.0..last, param.min..param.max)?;
    chart
        .configure_mesh()
        .x_labels(4)
        .y_labels(5)
        .light_line_style(TRANSPARENT)
        .draw()?;
    let start = [(0.0, param.start), (last, param.start)];
    chart.draw_series(LineSeries::new(start, BLACK.mix(0.3)))?;
    chart.draw_series(LineSeries::new(points.iter().copied(), &BLUE))?;
    Ok(())
}

fn response_panel(area: &Area<'_>, param: &Param, known: &ParamResponse) -> anyhow::Result<()> {
    let mut chart = ChartBuilder::on(area)
        .caption(&param.name, ("sans-serif", 14))
        .margin(8)
        .x_label_area_size(22)
        .y_label_area_size(44)
        .build_cartesian_2d(param.min..param.max, deepest(param, known)..0.5)?;
    chart
        .configure_mesh()
        .x_labels(4)
        .y_labels(5)
        .light_line_style(TRANSPARENT)
        .draw()?;
    for (quarter, colour) in [
        (known.quarter.low, BLUE.mix(0.3)),
        (known.quarter.high, BLUE.mix(0.3)),
        (known.quarter.estimate, BLUE.mix(1.0)),
    ] {
        chart.draw_series(LineSeries::new(curve(param, known, quarter), colour))?;
    }
    let interval = [(known.optimum.low, 0.0), (known.optimum.high, 0.0)];
    chart.draw_series(LineSeries::new(interval, RED.stroke_width(3)))?;
    area.present().map_err(|error| anyhow!("{error}"))
}
