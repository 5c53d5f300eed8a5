//! A run of any kind, and the nights of a track.

use std::path::Path;

use maud::{Markup, PreEscaped, html};
use serde_json::json;

use super::overview::{actions, pace};
use super::{at, run_href};
use crate::report::Breakdown;
use crate::report::html::{Page, copyable, openings_section, workers_section};
use crate::run::Manifest;
use crate::serve::snapshot::{Part, Snapshot};
use crate::serve::summary::{RunSummary, State};

/// What a page of a run shows beside its report.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Beside<'a> {
    pub manifest: &'a Manifest,
    /// The folder of the run.
    pub dir: &'a Path,
    pub summary: &'a RunSummary,
    pub breakdown: &'a Breakdown,
    /// What changed between the engines, as HTML.
    pub change: Option<&'a str>,
}

/// The page of a run: that of its report, and what only makes sense live.
///
/// # Errors
/// If a section cannot be made.
pub(crate) fn run_parts(page: Page, beside: Beside<'_>) -> anyhow::Result<Snapshot> {
    let summary = beside.summary;
    // Those of a fleet are on it already, with more about each.
    let has_machines = page.has_section("machines");
    let address = run_href(&summary.run);
    let workers = beside.breakdown.workers.facts(beside.manifest, beside.dir);
    let mut parts = vec![
        Part::new("lead", None, page.lead),
        Part::new("pace", None, pace_line(summary)),
        Part::new("live", Some("Games being played"), LIVE.to_string()),
    ];
    for section in page.sections {
        let (id, heading) = (section.id, section.heading);
        parts.push(Part::new(id, Some(heading), section.html()?));
        if id == "results" {
            if let Some(change) = beside.change {
                parts.push(Part::new(
                    "change",
                    Some("What changed"),
                    change.to_string(),
                ));
            }
            if let Some(numbers) = numbers(summary) {
                parts.push(Part::new("numbers", Some("Numbers to copy"), numbers));
            }
        }
        if id == "failures" {
            if !has_machines {
                let workers = workers_section(&workers, Some(&address));
                parts.push(Part::new("workers", Some("Workers"), workers));
            }
            let openings = beside.breakdown.openings.facts();
            let openings = openings_section(&openings, beside.manifest, Some(&address));
            parts.push(Part::new("openings", Some("Openings"), openings));
        }
    }
    Ok(Snapshot {
        title: page.title,
        subtitle: page.subtitle,
        description: summary.sentence(),
        parts,
        json: "".into(),
        workers: serde_json::to_string(&json!({ "workers": workers }))?.into(),
    })
}

/// Filled by the page's script.
const LIVE: &str = "<div id=\"live-boards\"></div>\n\
    <p id=\"live-none\" class=\"facts\">No game of this run is being played.</p>\n";

fn pace_line(summary: &RunSummary) -> String {
    let state = match summary.state {
        State::Running => "Running: ",
        State::Stopped => "Stopped, not finished: ",
        State::Finished => "Finished: ",
    };
    let most = if summary.has_fixed_length() {
        ""
    } else {
        "at most "
    };
    let done = format!("{} of {most}{} pairs", summary.pairs, summary.budget);
    html! {
        p.pace { (state) (done) ", " (pace(summary)) (end(summary)) }
        p { (actions(&summary.run, false)) }
        p.facts {
            a href={ (run_href(&summary.run)) "/games.pgn" } { "games.pgn" } " · "
            a href={ "/api" (run_href(&summary.run)) } { "JSON" }
        }
    }
    .into_string()
}

/// When a run will be done.
fn end(summary: &RunSummary) -> Markup {
    let left = summary.remaining.and_then(|left| match left.expected {
        Some(expected) => Some(expected.median),
        None => summary.has_fixed_length().then_some(left.at_most),
    });
    let now = jiff::Timestamp::now().as_millisecond();
    html! {
        @if let Some(left) = left {
            ", done at about " (at(now.saturating_add((left * 1000.0) as i64)))
        }
    }
}

/// The statistics in the forms that other test pages use, if they fit them.
fn numbers(summary: &RunSummary) -> Option<String> {
    let (openbench, fishtest) = (summary.openbench_block()?, summary.fishtest_block()?);
    let html = html! {
        div.beside {
            div { h3 { "OpenBench" } (PreEscaped(copyable(&openbench))) }
            div { h3 { "fishtest" } (PreEscaped(copyable(&fishtest))) }
        }
    };
    Some(html.into_string())
}

/// The page of a folder of nights.
///
/// # Errors
/// If a section cannot be made.
pub(crate) fn nights_parts(page: Page, id: &str) -> anyhow::Result<Snapshot> {
    let mut parts = vec![Part::new("lead", None, page.lead)];
    for section in page.sections {
        let (name, heading) = (section.id, section.heading);
        parts.push(Part::new(name, Some(heading), section.html()?));
    }
    Ok(Snapshot {
        title: page.title,
        description: format!("{}: {}", id, page.subtitle),
        subtitle: page.subtitle,
        parts,
        ..Snapshot::default()
    })
}
