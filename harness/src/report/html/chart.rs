//! Pictures: lines over an axis, bands, levels, bars.

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::theme::{Paint, themed};

/// Width and height of a picture; a page scales it down where it is wider.
const SIZE: (u32, u32) = (560, 300);
const FONT: (&str, u32) = ("sans-serif", 14);

/// Points of a drawn line: more cannot be seen.
pub(crate) const POINTS: u64 = 400;

/// A line through points.
#[derive(Debug, Clone)]
pub(crate) struct Line {
    pub paint: Paint,
    pub points: Vec<(f64, f64)>,
}

/// An area between two lines: `(x, low, high)`.
#[derive(Debug, Clone)]
pub(crate) struct Band {
    pub paint: Paint,
    pub points: Vec<(f64, f64, f64)>,
}

/// A dashed line across the picture.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Level {
    pub paint: Paint,
    pub y: f64,
}

/// A dashed line from bottom to top with a word beside it.
#[derive(Debug, Clone)]
pub(crate) struct Mark {
    pub paint: Paint,
    pub x: f64,
    pub text: String,
}

/// How the numbers of an axis are written.
pub(crate) type Format<'a> = &'a dyn Fn(&f64) -> String;

/// A picture of lines.
#[derive(Default)]
pub(crate) struct Chart<'a> {
    /// What it shows, for those who cannot see it.
    pub label: String,
    pub x_title: &'a str,
    pub y_title: &'a str,
    pub x: (f64, f64),
    pub y: (f64, f64),
    pub x_format: Option<Format<'a>>,
    pub bands: Vec<Band>,
    pub lines: Vec<Line>,
    pub levels: Vec<Level>,
    pub marks: Vec<Mark>,
}

impl Chart<'_> {
    /// As SVG in the colours of a page. What lies outside the axes is drawn at
    /// their ends.
    ///
    /// # Errors
    /// If an axis has no length.
    pub(crate) fn svg(&self) -> anyhow::Result<String> {
        let svg = drawn(|root| self.draw(root))?;
        Ok(themed(&svg, &self.label))
    }

    fn draw(&self, root: &Area<'_>) -> anyhow::Result<()> {
        let (x, y) = (axis(self.x)?, axis(self.y)?);
        let clamp = |(px, py): (f64, f64)| (px.clamp(x.0, x.1), py.clamp(y.0, y.1));
        let mut chart = ChartBuilder::on(root)
            .margin(6)
            .margin_right(16)
            .x_label_area_size(44)
            .y_label_area_size(58)
            .build_cartesian_2d(x.0..x.1, y.0..y.1)?;
        let default_format: Format<'_> = &short;
        chart
            .configure_mesh()
            .x_labels(6)
            .y_labels(6)
            .x_desc(self.x_title)
            .y_desc(self.y_title)
            .x_label_formatter(&self.x_format.unwrap_or(default_format))
            .y_label_formatter(&default_format)
            .label_style(FONT.into_font().color(&Paint::Ink.rgb()))
            .axis_desc_style(FONT.into_font().color(&Paint::Ink.rgb()))
            .axis_style(Paint::Ink.rgb())
            .bold_line_style(Paint::Soft.rgb().mix(0.7))
            .light_line_style(TRANSPARENT)
            .draw()?;
        for band in &self.bands {
            let upper = band.points.iter().map(|(x, _, high)| clamp((*x, *high)));
            let lower = band
                .points
                .iter()
                .rev()
                .map(|(x, low, _)| clamp((*x, *low)));
            let outline: Vec<_> = upper.chain(lower).collect();
            let fill = band.paint.rgb().mix(0.18).filled();
            chart.draw_series([Polygon::new(outline, fill)])?;
        }
        for level in &self.levels {
            let ends = [(x.0, level.y), (x.1, level.y)].map(clamp);
            let style = level.paint.rgb().stroke_width(2);
            chart.draw_series(DashedLineSeries::new(ends, 6, 5, style))?;
        }
        for mark in &self.marks {
            let ends = [(mark.x, y.0), (mark.x, y.1)].map(clamp);
            let style = mark.paint.rgb().stroke_width(1);
            chart.draw_series(DashedLineSeries::new(ends, 3, 4, style))?;
            let style = FONT
                .into_font()
                .color(&mark.paint.rgb())
                .pos(Pos::new(HPos::Left, VPos::Top));
            chart.draw_series([Text::new(mark.text.clone(), ends[1], style)])?;
        }
        for line in &self.lines {
            let points = line.points.iter().copied().map(clamp);
            let style = line.paint.rgb().stroke_width(2);
            chart.draw_series(LineSeries::new(points, style))?;
        }
        Ok(())
    }
}

/// A picture of bars side by side.
#[derive(Debug, Clone, Default)]
pub(crate) struct Bars<'a> {
    pub label: String,
    pub y_title: &'a str,
    /// Name, height and colour of each.
    pub bars: Vec<(String, f64, Option<Paint>)>,
}

