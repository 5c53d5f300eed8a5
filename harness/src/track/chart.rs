//! The chart: Elo over commits.

use super::change::Direction;
use super::status::{Point, Status};
use crate::report::chart::{Band, Chart, Line, Mark, Paint, sheet};
use crate::stats::Estimate;

/// Elo over commits as SVG on white ground: the estimate with its 95 % band,
/// releases and changes marked.
///
/// # Errors
/// If the picture cannot be drawn.
pub(crate) fn chart(status: &Status) -> anyhow::Result<String> {
    drawn(status, |chart| sheet(&[chart], 1))
}

/// The same for a page, in the colours of its theme, with what it shows in
/// words.
///
/// # Errors
/// If the picture cannot be drawn.
pub(crate) fn chart_on_page(status: &Status) -> anyhow::Result<(String, String)> {
    Ok((drawn(status, |chart| chart.svg())?, title(status)))
}

fn drawn(
    status: &Status,
    draw: impl FnOnce(Chart<'_>) -> anyhow::Result<String>,
) -> anyhow::Result<String> {
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
    let middle: Vec<_> = known.iter().map(|(x, elo)| (*x, elo.estimate)).collect();
    let band = known.iter().map(|(x, elo)| (*x, elo.low, elo.high));
    draw(Chart {
        label: title(status),
        y_title: "Elo over the anchor (95 %)",
        x: (-0.5, last + 0.5),
        y: (low, high),
        x_format: Some(&name),
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
        ..Chart::default()
    })
}

/// Places and Elo of the points that have it.
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
        // Between the previous nightly and the one it came with.
        x: change.at as f64 - 0.5,
        text: format!(" {:+.0} Elo", change.elo.estimate),
        row: 1 + number % 3,
    });
    tags.chain(changes).collect()
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
