//! A chart on a page: drawn once for wide and once for narrow screens, with the values that
//! the script shows at the pointer.

use maud::{Markup, PreEscaped, html};
use serde_json::json;

use super::Chart;
use super::plot::{Size, WIDE};
use super::theme::themed;
use crate::numbers::real_minus;

const NARROW: Size = (330, 260);

impl Chart<'_> {
    /// The chart in the colours of the page's theme. Lines end where they leave the axes;
    /// everything else outside of the axes is drawn at their ends.
    ///
    /// # Errors
    /// If an axis is not finite or its ends are reversed.
    pub fn on_page(&self) -> anyhow::Result<Markup> {
        let pictures = html! { (self.picture("wide", WIDE)?) (self.picture("narrow", NARROW)?) };
        Ok(if self.readings.is_empty() {
            html! { div.chart { (pictures) } }
        } else {
            html! {
                div.chart tabindex="0" role="group" aria-label=(format!("Chart: {}. Left and right show values.", self.name())) data-readings=(self.readings_json()) {
                    (pictures)
                }
            }
        })
    }

    /// A short name: the heading and the axes; without a heading, what it shows.
    fn name(&self) -> String {
        let axes = match self.x_title {
            "" => self.y_title.to_string(),
            x_title => format!("{} over {x_title}", self.y_title),
        };
        match self.title.as_str() {
            "" => self.label.trim_end_matches('.').to_string(),
            title if title == self.y_title => axes,
            title => format!("{title}, {axes}"),
        }
    }

    /// One drawing, with the ends of its axes (left, right, top, bottom) as shares of its size.
    fn picture(&self, class: &str, size: Size) -> anyhow::Result<Markup> {
        let (svg, (x, y)) = self.svg_content(size)?;
        let share = |at: i32, of: u32| (f64::from(at) / f64::from(of) * 1e4).round() / 1e4;
        let [left, right] = [x.0, x.1].map(|at| share(at, size.0));
        let [top, bottom] = [y.0, y.1].map(|at| share(at, size.1));
        Ok(html! {
            svg role="img" aria-label=(self.label) class=(class)
                data-plot=(format!("{left} {right} {top} {bottom}"))
                width=(size.0) height=(size.1) viewBox={ "0 0 " (size.0) " " (size.1) }
                xmlns="http://www.w3.org/2000/svg" { (PreEscaped(themed(svg))) }
        })
    }

    /// Each reading with its position as a share of the x axis.
    fn readings_json(&self) -> String {
        let (low, high) = self.x;
        let share = |x: f64| ((x - low) / (high - low).max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
        let rows = self.readings.iter();
        let rows = rows.map(|reading| {
            let share = (share(reading.x) * 10_000.0).round() / 10_000.0;
            json!([share, real_minus(&reading.text)])
        });
        serde_json::Value::Array(rows.collect()).to_string()
    }
}
