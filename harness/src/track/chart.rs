//! The picture: Elo over commits.

use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;

use super::change::Direction;
use super::status::{Point, Status};
use crate::report::html::{Paint, themed};

/// Size in pixels.
const SIZE: (u32, u32) = (900, 400);
const FONT: (&str, u32) = ("sans-serif", 18);

type Area<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<RangedCoordf64, RangedCoordf64>>;

/// Elo over commits as SVG on white ground: the estimate with its 95 % band,
/// releases and changes marked.
///
/// # Errors
/// If the picture cannot be drawn.
pub(crate) fn chart(status: &Status) -> anyhow::Result<String> {
    let svg = drawn(status, Some(WHITE))?;
    let title = title(status);
    Ok(svg.replacen('>', &format!("><title>{title}</title>"), 1))
}

/// The same for a page, in the colours of its theme, with what it shows in
/// words.
///
/// # Errors
/// If the picture cannot be drawn.
pub(crate) fn chart_on_page(status: &Status) -> anyhow::Result<(String, String)> {
    let title = title(status);
    Ok((themed(&drawn(status, None)?, &title), title))
}

fn drawn(status: &Status, ground: Option<RGBColor>) -> anyhow::Result<String> {
    let mut text = String::new();
    {
        let root = SVGBackend::with_string(&mut text, SIZE).into_drawing_area();
        if let Some(ground) = ground {
            root.fill(&ground)?;
        }
        let known = known(status);
        let (low, high) = range(&known);
        let last = status.points.len().saturating_sub(1).max(1) as f64;
        let name = |x: &f64| {
            let is_whole = (x - x.round()).abs() < 1e-6 && *x >= 0.0;
            let point = is_whole
                .then(|| status.points.get(x.round() as usize))
                .flatten();
            point.map_or(String::new(), |point| {
                point.commit.chars().take(7).collect()
            })
        };
        let mut chart = ChartBuilder::on(&root)
            .margin(12)
            .x_label_area_size(48)
            .y_label_area_size(72)
            .build_cartesian_2d(-0.5..last + 0.5, low..high)?;
        chart
            .configure_mesh()
            .disable_x_mesh()
            .light_line_style(TRANSPARENT)
            .x_labels(8)
            .x_label_formatter(&name)
            .y_label_formatter(&|elo| format!("{elo:.0}"))
            .y_desc("Elo over the anchor (95 %)")
            .label_style(FONT.into_font().color(&Paint::Ink.rgb()))
            .axis_desc_style(FONT.into_font().color(&Paint::Ink.rgb()))
            .axis_style(Paint::Ink.rgb())
            .bold_line_style(Paint::Soft.rgb().mix(0.7))
            .draw()?;
        draw_marks(&mut chart, status, (low, high))?;
        draw_curve(&mut chart, &known)?;
        root.present()?;
    }
    Ok(text)
}

/// Points with their place, those without Elo left out.
fn known(status: &Status) -> Vec<(f64, &Point)> {
    let points = status.points.iter().enumerate();
    points
        .filter(|(_, point)| point.elo.is_some())
        .map(|(at, point)| (at as f64, point))
        .collect()
}

fn range(known: &[(f64, &Point)]) -> (f64, f64) {
    let bounds = known.iter().filter_map(|(_, point)| point.elo);
    let (low, high) = bounds.fold((0.0f64, 0.0f64), |(low, high), elo| {
        (low.min(elo.low), high.max(elo.high))
    });
    let margin = (0.12 * (high - low)).max(5.0);
    (low - margin, high + margin)
}

fn draw_curve(chart: &mut Area<'_, '_>, known: &[(f64, &Point)]) -> anyhow::Result<()> {
    let along = |value: fn(&crate::stats::Estimate) -> f64| {
        known
            .iter()
            .filter_map(move |(x, point)| Some((*x, value(point.elo.as_ref()?))))
    };
    let mut band: Vec<(f64, f64)> = along(|elo| elo.high).collect();
    let mut lower: Vec<(f64, f64)> = along(|elo| elo.low).collect();
    lower.reverse();
    band.extend(lower);
    let line = Paint::First.rgb();
    chart.draw_series([Polygon::new(band, line.mix(0.18).filled())])?;
    let middle: Vec<(f64, f64)> = along(|elo| elo.estimate).collect();
    chart.draw_series(LineSeries::new(
        middle.iter().copied(),
        line.stroke_width(2),
    ))?;
    let dots = middle.iter().map(|at| Circle::new(*at, 3, line.filled()));
    chart.draw_series(dots)?;
    Ok(())
}

fn draw_marks(
    chart: &mut Area<'_, '_>,
    status: &Status,
    (low, high): (f64, f64),
) -> anyhow::Result<()> {
    let mut mark = |x: f64, text: String, paint: Paint, row: f64| -> anyhow::Result<()> {
        chart.draw_series([PathElement::new(
            vec![(x, low), (x, high)],
            paint.rgb().mix(0.7).stroke_width(1),
        )])?;
        let y = high - row * 0.07 * (high - low);
        let style = FONT.into_font().color(&paint.rgb());
        chart.draw_series([Text::new(format!(" {text}"), (x, y), style)])?;
        Ok(())
    };
    for (at, point) in status.points.iter().enumerate() {
        if let Some(tag) = &point.tag {
            mark(at as f64, tag.clone(), Paint::Ink, 0.0)?;
        }
    }
    for (number, change) in status.changes.iter().enumerate() {
        let paint = match change.direction {
            Direction::Loss => Paint::Bad,
            Direction::Gain => Paint::Good,
        };
        let text = format!("{:+.0} Elo", change.elo.estimate);
        // Between the night before and the one it came with.
        mark(
            change.at as f64 - 0.5,
            text,
            paint,
            1.0 + (number % 3) as f64,
        )?;
    }
    Ok(())
}

/// What the picture shows, for those who cannot see it.
fn title(status: &Status) -> String {
    let elo = status.points.last().and_then(|point| point.elo);
    let last = elo.map_or("unknown".to_string(), |elo| format!("{:+.0}", elo.estimate));
    format!(
        "Elo over the anchor in {} nights; the last: {last}; changes noticed: {}",
        status.points.len(),
        status.changes.len()
    )
}

#[cfg(test)]
mod tests {
    use super::super::gauntlet::Role;
    use super::super::night::tests::night;
    use super::*;

    #[test]
    fn shows_every_night_and_mark() {
        let nights: Vec<_> = (1..=3)
            .map(|number| {
                let commit = format!("{number}abcdefg");
                night(number, &commit, &[(Role::Anchor, "a", [9, 20, 40, 25, 9])])
            })
            .collect();
        let svg = chart(&Status::new(&nights, "a", 3650)).expect("drawn");
        assert_eq!(svg.matches("<circle").count(), 3);
        assert!(svg.contains("<polygon"));
        assert!(svg.contains("v1"));
        assert!(svg.contains("1abcdef"));
        assert!(svg.contains("in 3 nights"));
        let (themed, words) = chart_on_page(&Status::new(&nights, "a", 3650)).expect("drawn");
        assert!(words.contains("in 3 nights"));
        assert!(themed.contains("var(--first)") && themed.contains("role=\"img\""));
        assert!(!themed.contains("=\"#"), "a colour of no theme: {themed}");
    }

    #[test]
    fn no_or_unconnected_nights_are_no_error() {
        for nights in [vec![], vec![night(1, "b", &[])]] {
            let svg = chart(&Status::new(&nights, "a", 3650)).expect("drawn");
            assert!(svg.starts_with("<svg"));
        }
    }
}
