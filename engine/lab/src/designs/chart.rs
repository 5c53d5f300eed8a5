//! Charts as SVG: Elo with its interval, and the share of quiescence.

use anyhow::Result;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::designs::plan::{MainSearch, Topic};
use crate::designs::table::{Row, Table};

const WIDTH: u32 = 900;
const ROW: u32 = 26;
const NAMES: u32 = 190;
const FONT: (&str, u32) = ("sans-serif", 15);

/// A value with its interval.
type Value = [f64; 3];

/// Values of the designs on one main search.
struct Series {
    main: MainSearch,
    /// In the order of the names.
    values: Vec<Option<Value>>,
}

struct Chart {
    title: String,
    axis: &'static str,
    names: Vec<String>,
    series: Vec<Series>,
}

/// File names and charts of some tables.
pub(crate) fn charts(tables: &[Table]) -> Result<Vec<(String, String)>> {
    let of = |topic: Topic| {
        tables
            .iter()
            .filter(move |table| table.comparison.topic == topic)
    };
    let quiescence: Vec<&Table> = of(Topic::Quiescence).collect();
    // The two main searches have different designs of ordering.
    let mut drawn = vec![
        ("elo-quiescence.svg".to_owned(), elo(&quiescence)),
        ("share-quiescence.svg".to_owned(), share(&quiescence)),
    ];
    for table in of(Topic::Ordering) {
        let name = format!("elo-ordering-{}.svg", table.comparison.main.name());
        drawn.push((name, elo(&[table])));
    }
    drawn.retain(|(_, chart)| {
        chart
            .series
            .iter()
            .any(|it| it.values.iter().any(Option::is_some))
    });
    drawn
        .into_iter()
        .map(|(name, chart)| Ok((name, chart.draw()?)))
        .collect()
}

fn elo(tables: &[&Table]) -> Chart {
    let anchor = tables.first().map_or("", |table| &table.anchor);
    chart(
        tables,
        format!("Elo relative to {anchor}, 95 % intervals"),
        "Elo",
        |row| row.elo.map(|elo| [elo.low, elo.estimate, elo.high]),
    )
}

fn share(tables: &[&Table]) -> Chart {
    chart(
        tables,
        "Share of quiescence in all nodes".to_owned(),
        "%",
        |row| row.share.map(|share| [share; 3]),
    )
}

/// The designs in the order of the first table, without those that have no
/// value in any.
fn chart(
    tables: &[&Table],
    title: String,
    axis: &'static str,
    value: fn(&Row) -> Option<Value>,
) -> Chart {
    let mut names: Vec<String> = Vec::new();
    let rows: Vec<Vec<Row>> = tables.iter().map(|table| table.rows()).collect();
    for row in rows.iter().flatten() {
        if value(row).is_some() && !names.contains(&row.design) {
            names.push(row.design.clone());
        }
    }
    let series = tables.iter().zip(&rows).map(|(table, rows)| {
        let of = |name: &String| value(rows.iter().find(|row| &row.design == name)?);
        Series {
            main: table.comparison.main,
            values: names.iter().map(of).collect(),
        }
    });
    Chart {
        title,
        axis,
        series: series.collect(),
        names,
    }
}

impl Chart {
    fn range(&self) -> (f64, f64) {
        let values = self
            .series
            .iter()
            .flat_map(|series| series.values.iter().flatten());
        let (low, high) = values.fold((0.0f64, 0.0f64), |(low, high), value| {
            (low.min(value[0]), high.max(value[2]))
        });
        let margin = (0.05 * (high - low)).max(1.0);
        (if low < 0.0 { low - margin } else { low }, high + margin)
    }

    fn draw(&self) -> Result<String> {
        let (low, high) = self.range();
        let rows = self.names.len();
        let height = rows as u32 * ROW + 110;
        let mut svg = String::new();
        {
            let root = SVGBackend::with_string(&mut svg, (WIDTH, height)).into_drawing_area();
            root.fill(&WHITE)?;
            let mut chart = ChartBuilder::on(&root)
                .margin(12)
                .caption(&self.title, ("sans-serif", 19))
                .x_label_area_size(42)
                .y_label_area_size(NAMES)
                .build_cartesian_2d(low..high, rows as f64 - 0.5..-0.5)?;
            chart
                .configure_mesh()
                .disable_y_mesh()
                .y_labels(0)
                .x_labels(10)
                .x_label_formatter(&|x| format!("{x:.0}"))
                .x_desc(self.axis)
                .label_style(FONT)
                .light_line_style(TRANSPARENT)
                .bold_line_style(BLACK.mix(0.15))
                .draw()?;
            for (at, name) in self.names.iter().enumerate() {
                let (x, y) = chart.backend_coord(&(low, at as f64));
                let style = FONT
                    .into_font()
                    .color(&BLACK)
                    .pos(Pos::new(HPos::Right, VPos::Center));
                root.draw_text(name, &style, (x - 8, y))?;
            }
            for (number, series) in self.series.iter().enumerate() {
                let ink = ink(series.main);
                let offset = 0.32 * (number as f64 - (self.series.len() as f64 - 1.0) / 2.0);
                for (at, value) in series.values.iter().enumerate() {
                    let Some([low, value, high]) = *value else {
                        continue;
                    };
                    let y = at as f64 + offset;
                    let bar = PathElement::new(vec![(low, y), (high, y)], ink.stroke_width(2));
                    chart.draw_series([bar])?;
                    chart.draw_series([Circle::new((value, y), 4, ink.filled())])?;
                }
                chart
                    .draw_series(
                        [Circle::new((f64::NAN, f64::NAN), 0, ink)]
                            .into_iter()
                            .take(0),
                    )?
                    .label(format!("{} main search", series.main.name()))
                    .legend(move |(x, y)| Circle::new((x + 10, y), 4, ink.filled()));
            }
            if self.series.len() > 1 {
                chart
                    .configure_series_labels()
                    .position(SeriesLabelPosition::LowerRight)
                    .label_font(FONT)
                    .background_style(WHITE.mix(0.9))
                    .border_style(BLACK.mix(0.2))
                    .draw()?;
            }
            root.present()?;
        }
        Ok(svg.replacen('>', &format!("><title>{}</title>", self.title), 1))
    }
}

fn ink(main: MainSearch) -> RGBColor {
    match main {
        MainSearch::Plain => RGBColor(0xc2, 0x5b, 0x12),
        MainSearch::Selective => RGBColor(0x1f, 0x5f, 0xa8),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::designs::table::tests::table;

    #[test]
    fn designs_without_a_value_are_left_out() {
        let table = table();
        assert_eq!(elo(&[&table]).names, ["captures", "no-quiescence"]);
        assert_eq!(share(&[&table]).names, ["captures"]);
    }

    #[test]
    fn a_chart_names_its_designs() {
        let charts = charts(&[table()]).unwrap();
        let names: Vec<&str> = charts.iter().map(|(name, _)| &**name).collect();
        assert_eq!(names, ["elo-quiescence.svg", "share-quiescence.svg"]);
        let svg = &charts[0].1;
        assert!(svg.contains("<title>Elo relative to no-quiescence"));
        assert!(svg.contains("captures") && !svg.contains("last-move-own"));
        assert!(svg.contains("<circle") && svg.ends_with("</svg>\n"));
    }

    #[test]
    fn the_range_holds_every_interval() {
        let table = table();
        let (low, high) = elo(&[&table]).range();
        assert!(low < -20.0 && high > 170.0);
        assert_eq!(share(&[&table]).range().0, 0.0);
    }
}
