//! A chart and its drawing.

use anyhow::Context;
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::clip::clipped;
use super::scale::Scale;
use super::ticks::short;
use super::{Band, Bar, Level, Line, Mark, Paint, Reading, Ticks};
use crate::numbers::real_minus;

/// Width and height of a chart in pixels, about as large as the page shows it, so that its
/// texts are readable.
pub(super) type Size = (u32, u32);

pub(super) const WIDE: Size = (560, 300);

/// First and last pixel.
pub(super) type Ends = (i32, i32);

/// In pixels: in SVG, `plotters` divides the size by 1.24.
const FONT: (&str, u32) = ("sans-serif", 16);
/// Width of a letter in pixels.
const LETTER: u32 = 8;
/// Least distance of the numbers of the y axis in pixels.
const LINE: u32 = 40;

/// Distance of two rows of marks, as a share of the y axis.
const ROW: f64 = 0.07;

/// A chart.
#[derive(Default)]
pub struct Chart<'a> {
    /// What it shows, in words: its caption, and its text for screen readers.
    pub label: String,
    /// Its heading.
    pub title: String,
    pub x_title: &'a str,
    pub y_title: &'a str,
    pub x: (f64, f64),
    pub y: (f64, f64),
    pub x_ticks: Ticks,
    pub y_ticks: Ticks,
    pub bands: Vec<Band>,
    pub bars: Vec<Bar>,
    pub lines: Vec<Line>,
    pub levels: Vec<Level>,
    pub marks: Vec<Mark>,
    /// Highlighted points.
    pub dots: Vec<(f64, f64)>,
    /// Shown at the pointer; sorted by `x`.
    pub readings: Vec<Reading>,
}

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Plot<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<Scale, Scale>>;

impl<'a> Chart<'a> {
    /// Named bars side by side: `(name, height, paint)`.
    pub(crate) fn of_bars(
        label: String,
        y_title: &'a str,
        bars: impl IntoIterator<Item = (String, f64, Paint)>,
    ) -> Self {
        let bar = |(left, (name, height, paint)): (f64, _)| Bar {
            paint,
            x: (left + 0.15, left + 0.85),
            height,
            name: Some(name),
        };
        let lefts = (0..).map(f64::from);
        let bars: Vec<Bar> = lefts.zip(bars).map(bar).collect();
        let highest = bars.iter().map(|bar| bar.height).fold(0.0, f64::max);
        Self {
            label,
            y_title,
            y_ticks: Ticks::Whole,
            x: (0.0, bars.len().max(1) as f64),
            y: (0.0, if highest > 0.0 { highest * 1.12 } else { 1.0 }),
            bars,
            ..Self::default()
        }
    }

    /// The content of an SVG element of this size, and the ends of the axes in it.
    pub(super) fn svg_content(&self, size: Size) -> anyhow::Result<(String, (Ends, Ends))> {
        let mut svg = String::new();
        let plot = {
            let root = SVGBackend::with_string(&mut svg, size).into_drawing_area();
            let plot = self.draw(&root, "")?;
            root.present()?;
            plot
        };
        let content = svg
            .split_once('>')
            .and_then(|(_, rest)| rest.rsplit_once("</svg>"));
        let (content, _) = content.context("the chart is not an SVG element")?;
        Ok((content.to_string(), plot))
    }

    fn draw(&self, root: &Area<'_>, title: &str) -> anyhow::Result<(Ends, Ends)> {
        let (x, y) = (axis(self.x)?, axis(self.y)?);
        let is_named = self.bars.iter().any(|bar| bar.name.is_some());
        let (width, height) = root.dim_in_pixel();
        let signed = |ticks: Vec<(f64, String)>| -> Vec<(f64, String)> {
            let ticks = ticks.into_iter();
            ticks.map(|(at, text)| (at, real_minus(&text))).collect()
        };
        let y_ticks = signed(self.y_ticks.of(y, (height / LINE) as usize));
        let x_ticks = signed(self.x_ticks.of(x, self.x_labels(width)));
        let mut builder = ChartBuilder::on(root);
        if !title.is_empty() {
            builder.caption(title, (FONT.0, 18));
        }
        let mut plot = builder
            .margin(6)
            .margin_right(22)
            .margin_top(12)
            .x_label_area_size(match (is_named, self.x_title.is_empty()) {
                (true, _) | (_, true) => 28,
                (false, false) => 46,
            })
            .y_label_area_size(left_side(&y_ticks, !self.y_title.is_empty()))
            .build_cartesian_2d(Scale::new(x, x_ticks), Scale::new(y, y_ticks))?;
        let mut mesh = plot.configure_mesh();
        if is_named {
            mesh.disable_x_mesh().disable_x_axis();
        }
        mesh.x_desc(self.x_title)
            .y_desc(self.y_title)
            .label_style(FONT.into_font().color(&Paint::Ink.rgb()))
            .axis_desc_style(FONT.into_font().color(&Paint::Ink.rgb()))
            .axis_style(Paint::Faint.rgb())
            .bold_line_style(Paint::Soft.rgb().mix(0.7))
            .light_line_style(TRANSPARENT)
            .draw()?;
        self.draw_areas(root, &mut plot, clamping(x, y))?;
        self.draw_lines(&mut plot, x, y)?;
        let (x, y) = plot.plotting_area().get_pixel_range();
        Ok(((x.start, x.end), (y.start, y.end)))
    }

