//! The search for finished runs, and the fields of its form.

use maud::{Markup, html};
use serde::Deserialize;

use hone_run::Kind;

/// The verdicts to search for.
const VERDICTS: [&str; 4] = ["H1", "H0", "undecided", "none"];

/// A search. An empty field matches every run.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Search {
    /// Words, all of which must be in the engines, the limit or the run's name.
    pub(super) text: String,
    pub(super) kind: String,
    pub(super) verdict: String,
    /// First and last day, as in `2026-11-23`, inclusive.
    pub(super) since: String,
    pub(super) until: String,
    /// Number of found runs on the previous pages.
    pub(super) offset: usize,
}

/// The fields of a search, also for the overview, where a script applies them.
pub(super) fn fields(search: &Search) -> Markup {
    let kinds = Kind::ALL.map(Kind::name).into_iter().chain(["track"]);
    html! {
        label { "Search " input #filter-text name="text" type="search" value=(search.text) placeholder="engine, commit, run"; }
        label { "Kind " (choice("kind", kinds, &search.kind)) }
        label { "Verdict " (choice("verdict", VERDICTS, &search.verdict)) }
        label { "From " input #filter-since name="since" type="date" value=(search.since); }
        label { "To " input #filter-until name="until" type="date" value=(search.until); }
    }
}

fn choice(name: &str, values: impl IntoIterator<Item = &'static str>, chosen: &str) -> Markup {
    html! {
        select id={ "filter-" (name) } name=(name) {
            option value="" { "all" }
            @for value in values { option value=(value) selected[value == chosen] { (value) } }
        }
    }
}
