//! The Elo of all nights as an HTML page.

use std::path::Path;

use maud::{Markup, html};

use super::RUNS;
use super::change::Direction;
use super::chart::on_page;
use super::night::Night;
use super::status::{Comparison, Point, Status, nightlies};
use hone_builds::{Forge, Repository, short_id};
use hone_report::html::{
    BELOW, Cell, Figure, Page, PageLocation, Paint, Table, Tone, counted, ends, figure, paragraph,
    rounded, scale_of, signed, with_margin,
};
use hone_run::Manifest;
use hone_stats::Estimate;
use hone_stats::summary::Interval;

/// The page of the nights in `dir`, in the order of their commits. A page outside of `dir` has
/// no links to the reports of the nights.
///
/// # Errors
/// If the chart cannot be drawn.
pub(super) fn html(
    status: &Status,
    nights: &[Night],
    dir: &Path,
    place: PageLocation<'_>,
) -> anyhow::Result<Page> {
    let limit = nights.first().map_or("", |night| night.limit.as_str());
    let mut page = Page::new(
        "Elo over nightlies",
        &format!("{}, limit {limit}", nightlies(nights.len())),
    );
    page.lead(&status.sentences(), tone(status));
    page.figures(&figures(status));
    if !nights.is_empty() {
        let reports = Reports { dir, place };
        let forge = forge(dir, nights);
        page.section("elo", "Elo over commits", elo(status)?);
        page.section("changes", "Changes", changes(status, forge.as_ref()));
        let table = list(status, nights, reports, forge.as_ref());
        let table = html! { (table) (matches(nights).collapsed()) };
        page.section("nights", "Nightlies", table);
    }
    Ok(page)
}

fn tone(status: &Status) -> Tone {
    let last = status.points.last();
    let noticed = last
        .into_iter()
        .flat_map(|last| status.noticed_at(&last.commit));
    match noticed.last().map(|change| change.direction) {
        _ if status.is_regression() => Tone::Bad,
        Some(Direction::Gain) => Tone::Good,
        _ => Tone::Neutral,
    }
}

fn figures(status: &Status) -> Vec<Figure> {
    let against = |name: &str, other: Option<&Comparison>| match other {
        None => Figure::new(name, "–", "no other nightly yet"),
        Some(other) => {
            let mut figure = elo_figure(name, other.elo, other.interval);
            figure.note += &format!(", {}", short_id(&other.commit));
            figure
        }
    };
    let last = status.points.last();
    let mut elo = elo_figure(
        "Elo relative to the anchor",
        last.and_then(|point| point.elo),
        last.and_then(|point| point.interval),
    );
    elo.note += &format!(", {}", short_id(&status.anchor));
    let losses = status
        .changes
        .iter()
        .filter(|change| change.direction == Direction::Loss)
        .count() as u64;
    let gains = status.changes.len() as u64 - losses;
    let note = format!(
        "{}, {}",
        counted(losses, "regression"),
        counted(gains, "gain")
    );
    vec![
        elo,
        against("Against the previous nightly", status.previous.as_ref()),
        against("Against the best earlier nightly", status.best.as_ref()),
        Figure::new("Changes detected", &status.changes.len().to_string(), &note)
            .with_tone(tone(status)),
    ]
}

/// A figure with Elo, and its error margin where there is one.
fn elo_figure(name: &str, elo: Option<Estimate>, interval: Option<Interval>) -> Figure {
    match interval {
        Some(Interval::AlwaysValid) => Figure::early_elo(name, elo),
        _ => Figure::elo(name, elo),
    }
}

/// The host of the commits' web pages, from the manifest of the last night's run.
fn forge(dir: &Path, nights: &[Night]) -> Option<Forge> {
    let last = nights.last()?;
    let manifest = Manifest::read(&dir.join(RUNS).join(&last.run)).ok()?;
    let repository = manifest.config.engine.first()?.git.as_ref()?;
    Repository::open(&manifest.base.join(repository))
        .ok()?
        .forge()
}

fn elo(status: &Status) -> anyhow::Result<Markup> {
    let chart = on_page(status);
    let mut colours = vec![(Paint::First, "Elo and interval")];
    let marks = [
        (Paint::Ink, "release"),
        (Paint::Good, "gain"),
        (Paint::Bad, "loss"),
    ];
    let is_marked = |paint| chart.marks.iter().any(|mark| mark.paint == paint);
    colours.extend(marks.into_iter().filter(|(paint, _)| is_marked(*paint)));
    figure(&chart, &colours)
}

