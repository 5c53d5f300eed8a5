//! The plan as a chart.

use std::path::Path;

use anyhow::Context as _;

use hone_report::chart::{Chart, Line, Paint, sheet};
use hone_stats::SprtConfig;
use hone_stats::distribution::PairDistribution;
use hone_stats::plan::{self, Point};

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
    let x_title = format!("true strength, {} Elo", config.model);
    let line = |paint, value: fn(&Point) -> f64| Line {
        paint,
        points: points
            .iter()
            .map(|point| (point.elo, value(point)))
            .collect(),
    };
    let panel = |title: String, y_title, lines: Vec<Line>| {
        let values = lines.iter().flat_map(|line| &line.points);
        let highest = values.map(|(_, y)| *y).fold(1.0, f64::max);
        Chart {
            label: title.clone(),
            title,
            x_title: &x_title,
            y_title,
            x: (points[0].elo, points[points.len() - 1].elo),
            y: (0.0, 1.05 * highest),
            lines,
            ..Chart::default()
        }
    };
    let pass = vec![line(Paint::First, |point| 100.0 * point.pass)];
    let pairs = vec![
        line(Paint::First, |point| point.pairs),
        line(Paint::Second, |point| point.pairs_q95),
    ];
    let title = format!("{} [{}, {}]", config.model, config.elo0, config.elo1);
    let words = "pairs: mean (blue) and 95 % quantile (orange)";
    let panels = [
        panel(title, "pass, %", pass),
        panel(words.to_owned(), "pairs", pairs),
    ];
    sheet(&panels, 1)
}
