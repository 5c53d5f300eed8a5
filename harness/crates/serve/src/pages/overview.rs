//! The overview: all runs.

use maud::{Markup, html};

use super::search::{Search, fields};
use super::{at, run_href};
use crate::overview::Overview;
use crate::snapshot::{Part, Snapshot};
use crate::summary::{RunSummary, State};
use hone_report::html::{Tone, counted, signed};
use hone_report::{TestVerdict, duration, fixed};

/// Maximum number of finished runs on the page; `finished` has all.
const FINISHED: usize = 500;

/// The parts of the overview.
pub(crate) fn overview_parts(overview: &Overview) -> Snapshot {
    let count = |state| overview.in_state(state).count() as u64;
    let (running, stopped, finished) = (
        count(State::Running),
        count(State::Stopped),
        count(State::Finished),
    );
    let sentence = format!(
        "{running} running, {} queued, {stopped} stopped, {finished} finished",
        overview.queue.iter().filter(|job| job.is_waiting()).count()
    );
    let mut parts = vec![
        Part::new(
            "state",
            None,
            html! { p.facts { (sentence) @if overview.loading { ", reading more …" } } },
        ),
        Part::new("filter", None, filter()),
        section(
            "running",
            "Running",
            runs(overview.in_state(State::Running), "No run is being played."),
        ),
    ];
    parts.push(section(
        "queue",
        "Queue",
        when(!overview.queue.is_empty(), || queue(overview)),
    ));
    parts.push(section(
        "stopped",
        "Stopped",
        when(stopped > 0, || runs(overview.in_state(State::Stopped), "")),
    ));
    let newest = overview.in_state(State::Finished).take(FINISHED);
    let mut list = runs(newest, "No run has finished.");
    if finished > FINISHED as u64 {
        list = html! { p { "The newest " (FINISHED) " of " (finished) ". " a href="/finished" { "Search all finished runs" } "." } (list) };
    }
    parts.push(section("finished", "Finished", list));
    parts.push(section(
        "nights",
        "Tracking",
        when(!overview.nights.is_empty(), || nights(overview)),
    ));
    parts.push(section(
        "damaged",
        "Damaged",
        when(!overview.damaged.is_empty(), || damaged(overview)),
    ));
    let subtitle = counted(overview.runs.len() as u64, "run");
    Snapshot::new("Runs", &subtitle, sentence, parts)
}

/// The HTML if the condition holds; an empty part hides its section.
fn when(is_there: bool, html: impl FnOnce() -> Markup) -> Markup {
    if is_there {
        html()
    } else {
        html! {}
    }
}

fn section(name: &str, heading: &str, html: Markup) -> Part {
    Part::new(name, Some(heading), html)
}

/// The search field, which hides other rows by the page's script.
fn filter() -> Markup {
    html! {
        form #run-filter .filter role="search" hidden { (fields(&Search::default())) }
        p #filter-count .facts aria-live="polite" {}
    }
}

/// A table of runs, all of them in progress or none; the text `none` if it is empty.
pub(super) fn runs<'a>(runs: impl Iterator<Item = &'a RunSummary>, none: &str) -> Markup {
    let rows: Vec<&RunSummary> = runs.collect();
    let Some(first) = rows.first() else {
        return html! { p { (none) } };
    };
    let pace = match first.state {
        State::Running => "speed and time left",
        State::Stopped | State::Finished => "last pair",
    };
    html! {
        div.scroll tabindex="0" {
            table.runs {
                thead { tr {
                    th scope="col" { "run" }
                    th scope="col" { "state" }
                    th scope="col" { "LLR" }
                    th scope="col" { "Elo" }
                    th.n scope="col" { "games" }
                    th scope="col" { "W-D-L" }
                    th scope="col" { (pace) }
                    th scope="col" { "started" }
                } }
                tbody { @for run in rows { (row(run)) } }
            }
        }
    }
}

/// The text that a search compares.
pub(super) fn text(run: &RunSummary) -> String {
    let found = run.found.as_deref().unwrap_or_default();
    let engines = run.descriptions.join(" ");
    format!("{} {engines} {} {found}", run.run, run.limit).to_lowercase()
}

/// The day on which it was started.
pub(super) fn date(run: &RunSummary) -> String {
    run.created.strftime("%Y-%m-%d").to_string()
}

fn row(run: &RunSummary) -> Markup {
    html! {
        tr data-text=(text(run)) data-kind=(run.kind.name()) data-verdict=(verdict_word(run)) data-date=(date(run)) {
            th scope="row" {
                a href=(run_href(&run.run)) data-stats[run.wdl.is_some()] { (players(run)) }
                small { (run.kind.name()) ", " (run.limit) " · " (run.run) }
                @if let Some(found) = &run.found { span.found { (found) } }
            }
            td data-name="state" { span class={ "verdict" (tone(run)) } { (state_words(run)) } }
            td data-name="LLR" { (llr(run)) }
            td data-name="Elo" { (elo(run)) }
            td.n data-name="games" { (run.games) @if run.failures > 0 { br; span.failed { (run.failures) " failed" } } }
            td data-name="W-D-L" { (wdl(run)) }
            @if run.state == State::Running { td data-name="speed" { (pace(run)) } }
            @else { td data-name="last pair" { (run.last_pair_ms.map_or_else(String::new, at)) } }
            td data-name="started" { (at(run.created.as_millisecond())) }
        }
    }
}

/// The engines; for a bisection, both ends of its history.
fn players(run: &RunSummary) -> String {
    match &run.descriptions[..] {
        [first, .., last] if run.descriptions.len() > 4 => {
            format!("{first} … {last} ({} engines)", run.descriptions.len())
        }
        all => all.join(" – "),
    }
}

