//! A run of any kind, and the nights of a track.

use maud::{Markup, html};
use serde_json::json;

use super::overview::{actions, pace};
use super::{at, run_href};
use crate::snapshot::{Part, Snapshot};
use crate::summary::{RunSummary, State};
use hone_base::checksum::sha256_of;
use hone_report::html::{BELOW, Page, Section, copyable, openings_section, workers_section};
use hone_report::{Form, OpeningFacts, WorkerFacts};
use hone_run::Manifest;

/// The parts of a run's page besides its report.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Beside<'a> {
    pub manifest: &'a Manifest,
    pub summary: &'a RunSummary,
    /// The actions that are possible, if the run is in the queue.
    pub queued: Option<&'a [&'a str]>,
    pub workers: &'a [WorkerFacts],
    pub openings: &'a OpeningFacts,
    /// The commits between the engines.
    pub change: Option<&'a Markup>,
    /// Number of finished games in the list.
    pub games: usize,
}

/// The page of a run: its report and the live parts.
///
/// # Errors
/// If the workers cannot be serialized.
pub(crate) fn run_parts(page: Page, beside: Beside<'_>) -> anyhow::Result<Snapshot> {
    let summary = beside.summary;
    // For a run on a fleet, the report has this section with more details.
    let has_machines = page.has_section("machines");
    let address = run_href(&summary.run);
    let mut parts = vec![
        Part::new("lead", None, page.result()),
        Part::new("pace", None, pace_line(summary, beside.queued)),
    ];
    if summary.state != State::Finished {
        parts.push(Part::new("live", Some("Games being played"), live()));
    }
    for Section { id, heading, html } in page.sections {
        parts.push(Part::new(id, Some(heading), html));
        if id == "results" {
            if let Some(change) = beside.change {
                parts.push(Part::new("change", Some("What changed"), change.clone()));
            }
            if let Some(numbers) = numbers(summary) {
                parts.push(Part::new("numbers", Some("Numbers to copy"), numbers));
            }
        }
        if id == "failures" {
            if !has_machines {
                let workers = workers_section(beside.workers, Some(&address));
                parts.push(Part::new("workers", Some("Workers"), workers));
            }
            let openings = openings_section(beside.openings, beside.manifest, Some(&address));
            parts.push(Part::new("openings", Some("Openings"), openings));
        }
    }
    // The script requests the list of games again when their number has changed.
    parts.push(Part::data("finished", beside.games.to_string()));
    Ok(Snapshot {
        identity: identity(beside.manifest)?,
        workers: serde_json::to_string(&json!({ "workers": beside.workers }))?.into(),
        ..Snapshot::new(&page.title, &page.subtitle, summary.sentence(), parts)
    })
}

/// The identity of a run's page: the manifest changes if another run takes the place of the run,
/// or if the run is extended.
fn identity(manifest: &Manifest) -> anyhow::Result<String> {
    let text = serde_json::to_string(manifest)?;
    Ok(sha256_of(text.as_bytes()))
}

/// Filled by the page's script.
fn live() -> Markup {
    html! {
        div #live-boards {}
        noscript { p { "The boards of the games being played need JavaScript." } }
        p #live-none .facts hidden { "No game of this run is being played." }
    }
}

/// The possible actions on a run. A run that is not in the queue is played by another process
/// or can be resumed. Stages, nights and verifying tests are resumed with their main run.
fn offered<'a>(summary: &RunSummary, queued: Option<&'a [&'a str]>) -> &'a [&'a str] {
    let is_part = summary.run.contains(BELOW);
    match queued {
        Some(offered) => offered,
        None if is_part || summary.state == State::Running || summary.is_over() => &[],
        None => &["resume"],
    }
}

fn pace_line(summary: &RunSummary, queued: Option<&[&str]>) -> Markup {
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
    // A sentence begins with it.
    let stage = summary.stage.as_ref().map(|words| {
        let mut words = words.clone();
        words.replace_range(..1, "S");
        words + ". "
    });
    html! {
        p.pace { (stage.unwrap_or_default()) (state) (done) ", " (pace(summary)) (end(summary)) }
        p { (actions(&summary.run, offered(summary, queued))) }
        p.facts {
            a href={ (run_href(&summary.run)) "/games.pgn" } { "games.pgn" } " · "
            a href={ "/api" (run_href(&summary.run)) } { "JSON" }
        }
    }
}

/// The expected end of a run.
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

/// The statistics in the formats of other test pages, if they apply.
fn numbers(summary: &RunSummary) -> Option<Markup> {
    let openbench = summary.form(Form::OpenBench)?;
    let fishtest = summary.form(Form::Fishtest)?;
    Some(html! {
        @if let Some(stage) = &summary.stage { p { "The numbers of " (stage) "." } }
        div.beside {
            div { h3 { "OpenBench" } (copyable(&openbench)) }
            div { h3 { "fishtest" } (copyable(&fishtest)) }
        }
    })
}

/// The page of a folder of nights.
pub(crate) fn nights_parts(page: Page, id: &str) -> Snapshot {
    let mut parts = vec![Part::new("lead", None, page.result())];
    let sections = page.sections.into_iter();
    parts.extend(sections.map(|one| Part::new(one.id, Some(one.heading), one.html)));
    let description = format!("{}: {}", id, page.subtitle);
    Snapshot {
        identity: "track".to_string(),
        ..Snapshot::new(&page.title, &page.subtitle, description, parts)
    }
}