    /// Number of texts that fit side by side below the x axis.
    fn x_labels(&self, width: u32) -> usize {
        let letters = match &self.x_ticks {
            Ticks::Named(all) => all.iter().map(|(_, text)| text.chars().count()).max(),
            _ => [self.x.0, self.x.1]
                .map(|x| short(&x).len())
                .into_iter()
                .max(),
        };
        let room = LETTER * (letters.unwrap_or(0) as u32 + 2);
        (width.saturating_sub(70) / room.max(36)) as usize
    }

    /// Draws bands and bars. `clamp` moves a point into the axes.
    fn draw_areas(
        &self,
        root: &Area<'_>,
        plot: &mut Plot<'_, '_>,
        clamp: impl Fn((f64, f64)) -> (f64, f64),
    ) -> anyhow::Result<()> {
        for band in &self.bands {
            let upper = band.points.iter().map(|(x, _, high)| (*x, *high));
            let lower = band.points.iter().rev().map(|(x, low, _)| (*x, *low));
            let outline: Vec<_> = upper.chain(lower).map(&clamp).collect();
            let fill = band.paint.rgb().mix(0.18).filled();
            plot.draw_series([Polygon::new(outline, fill)])?;
        }
        for bar in &self.bars {
            let fill = bar.paint.rgb().mix(0.85).filled();
            plot.draw_series([Rectangle::new(
                [(bar.x.0, 0.0), (bar.x.1, bar.height)],
                fill,
            )])?;
            let Some(name) = &bar.name else { continue };
            let middle = f64::midpoint(bar.x.0, bar.x.1);
            let (x, top) = plot.backend_coord(&(middle, bar.height));
            let (_, bottom) = plot.backend_coord(&(middle, 0.0));
            let at = |y| text_style(Paint::Ink, HPos::Center, y);
            root.draw(&Text::new(short(&bar.height), (x, top), at(VPos::Bottom)))?;
            root.draw(&Text::new(name.clone(), (x, bottom + 8), at(VPos::Top)))?;
        }
        Ok(())
    }

    /// Draws levels, marks, lines and dots. `x` and `y` are the ranges of the axes.
    fn draw_lines(
        &self,
        plot: &mut Plot<'_, '_>,
        x: (f64, f64),
        y: (f64, f64),
    ) -> anyhow::Result<()> {
        let clamp = clamping(x, y);
        for level in &self.levels {
            let ends = [f64::MIN, f64::MAX].map(|x| clamp((x, level.y)));
            let style = level.paint.rgb().stroke_width(2);
            plot.draw_series(DashedLineSeries::new(ends, 6, 5, style))?;
        }
        for mark in &self.marks {
            let ends = [y.0, y.1].map(|y| clamp((mark.x, y)));
            let style = mark.paint.rgb().stroke_width(1);
            plot.draw_series(DashedLineSeries::new(ends, 3, 4, style))?;
            let at = (ends[1].0, y.1 - mark.row as f64 * ROW * (y.1 - y.0));
            let style = text_style(mark.paint, HPos::Left, VPos::Top);
            plot.draw_series([Text::new(mark.text.clone(), at, style)])?;
        }
        for line in &self.lines {
            let style = line.paint.rgb().stroke_width(2);
            for part in clipped(&line.points, x, y) {
                plot.draw_series(LineSeries::new(part, style))?;
            }
        }
        let dots = self.dots.iter().copied().map(&clamp);
        plot.draw_series(dots.map(|at| Circle::new(at, 3, Paint::First.rgb().filled())))?;
        Ok(())
    }
}

/// Charts on a white background for an SVG file, in rows of `columns` (at least 1).
///
/// # Errors
/// If an axis is not finite or its ends are reversed.
pub fn sheet(charts: &[Chart<'_>], columns: usize) -> anyhow::Result<String> {
    let rows = charts.len().div_ceil(columns).max(1);
    let size = (WIDE.0 * columns as u32, WIDE.1 * rows as u32);
    let mut svg = String::new();
    {
        let root = SVGBackend::with_string(&mut svg, size).into_drawing_area();
        root.fill(&WHITE)?;
        for (chart, area) in charts.iter().zip(root.split_evenly((rows, columns))) {
            chart.draw(&area, &chart.title)?;
        }
        root.present()?;
    }
    let labels: Vec<&str> = charts.iter().map(|chart| chart.label.as_str()).collect();
    let title = maud::html! { title { (labels.join(" ")) } }.into_string();
    Ok(svg.replacen('>', &format!(">{title}"), 1))
}

/// Width of the numbers and the title of the y axis, in pixels.
fn left_side(ticks: &[(f64, String)], has_title: bool) -> u32 {
    let letters = ticks.iter().map(|(_, text)| text.chars().count()).max();
    let title = if has_title { 26 } else { 6 };
    let letters = letters.unwrap_or(0) as u32;
    title + LETTER * letters + 6
}

fn text_style(paint: Paint, x: HPos, y: VPos) -> TextStyle<'static> {
    let style = FONT.into_font().color(&paint.rgb());
    style.pos(Pos::new(x, y))
}

/// Moves a point into the axes.
fn clamping(x: (f64, f64), y: (f64, f64)) -> impl Fn((f64, f64)) -> (f64, f64) {
    move |(px, py)| (px.clamp(x.0, x.1), py.clamp(y.0, y.1))
}

/// The ends of an axis; one of length 0 becomes 1 long.
///
/// # Errors
/// If an end is not finite, or the first is greater than the second.
pub(super) fn axis((low, high): (f64, f64)) -> anyhow::Result<(f64, f64)> {
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
