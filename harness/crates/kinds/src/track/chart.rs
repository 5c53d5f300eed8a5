//! The chart: Elo over commits.

use super::change::Direction;
use super::status::{Point, Status, nightlies};
use hone_builds::short_id;
use hone_report::chart::{Band, Chart, Line, Mark, Paint, Reading, Ticks, sheet};
use hone_report::{signed, signed_ends, signed_with};
use hone_stats::Estimate;
use hone_stats::summary::Interval;

/// Elo over commits as SVG on a white background: the estimate with its 95 % band, with
/// releases and changes marked.
///
/// # Errors
/// If the picture cannot be drawn.
pub(super) fn chart(status: &Status) -> anyhow::Result<String> {
    sheet(&[on_page(status)], 1)
}

/// The same chart for an HTML page, in the colours of its theme.
pub(super) fn on_page(status: &Status) -> Chart<'static> {
    let known = known(status);
    let last = status.points.len().saturating_sub(1).max(1) as f64;
    let middle: Vec<_> = known.iter().map(|(x, elo)| (*x, elo.estimate)).collect();
    let band = known.iter().map(|(x, elo)| (*x, elo.low, elo.high));
    let points = || (0..).map(f64::from).zip(&status.points);
    let short = |point: &Point| point.commit.chars().take(7).collect();
    Chart {
        label: title(status),
        x_title: "commit",
        y_title: "Elo relative to the anchor (95 %)",
        x: (-0.5, last + 0.5),
        y: range(&known),
        x_ticks: Ticks::Named(points().map(|(at, point)| (at, short(point))).collect()),
        bands: vec![Band {
            paint: Paint::First,
            points: band.collect(),
        }],
        lines: vec![Line {
            paint: Paint::First,
            points: middle.clone(),
        }],
        marks: marks(status),
        dots: middle,
        readings: points().map(|(x, point)| reading(x, point)).collect(),
        ..Chart::default()
    }
}

fn reading(x: f64, point: &Point) -> Reading {
    let elo = match point.elo {
        Some(elo) => format!(
            "{} Elo ({}95 %: {})",
            signed(elo.estimate),
            match point.interval {
                Some(Interval::AlwaysValid) => "always-valid ",
                _ => "",
            },
            signed_ends(elo)
        ),
        None => "unknown".to_string(),
    };
    Reading {
        x,
        text: format!("{} {}\n{elo}", short_id(&point.commit), point.subject),
    }
}

/// Positions and Elo of the points that have an Elo.
fn known(status: &Status) -> Vec<(f64, Estimate)> {
    let points = status.points.iter().enumerate();
    points
        .filter_map(|(at, point)| Some((at as f64, point.elo?)))
        .collect()
}

fn range(known: &[(f64, Estimate)]) -> (f64, f64) {
    let (low, high) = known
        .iter()
        .fold((0.0f64, 0.0f64), |(low, high), (_, elo)| {
            (low.min(elo.low), high.max(elo.high))
        });
    let margin = (0.12 * (high - low)).max(5.0);
    (low - margin, high + margin)
}

fn marks(status: &Status) -> Vec<Mark> {
    let tag = |(at, point): (usize, &Point)| {
        Some(Mark {
            paint: Paint::Ink,
            x: at as f64,
            text: format!(" {}", point.tag.as_ref()?),
            row: 0,
        })
    };
    let tags = status.points.iter().enumerate().filter_map(tag);
    let changes = status.changes.iter().enumerate();
    let changes = changes.map(|(number, change)| Mark {
        paint: match change.direction {
            Direction::Loss => Paint::Bad,
            Direction::Gain => Paint::Good,
        },
        // Between the nights before and after the change.
        x: change.at as f64 - 0.5,
        text: format!(" {} Elo", signed_with(change.elo.estimate, 0)),
        row: 1 + number % 3,
    });
    tags.chain(changes).collect()
}

/// The text alternative of the chart.
fn title(status: &Status) -> String {
    let elo = status.points.last().and_then(|point| point.elo);
    let last = elo.map_or("unknown".to_string(), |elo| signed_with(elo.estimate, 0));
    format!(
        "Elo relative to the anchor, {}; last nightly: {last}; changes detected: {}",
        nightlies(status.points.len()),
        status.changes.len()
    )
}

#[cfg(test)]
mod tests {
    use super::super::night::tests::night;
    use super::*;
    use crate::track::Role;

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
        assert!(svg.contains("anchor, 3 nightlies; last nightly: "));
        let chart = on_page(&Status::new(&nights, "a", 3650));
        assert!(chart.label.contains("anchor, 3 nightlies; last nightly: "));
        let page = chart.on_page().expect("drawn").into_string();
        assert!(page.contains("var(--first)") && page.contains("role=\"img\""));
        assert!(!page.contains("=\"#"), "a colour of no theme: {page}");
    }

    #[test]
    fn a_reading_names_an_always_valid_interval() {
        let anchor = |counts| [(Role::Anchor, "a", counts)];
        for (counts, is_named) in [([9, 20, 40, 25, 9], false), ([0, 1, 2, 1, 0], true)] {
            let status = Status::new(&[night(1, "b", &anchor(counts))], "a", 3650);
            let text = &on_page(&status).readings[0].text;
            assert!(text.contains("95 %: "), "{text}");
            assert_eq!(text.contains("(always-valid 95 %: "), is_named, "{text}");
        }
    }

    #[test]
    fn no_or_unconnected_nights_are_no_error() {
        for nights in [vec![], vec![night(1, "b", &[])]] {
            let svg = chart(&Status::new(&nights, "a", 3650)).expect("drawn");
            assert!(svg.starts_with("<svg"));
        }
    }
}
