//! The Elo of all nights as one page of HTML.

use std::path::Path;

use super::RUNS;
use super::chart::chart_on_page;
use super::night::{Night, in_order};
use super::status::Status;
use crate::builds::short_id;
use crate::report::html::{Page, Paint, Table, Tone, escape, figure, paragraph};

/// The page that lies beside `elo.csv` in `dir`, or elsewhere if not `inside`:
/// then it has no links to the nights' own reports.
///
/// # Errors
/// If a picture cannot be drawn.
pub(crate) fn html(
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
    let tone = if status.is_regression() {
        Tone::Bad
    } else {
        Tone::Neutral
    };
    page.lead(&status.sentences(), tone);
    if !nights.is_empty() {
        page.section("elo", "Elo over commits", elo(status)?);
        page.section("changes", "Changes", changes(status));
        let folder = inside.then_some(dir);
        page.section("nights", "Nights", matches(nights, folder));
    }
    Ok(page)
}

fn elo(status: &Status) -> anyhow::Result<String> {
    let (svg, words) = chart_on_page(status)?;
    let colours = [
        (Paint::First, "Elo and interval"),
        (Paint::Ink, "release"),
        (Paint::Good, "gain"),
        (Paint::Bad, "loss"),
    ];
    Ok(figure(&svg, &words, &colours) + &points(status))
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
            short_id(&point.commit).to_string(),
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
            format!("{} {}", short_id(&point.commit), point.subject)
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
                    short_id(&played.commit),
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
        let report = format!("{}/{}/report.html", RUNS, night.run);
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
