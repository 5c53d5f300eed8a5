//! Charts as SVG: lines, bands, levels, marks, bars.
//!
//! * `shapes`: the elements of a chart; [`Ticks`], `scale`: the axes.
//! * `plot`: a [`Chart`] and its drawing; `clip`: lines cut off at the ends of the axes.
//! * `on_page`: a chart for wide and narrow pages, in the colours of `theme`.

mod clip;
mod on_page;
mod plot;
mod scale;
mod shapes;
mod theme;
mod ticks;

pub use plot::{Chart, sheet};
pub use shapes::{Band, Bar, Level, Line, Mark, POINTS, READINGS, Reading, Thinning};
pub use theme::Paint;
pub use ticks::{Ticks, short};

#[cfg(test)]
mod tests {
    use super::plot::axis;
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
                row: 1,
            }],
            dots: vec![(1.0, 1.0)],
            ..Chart::default()
        };
        let bars = [("LL".to_string(), 3.0, Paint::First)];
        let bars = Chart::of_bars("bars".to_string(), "pairs", bars);
        let on_page = |chart: &Chart<'_>| chart.on_page().unwrap().into_string();
        for svg in [on_page(&chart), on_page(&bars)] {
            assert!(svg.contains("var(--ink)"), "{svg}");
            assert!(!svg.contains("=\"#"), "{svg}");
            assert!(svg.contains("role=\"img\""));
        }
        assert!(on_page(&chart).contains("aria-label=\"&lt;a &quot;"));
        let sheet = sheet(&[chart, bars], 1).unwrap();
        assert!(sheet.contains("<title>&lt;a &quot;chart&quot;&gt; bars</title>"));
        assert!(sheet.contains("LL") && sheet.contains("v1"));
    }

    #[test]
    fn readings_have_real_minus_signs() {
        let chart = Chart {
            readings: vec![Reading {
                x: 0.0,
                text: "after 2 pairs\n-5.8 Elo (95 %: -31.5 to +19.8)".to_string(),
            }],
            ..Chart::default()
        };
        let html = chart.on_page().unwrap().into_string();
        let shown = "after 2 pairs\\n\u{2212}5.8 Elo (95\u{a0}%: \u{2212}31.5 to +19.8)";
        assert!(html.contains(shown), "{html}");
    }

    #[test]
    fn a_line_outside_of_the_axes_is_not_drawn() {
        let drawn = |y: f64| {
            let chart = Chart {
                x: (0.0, 1.0),
                y: (0.0, 1.0),
                lines: vec![Line {
                    paint: Paint::Second,
                    points: vec![(0.0, y), (1.0, y)],
                }],
                ..Chart::default()
            };
            chart.on_page().unwrap().into_string()
        };
        assert!(drawn(0.5).contains("var(--second)"));
        assert!(!drawn(2.0).contains("var(--second)"));
    }

    #[test]
    fn charts_with_readings_have_names_of_their_own() {
        let has_name = |title: &str, [x_title, y_title]: [&'static str; 2], name: &str| {
            let chart = Chart {
                label: "What it shows.".to_string(),
                title: title.to_string(),
                x_title,
                y_title,
                x: (0.0, 1.0),
                y: (0.0, 1.0),
                readings: vec![Reading {
                    x: 0.5,
                    text: "a".to_string(),
                }],
                ..Chart::default()
            };
            let html = chart.on_page().unwrap().into_string();
            let label = format!("\"Chart: {name}. Left and right show values.\"");
            assert!(html.contains(&label), "{label} in {html}");
        };
        has_name("Elo", ["pairs", "Elo"], "Elo over pairs");
        has_name("Hash", ["pairs", "value"], "Hash, value over pairs");
        has_name("Hash", ["value", "Elo"], "Hash, Elo over value");
        has_name("Pentanomial", ["", "pairs"], "Pentanomial, pairs");
        has_name("", ["pairs", "%"], "What it shows");
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
