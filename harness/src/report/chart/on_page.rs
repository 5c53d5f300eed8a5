//! A chart on a page: drawn for wide and for narrow screens, with its values
//! for those who point at it.

use serde_json::json;

use super::Chart;
use super::plot::{Ends, Size, WIDE};
use super::theme::themed;
use crate::report::escape;

const NARROW: Size = (330, 260);

impl Chart<'_> {
    /// As HTML in the colours of a page. What lies outside the axes is drawn
    /// at their ends.
    ///
    /// # Errors
    /// If an axis has no length.
    pub(crate) fn on_page(&self) -> anyhow::Result<String> {
        let (wide, plot) = self.drawn(WIDE)?;
        let (narrow, narrow_plot) = self.drawn(NARROW)?;
        let label = &self.label;
        let wide = themed(&wide, label, &attributes("wide", plot, WIDE));
        let narrow = themed(&narrow, label, &attributes("narrow", narrow_plot, NARROW));
        let (values, focus) = match self.readings.as_slice() {
            [] => (String::new(), ""),
            _ => (
                format!(" data-readings=\"{}\"", escape(&self.readings_json())),
                " tabindex=\"0\" role=\"group\" aria-label=\"Chart: left and right show values\"",
            ),
        };
        Ok(format!(
            "<div class=\"chart\"{focus}{values}>{wide}{narrow}</div>"
        ))
    }

    /// Each reading with its place as a share of the x axis.
    fn readings_json(&self) -> String {
        let (low, high) = self.x;
        let share = |x: f64| ((x - low) / (high - low).max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
        let rows = self.readings.iter();
        let rows = rows.map(|reading| {
            let share = (share(reading.x) * 10_000.0).round() / 10_000.0;
            json!([share, reading.text])
        });
        serde_json::Value::Array(rows.collect()).to_string()
    }
}

/// The class, and where the axes are: left, right, top and bottom as shares of
/// the picture.
fn attributes(class: &str, (x, y): (Ends, Ends), size: Size) -> String {
    let share = |at: i32, of: u32| (f64::from(at) / f64::from(of) * 1e4).round() / 1e4;
    format!(
        "class=\"{class}\" data-plot=\"{} {} {} {}\" ",
        share(x.0, size.0),
        share(x.1, size.0),
        share(y.0, size.1),
        share(y.1, size.1)
    )
}