impl Bars<'_> {
    /// As SVG in the colours of a page.
    ///
    /// # Errors
    /// If it cannot be drawn.
    pub(crate) fn svg(&self) -> anyhow::Result<String> {
        let svg = drawn(|root| self.draw(root))?;
        Ok(themed(&svg, &self.label))
    }

    fn draw(&self, root: &Area<'_>) -> anyhow::Result<()> {
        let highest = self.bars.iter().map(|bar| bar.1).fold(0.0, f64::max);
        let top = if highest > 0.0 { highest * 1.12 } else { 1.0 };
        let count = self.bars.len().max(1) as f64;
        let mut chart = ChartBuilder::on(root)
            .margin(6)
            .x_label_area_size(30)
            .y_label_area_size(58)
            .build_cartesian_2d(0.0..count, 0.0..top)?;
        chart
            .configure_mesh()
            .disable_x_mesh()
            .disable_x_axis()
            .y_labels(6)
            .y_desc(self.y_title)
            .y_label_formatter(&short)
            .label_style(FONT.into_font().color(&Paint::Ink.rgb()))
            .axis_desc_style(FONT.into_font().color(&Paint::Ink.rgb()))
            .axis_style(Paint::Ink.rgb())
            .bold_line_style(Paint::Soft.rgb().mix(0.7))
            .light_line_style(TRANSPARENT)
            .draw()?;
        let centred = |y| {
            let style = FONT.into_font().color(&Paint::Ink.rgb());
            style.pos(Pos::new(HPos::Center, y))
        };
        for (index, (name, height, paint)) in self.bars.iter().enumerate() {
            let left = index as f64 + 0.15;
            let middle = index as f64 + 0.5;
            let colour = paint.unwrap_or(Paint::First).rgb().mix(0.85);
            chart.draw_series([Rectangle::new(
                [(left, 0.0), (left + 0.7, *height)],
                colour.filled(),
            )])?;
            let value = Text::new(short(height), (middle, *height), centred(VPos::Bottom));
            chart.draw_series([value])?;
            let at = chart.backend_coord(&(middle, 0.0));
            root.draw(&Text::new(
                name.clone(),
                (at.0, at.1 + 8),
                centred(VPos::Top),
            ))?;
        }
        Ok(())
    }
}

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

fn drawn(draw: impl FnOnce(&Area<'_>) -> anyhow::Result<()>) -> anyhow::Result<String> {
    let mut text = String::new();
    {
        let root = SVGBackend::with_string(&mut text, SIZE).into_drawing_area();
        draw(&root)?;
        root.present()?;
    }
    Ok(text)
}

/// An axis of some length.
fn axis((low, high): (f64, f64)) -> anyhow::Result<(f64, f64)> {
    anyhow::ensure!(
        low.is_finite() && high.is_finite() && low <= high,
        "an axis from {low} to {high} cannot be drawn"
    );
    Ok(if low < high {
        (low, high)
    } else {
        (low - 0.5, high + 0.5)
    })
}

/// A number with no more digits than a reader of a picture needs.
pub(crate) fn short(value: &f64) -> String {
    let text = match value.abs() {
        size if size >= 100.0 => format!("{value:.0}"),
        size if size >= 10.0 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    };
    let text = match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.'),
        false => &text,
    };
    if text == "-0" {
        "0".to_string()
    } else {
        text.to_string()
    }
}

/// A choice of points out of many: evenly spread, the last among them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Thinning {
    total: u64,
    step: u64,
}

impl Thinning {
    /// At most `most` (at least 1) of `total` points.
    pub(crate) fn new(total: u64, most: u64) -> Self {
        let step = total.div_ceil(most).max(1);
        Self { total, step }
    }

    /// Whether the point of this index, from 0, is among them.
    pub(crate) fn keeps(self, index: u64) -> bool {
        index < self.total && (self.total - 1 - index).is_multiple_of(self.step)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        for (value, text) in [
            (0.0, "0"),
            (-0.001, "0"),
            (0.25, "0.25"),
            (12.5, "12.5"),
            (1000.0, "1000"),
            (-30.0, "-30"),
        ] {
            assert_eq!(short(&value), text);
        }
    }

    #[test]
    fn every_colour_follows_the_theme() {
        let chart = Chart {
            label: "<a \"chart\">".to_string(),
            x_title: "pairs",
            y_title: "Elo",
            x: (0.0, 10.0),
            y: (-5.0, 5.0),
            bands: vec![Band {
                paint: Paint::First,
                points: vec![(0.0, -9.0, 9.0), (10.0, -1.0, 2.0)],
            }],
            lines: vec![Line {
                paint: Paint::First,
                points: vec![(0.0, 0.0), (10.0, 1.0)],
            }],
            levels: vec![Level {
                paint: Paint::Bad,
                y: 2.0,
            }],
            marks: vec![Mark {
                paint: Paint::Good,
                x: 5.0,
                text: "v1".to_string(),
            }],
            x_format: None,
        };
        let bars = Bars {
            label: "bars".to_string(),
            y_title: "pairs",
            bars: vec![("LL".to_string(), 3.0, None)],
        };
        for svg in [chart.svg().unwrap(), bars.svg().unwrap()] {
            assert!(svg.contains("var(--ink)"), "{svg}");
            assert!(!svg.contains("=\"#"), "{svg}");
            assert!(svg.contains("role=\"img\""));
        }
        assert!(chart.svg().unwrap().contains("aria-label=\"&lt;a &quot;"));
    }

    #[test]
    fn an_axis_without_length_gets_one_and_an_impossible_one_is_refused() {
        assert_eq!(axis((2.0, 2.0)).unwrap(), (1.5, 2.5));
        assert!(axis((f64::NAN, 1.0)).is_err());
        assert!(axis((1.0, 0.0)).is_err());
    }

    #[test]
    fn thinning_keeps_the_last_point() {
        let thinned = |total| -> Vec<u64> {
            let thinning = Thinning::new(total, POINTS);
            (0..total + 2).filter(|at| thinning.keeps(*at)).collect()
        };
        let thin = thinned(10_001);
        assert!(thin.len() as u64 <= POINTS);
        assert_eq!(thin.last(), Some(&10_000));
        assert!(thin.windows(2).all(|pair| pair[1] - pair[0] == 26));
        assert_eq!(thinned(3), [0, 1, 2]);
        assert!(thinned(0).is_empty());
    }
}