/// The location of the reports of the nights' runs.
#[derive(Debug, Clone, Copy)]
struct Reports<'a> {
    dir: &'a Path,
    place: PageLocation<'a>,
}

impl Reports<'_> {
    /// The link to a night's report, if the page can reach it.
    fn of(self, night: &Night) -> Option<String> {
        let report = format!("{RUNS}/{}/report.html", night.run);
        match self.place {
            PageLocation::Inside => self.dir.join(&report).exists().then_some(report),
            PageLocation::Served(address) => Some(format!("{address}{BELOW}{}", night.run)),
            PageLocation::Elsewhere => None,
        }
    }
}

/// The table of all nights, newest first, with links to the report of each run and to the
/// changes since the previous night.
fn list(status: &Status, nights: &[Night], reports: Reports<'_>, forge: Option<&Forge>) -> Markup {
    let scale = scale_of(status.points.iter().filter_map(|point| point.elo));
    let head = [
        "commit",
        "Elo",
        "95 % interval",
        "changes",
        "subject",
        "date",
        "release",
        "bench",
    ];
    let mut table = Table::new("All nightlies on one scale, newest first", &head);
    // `points` has one entry for each night, in the same order.
    for (at, (point, night)) in status.points.iter().zip(nights).enumerate().rev() {
        let before = at.checked_sub(1).map(|before| &status.points[before]);
        let (elo, bar) = match point.elo {
            Some(elo) => (
                Cell::text(&match point.interval {
                    Some(Interval::AlwaysValid) => signed(elo.estimate),
                    _ => with_margin(elo),
                }),
                Cell::interval(elo, scale, &ends(elo)),
            ),
            None => (Cell::text("unknown"), Cell::text("")),
        };
        let bench = point.bench.map_or(String::new(), |nodes| nodes.to_string());
        table.cells(vec![
            commit(point, reports.of(night)),
            elo,
            bar,
            diff(before, point, forge),
            Cell::text(&point.subject).aligned_as_text(),
            Cell::text(&point.date.strftime("%Y-%m-%d").to_string()),
            Cell::text(point.tag.as_deref().unwrap_or_default()).aligned_as_text(),
            Cell::text(&bench),
        ]);
    }
    table.html()
}

fn commit(point: &Point, report: Option<String>) -> Cell {
    let short = short_id(&point.commit);
    match report {
        Some(report) => Cell::link(short, &report),
        None => Cell::text(short),
    }
}

/// The changes since the previous night: a link, or a git command.
fn diff(before: Option<&Point>, point: &Point, forge: Option<&Forge>) -> Cell {
    let Some(before) = before.filter(|before| before.commit != point.commit) else {
        return Cell::text("");
    };
    match forge {
        Some(forge) => Cell::link("diff", &forge.diff(&before.commit, &point.commit)),
        None => Cell::command(&format!(
            "git diff {} {}",
            short_id(&before.commit),
            short_id(&point.commit)
        )),
    }
}

fn changes(status: &Status, forge: Option<&Forge>) -> Markup {
    if status.changes.is_empty() {
        return paragraph("No change detected.");
    }
    let mut table = Table::new(
        "By the sequential test over all nightlies",
        &["most likely with", "Elo", "95 %", "detected with"],
    );
    let commit = |night: usize| match (status.points.get(night), forge) {
        (None, _) => Cell::text(""),
        (Some(point), None) => Cell::text(&named(point)).aligned_as_text(),
        (Some(point), Some(forge)) => Cell::link(&named(point), &forge.commit(&point.commit)),
    };
    for change in &status.changes {
        let elo = change.elo;
        table.cells(vec![
            commit(change.at),
            Cell::text(&signed(elo.estimate)),
            Cell::text(&ends(elo)),
            commit(change.noticed),
        ]);
    }
    table.html()
}

fn named(point: &Point) -> String {
    format!("{} {}", short_id(&point.commit), point.subject)
}

/// The table of each night's matches.
fn matches(nights: &[Night]) -> Table {
    let mut table = Table::new(
        "Pairs against each opponent, from the new build's side; newest first",
        &[
            "commit",
            "LL/LD/DD+WL/WD/WW",
            "failures",
            "nodes per second",
        ],
    );
    for night in nights.iter().rev() {
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
            night.nps.map_or(String::new(), rounded),
        ]);
    }
    table
}