pub(super) fn verdict_word(run: &RunSummary) -> &'static str {
    match run.verdict {
        TestVerdict::H1 => "H1",
        TestVerdict::H0 => "H0",
        TestVerdict::None if run.is_undecided() => "undecided",
        TestVerdict::None => "none",
    }
}

fn state_words(run: &RunSummary) -> String {
    match (run.state, run.verdict) {
        (State::Finished, TestVerdict::None) if run.is_undecided() => "undecided".to_string(),
        (State::Finished, TestVerdict::None) => "finished".to_string(),
        (State::Finished, verdict) => format!("{verdict} accepted"),
        (State::Running, _) => "running".to_string(),
        (State::Stopped, _) => "stopped".to_string(),
    }
}

fn tone(run: &RunSummary) -> &'static str {
    match run.verdict {
        TestVerdict::H1 => " good",
        TestVerdict::H0 => " bad",
        TestVerdict::None => "",
    }
}

fn llr(run: &RunSummary) -> Markup {
    let Some(test) = run.sprt else {
        return Markup::default();
    };
    let place = |value: f64| {
        100.0
            * ((value - test.lower) / (test.upper - test.lower).max(f64::MIN_POSITIVE))
                .clamp(0.0, 1.0)
    };
    let (zero, now) = (place(0.0), place(test.llr));
    let side = if test.llr < 0.0 { "bad" } else { "good" };
    html! {
        span.number { (fixed(test.llr, 2).replace('-', "\u{2212}")) }
        " " small { "(" (format!("{:.2}", test.lower).replace('-', "\u{2212}")) ", " (format!("{:.2}", test.upper)) ")" }
        span.gauge aria-hidden="true" {
            i class={ "fill " (side) } style=(format!("left:{:.1}%;width:{:.1}%", zero.min(now), (zero - now).abs())) {}
            i.zero style=(format!("left:{zero:.1}%")) {}
        }
    }
}

fn elo(run: &RunSummary) -> Markup {
    let Some(elo) = run.elo else {
        return Markup::default();
    };
    let tone = match Tone::of(run.elo) {
        Tone::Good => "good-text",
        Tone::Bad => "bad-text",
        Tone::Neutral => "",
    };
    html! {
        span class={ "number " (tone) } { (signed(elo.estimate)) }
        " " small { "[" (signed(elo.low)) ", " (signed(elo.high)) "]" }
    }
}

fn wdl(run: &RunSummary) -> String {
    match run.wdl {
        Some([wins, draws, losses]) => format!("{wins}-{draws}-{losses}"),
        None => String::new(),
    }
}

/// Speed, and the time left.
pub(super) fn pace(run: &RunSummary) -> Markup {
    let speed = run.games_per_hour.map(|games| match games {
        games if games >= 100.0 => format!("{games:.0} games/h"),
        games => format!("{games:.1} games/h"),
    });
    if run.state != State::Running {
        return html! {
            @if let Some(last) = run.last_pair_ms { "last pair " (at(last)) } @else { "–" }
        };
    }
    html! {
        (speed.unwrap_or_else(|| "speed not known yet".to_string()))
        @if let Some(left) = run.remaining {
            br;
            @match left.expected {
                Some(e) => {
                    "about " (duration(e.median)) " left "
                    small { "(95 %: " (duration(e.low)) " to " (duration(e.high)) ", at most " (duration(left.at_most)) ")" }
                },
                None if run.has_fixed_length() => { "about " (duration(left.at_most)) " left" },
                None => { "at most " (duration(left.at_most)) " left" },
            }
        }
    }
}

fn queue(overview: &Overview) -> Markup {
    html! {
        div.scroll tabindex="0" {
            table.runs {
                thead { tr {
                    th scope="col" { "run" } th scope="col" { "state" } th.n scope="col" { "priority" }
                    th scope="col" { "submitted" } th scope="col" { "actions" }
                } }
                tbody {
                    @for job in &overview.queue {
                        tr data-text=(job.name.to_lowercase()) data-kind=(job.kind.name()) data-verdict="none" data-date="" {
                            th scope="row" { a href=(run_href(&job.name)) { (job.name) } small {
                                (job.kind.name()) " by " (job.by)
                                @if let Some(by) = &job.approved_by { ", approved by " (by) }
                                " · " a href={ "/api/queue/" (job.name) } { "configuration" }
                            } }
                            td data-name="state" { (job.words()) }
                            td.n data-name="priority" { (job.priority) }
                            td data-name="submitted" { (at(job.submitted.as_millisecond())) }
                            td data-name="actions" { (actions(&job.name, job.offered())) }
                        }
                    }
                }
            }
        }
    }
}

/// The buttons of a run for these actions; they need the page's script and a token.
pub(super) fn actions(run: &str, offered: &[&str]) -> Markup {
    html! {
        span.actions data-run=(run) hidden {
            @for action in offered {
                button type="button" data-action=(action) { (action) }
            }
        }
    }
}

fn nights(overview: &Overview) -> Markup {
    html! {
        ul { @for nights in &overview.nights {
            li data-text=(nights.text()) data-kind="track" data-verdict="none" data-date="" { a href=(run_href(&nights.name)) { (nights.name) } ": " (nights.status) }
        } }
    }
}

fn damaged(overview: &Overview) -> Markup {
    html! {
        ul { @for run in &overview.damaged { li { code { (run.run) } ": " (run.reason) } } }
    }
}
