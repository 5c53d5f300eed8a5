//! All finished runs, searched by the server, so that old runs are found too.

use maud::{Markup, html};

use super::frame::{Site, still};
use super::overview::{date, runs, text, verdict_word};
use super::search::{Search, fields};
use crate::overview::Overview;
use crate::summary::{RunSummary, State};
use hone_report::html::counted;

/// Number of runs on a page.
const PAGE: usize = 200;

fn finds(search: &Search, run: &RunSummary) -> bool {
    let (text, date) = (text(run), date(run));
    let words = search.text.to_lowercase();
    words.split_whitespace().all(|word| text.contains(word))
        && (search.kind.is_empty() || search.kind == run.kind.name())
        && (search.verdict.is_empty() || search.verdict == verdict_word(run))
        && (search.since.is_empty() || date >= search.since)
        && (search.until.is_empty() || date <= search.until)
}

/// The page of all finished runs, newest first.
pub(crate) fn finished_page(overview: &Overview, search: &Search, site: Site) -> Markup {
    let found: Vec<&RunSummary> = overview
        .in_state(State::Finished)
        .filter(|run| finds(search, run))
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
                    0 => { "No finished run matches." },
                    all if shown.is_empty() => { "Only " (counted(all as u64, "run")) " match" @if all == 1 { "es" } "." },
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
            (fields(search))
            button { "Search" }
        }
    }
}
