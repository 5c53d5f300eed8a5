//! All finished runs: searched by the server, so that none is too old to be found.

use maud::{Markup, html};
use serde::Deserialize;

use super::frame::{Site, still};
use super::overview::{KINDS, VERDICTS, date, runs, text, verdict_word};
use crate::serve::overview::Overview;
use crate::serve::summary::{RunSummary, State};

/// Runs on a page.
const PAGE: usize = 200;

/// What is looked for. An empty field is no condition.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Search {
    /// Words, all of which must be in the engines, the limit or the run's name.
    text: String,
    kind: String,
    verdict: String,
    /// Days as `2026-11-23`, both included.
    since: String,
    until: String,
    /// Runs found that are on the pages before.
    offset: usize,
}

impl Search {
    fn finds(&self, run: &RunSummary) -> bool {
        let (text, date) = (text(run), date(run));
        let words = self.text.to_lowercase();
        words.split_whitespace().all(|word| text.contains(word))
            && (self.kind.is_empty() || self.kind == run.kind.name())
            && (self.verdict.is_empty() || self.verdict == verdict_word(run))
            && (self.since.is_empty() || date >= self.since)
            && (self.until.is_empty() || date <= self.until)
    }
}

/// The page of all finished runs, newest first.
pub(crate) fn finished_page(overview: &Overview, search: &Search, site: Site) -> Markup {
    let found: Vec<&RunSummary> = overview
        .in_state(State::Finished)
        .filter(|run| search.finds(run))
        .collect();
    let start = search.offset.min(found.len());
    let shown = &found[start..found.len().min(start + PAGE)];
    let to = start + shown.len();
    still(
        "Finished runs",
        site,
        &html! {
            (form(search))
            p.facts {
                @match found.len() {
                    0 => { "No finished run fits." },
                    all => { "Runs " (start + 1) " to " (to) " of " (all) ", newest first." },
                }
            }
            (runs(shown.iter().copied(), ""))
            nav aria-label="Pages" {
                @if start > 0 { button form="finished" name="offset" value=(start.saturating_sub(PAGE)) { "Newer" } " " }
                @if to < found.len() { button form="finished" name="offset" value=(to) { "Older" } }
            }
        },
    )
}

fn form(search: &Search) -> Markup {
    html! {
        form #finished .filter role="search" action="/finished" {
            label { "Search " input name="text" type="search" value=(search.text) placeholder="engine, commit, run"; }
            label { "Kind " (choice("kind", &KINDS, &search.kind)) }
            label { "Verdict " (choice("verdict", &VERDICTS, &search.verdict)) }
            label { "From " input name="since" type="date" value=(search.since); }
            label { "To " input name="until" type="date" value=(search.until); }
            button { "Search" }
        }
    }
}

fn choice(name: &str, values: &[&str], chosen: &str) -> Markup {
    html! {
        select name=(name) {
            option value="" { "all" }
            @for value in values { option value=(value) selected[*value == chosen] { (value) } }
        }
    }
}
