//! The Elo of all nights as one page of HTML.

use std::path::Path;

use crate::report::html::chart::{Band, Chart, Line, Mark};
use crate::report::html::{Page, Paint, Table, escape, figure, paragraph};
use crate::track::{Direction, Night, Point, Status, in_order};

/// The page that lies beside `elo.csv` in `dir`, or elsewhere if not `inside`:
/// then it has no links to the nights' own reports.
///
/// # Errors
/// If a picture cannot be drawn.
pub(super) fn html(
    status: &Status,
    nights: &[Night],
    dir: &Path,
    inside: bool,
) -> anyhow::Result<Page> {
    let limit = nights.first().map_or("", |night| night.limit.as_str());
    let mut page = Page::new(
        "Elo from night to night",
        &format!("{} nights, limit {limit}", nights.len()),
    );
    let verdict = if status.is_regression() { "H0" } else { "none" };
    page.lead(&status.sentences(), verdict);
    if !nights.is_empty() {
        page.section("elo", "Elo over commits", elo(status)?);
        page.section("changes", "Changes", changes(status));
        let folder = inside.then_some(dir);
        page.section("nights", "Nights", matches(nights, folder));
    }
    Ok(page)
}

fn elo(status: &Status) -> anyhow::Result<String> {
    let known: Vec<(f64, &Point)> = (0..)
        .map(f64::from)
        .zip(&status.points)
        .filter(|(_, point)| point.elo.is_some())
        .collect();
    let along = |value: fn(&crate::stats::Estimate) -> f64| -> Vec<(f64, f64)> {
        let values = known.iter();
        values
            .filter_map(|(x, point)| Some((*x, value(point.elo.as_ref()?))))
            .collect()
    };
    let (lows, highs) = (along(|elo| elo.low), along(|elo| elo.high));
    let low = lows.iter().map(|at| at.1).fold(0.0, f64::min);
    let high = highs.iter().map(|at| at.1).fold(0.0, f64::max);
    let air = (0.06 * (high - low)).max(5.0);
    let bounds = lows.iter().zip(&highs);
    let band = bounds.map(|((x, low), (_, high))| (*x, *low, *high));
    let name = |x: &f64| {
        let is_whole = (x - x.round()).abs() < 1e-6 && *x >= 0.0;
        let point = is_whole
            .then(|| status.points.get(x.round() as usize))
            .flatten();
        point.map_or(String::new(), |point| {
            point.commit.chars().take(7).collect()
        })
    };
    let last = status.points.len().saturating_sub(1) as f64;
    let words = format!(
        "Elo over the anchor, with its 95 % interval, of {} nights; releases and changes are marked.",
        status.points.len()
    );
    let svg = Chart {
        label: words.clone(),
        x_title: "commit",
        y_title: "Elo",
        x: (-0.5, last + 0.5),
        y: (low - air, high + air),
        x_format: Some(&name),
        bands: vec![Band {
            paint: Paint::First,
            points: band.collect(),
        }],
        lines: vec![Line {
            paint: Paint::First,
            points: along(|elo| elo.estimate),
        }],
        marks: marks(status),
        ..Chart::default()
    }
    .svg()?;
    let colours = [
        (Paint::First, "Elo and interval"),
        (Paint::Ink, "release"),
        (Paint::Good, "gain"),
        (Paint::Bad, "loss"),
    ];
    Ok(figure(&svg, &words, &colours) + &points(status))
}

fn marks(status: &Status) -> Vec<Mark> {
    let points = (0..).map(f64::from).zip(&status.points);
    let releases = points.filter_map(|(x, point)| {
        Some(Mark {
            paint: Paint::Ink,
            x,
            text: point.tag.clone()?,
        })
    });
    let changes = status.changes.iter().map(|change| Mark {
        paint: match change.direction {
            Direction::Loss => Paint::Bad,
            Direction::Gain => Paint::Good,
        },
        // Between the night before and the one it came with.
        x: change.at as f64 - 0.5,
        text: format!("{:+.0}", change.elo.estimate),
    });
    releases.chain(changes).collect()
}

fn points(status: &Status) -> String {
    let mut table = Table::new(
        "All nights on one scale, newest first",
        &[
            "commit", "date", "subject", "release", "bench", "Elo", "95 %",
        ],
    );
    for point in status.points.iter().rev() {
        let (elo, interval) = match point.elo {
            Some(elo) => (
                format!("{:+.1}", elo.estimate),
                format!("{:+.1} to {:+.1}", elo.low, elo.high),
            ),
            None => ("unknown".to_string(), String::new()),
        };
        table.row(&[
            short(&point.commit).to_string(),
            point.date.strftime("%Y-%m-%d").to_string(),
            point.subject.clone(),
            point.tag.clone().unwrap_or_default(),
            point.bench.map_or(String::new(), |nodes| nodes.to_string()),
            elo,
            interval,
        ]);
    }
    table.html()
}

fn changes(status: &Status) -> String {
    if status.changes.is_empty() {
        return paragraph("None has been noticed.");
    }
    let mut table = Table::new(
        "By the sequential test over all nights",
        &["most likely with", "noticed with", "Elo", "95 %"],
    );
    let commit = |night: usize| {
        let point = status.points.get(night);
        point.map_or(String::new(), |point| {
            format!("{} {}", short(&point.commit), point.subject)
        })
    };
    for change in &status.changes {
        let elo = change.elo;
        table.row(&[
            commit(change.at),
            commit(change.noticed),
            format!("{:+.1}", elo.estimate),
            format!("{:+.1} to {:+.1}", elo.low, elo.high),
        ]);
    }
    table.html()
}

/// What was played each night, and links to its own reports under `folder`.
fn matches(nights: &[Night], folder: Option<&Path>) -> String {
    let mut table = Table::new(
        "Pairs against each opponent, from the new build's side; newest first",
        &["commit", "LL/LD/DD+WL/WD/WW", "failures", "nodes a second"],
    );
    let mut links = String::new();
    for night in in_order(nights).into_iter().rev() {
        let opponents: Vec<String> = night
            .matches
            .iter()
            .map(|played| {
                let counts = played.pentanomial.0.map(|count| count.to_string());
                format!(
                    "{} {}: {}",
                    played.role.name(),
                    short(&played.commit),
                    counts.join("/")
                )
            })
            .collect();
        table.row(&[
            night.short().to_string(),
            opponents.join("; "),
            night.failures.to_string(),
            night.nps.map_or(String::new(), |nps| format!("{nps:.0}")),
        ]);
        let report = format!("{}/{}/report.html", super::RUNS, night.run);
        if folder.is_some_and(|folder| folder.join(&report).exists()) {
            links += &format!(
                "<li><a href=\"{}\">{}</a></li>",
                escape(&report),
                escape(&night.run)
            );
        }
    }
    let mut html = table.html();
    if !links.is_empty() {
        html += "<details><summary>The nights' own reports, with their games</summary>\n";
        html += &format!("<ul>{links}</ul></details>\n");
    }
    html
}

fn short(commit: &str) -> &str {
    &commit[..10.min(commit.len())]
}
