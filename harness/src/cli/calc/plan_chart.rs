//! The plan as a picture.

use std::path::Path;

use anyhow::{Context as _, anyhow};
use plotters::prelude::*;

use crate::stats::SprtConfig;
use crate::stats::distribution::PairDistribution;
use crate::stats::plan::{self, Point};

const SIZE: (u32, u32) = (800, 700);
const STEPS: i32 = 120;

/// Draws pass probability and number of pairs against true strength.
pub(super) fn write(
    path: &Path,
    config: &SprtConfig,
    base: &PairDistribution,
) -> Result<(), anyhow::Error> {
    let width = config.elo1 - config.elo0;
    let points = (0..=STEPS)
        .map(|i| {
            let elo = config.elo0 + width * (3.0 * f64::from(i) / f64::from(STEPS) - 1.0);
            plan::point(config, base, elo)
        })
        .collect::<Result<Vec<_>, _>>()?;
    let svg = draw(config, &points)?;
    std::fs::write(path, svg).with_context(|| format!("cannot write {}", path.display()))
}

fn draw(config: &SprtConfig, points: &[Point]) -> Result<String, anyhow::Error> {
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
        area.fill(&WHITE).map_err(failed)?;
        let (upper, lower) = area.split_vertically(SIZE.1 / 2);
        let title = format!("{} [{}, {}]", config.model, config.elo0, config.elo1);
        let label = format!("true strength, {} Elo", config.model);
        panel(
            &upper,
            points,
            &[(BLUE, |point| 100.0 * point.pass)],
            &title,
            (&label, "pass, %"),
        )?;
        panel(
            &lower,
            points,
            &[(BLUE, |point| point.pairs), (RED, |point| point.pairs_q95)],
            "pairs: mean (blue) and 95 % quantile (red)",
            (&label, "pairs"),
        )?;
        area.present().map_err(failed)?;
    }
    Ok(svg)
}

fn failed(error: impl std::fmt::Display) -> anyhow::Error {
    anyhow!("cannot draw the plan: {error}")
}

type Curve = (RGBColor, fn(&Point) -> f64);

fn panel<DB: DrawingBackend>(
    area: &DrawingArea<DB, plotters::coord::Shift>,
    points: &[Point],
    curves: &[Curve],
    title: &str,
    (x_label, y_label): (&str, &str),
) -> Result<(), anyhow::Error> {
    let highest = curves
        .iter()
        .flat_map(|(_, value)| points.iter().map(value))
        .fold(1.0, f64::max);
    let (first, last) = (points[0].elo, points[points.len() - 1].elo);
    let mut chart = ChartBuilder::on(area)
        .caption(title, ("sans-serif", 18))
        .margin(12)
        .x_label_area_size(36)
        .y_label_area_size(72)
        .build_cartesian_2d(first..last, 0.0..1.05 * highest)
        .map_err(failed)?;
    chart
        .configure_mesh()
        .x_desc(x_label)
        .y_desc(y_label)
        .light_line_style(WHITE)
        .draw()
        .map_err(failed)?;
    for (colour, value) in curves {
        let line = points.iter().map(|point| (point.elo, value(point)));
        chart
            .draw_series(LineSeries::new(line, colour.stroke_width(2)))
            .map_err(failed)?;
    }
    Ok(())
}
