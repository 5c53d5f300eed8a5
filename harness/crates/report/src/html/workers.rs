//! The workers of a run: games, failures and speed of each.

use maud::{Markup, html};

use super::cells::Cell;
use super::markup::paragraph;
use super::numbers::{counted, p_value, rounded_or_dash};
use super::table::Table;
use crate::workers::WorkerFacts;
use hone_stats::detect::is_noteworthy;

/// Workers in the first table; the others are collapsed.
const SHOWN: usize = 32;

/// A table of all workers. `games` is the address of a live page: counts of failures link
/// to the games of the worker there.
pub fn workers_section(workers: &[WorkerFacts], games: Option<&str>) -> Markup {
    if workers.is_empty() {
        return paragraph("No pairs yet.");
    }
    let failing = workers
        .iter()
        .filter(|one| one.failures.total() > 0)
        .count();
    let conspicuous = workers.iter().filter(|one| is_conspicuous(one)).count();
    let sentence = format!(
        "{}, {} with failures, {} with results that differ from the others (p < 0.001).",
        counted(workers.len() as u64, "worker"),
        failing,
        conspicuous
    );
    let (first, rest) = workers.split_at(workers.len().min(SHOWN));
    html! {
        (paragraph(&sentence))
        (table("By machine and core, those with failures first", first, games).html())
        @if !rest.is_empty() { (table("The other workers", rest, games).collapsed()) }
        @if workers.iter().any(|one| one.p_value.is_some()) { p { "p: how often the pairs of a good worker would differ at least as much from those of the others (chi-square). With many workers some values below 0.05 are normal." } }
    }
}

/// Whether its results differ noticeably from those of the other workers.
fn is_conspicuous(worker: &WorkerFacts) -> bool {
    worker.p_value.is_some_and(is_noteworthy)
}

fn table(caption: &str, workers: &[WorkerFacts], games: Option<&str>) -> Table {
    let head = [
        "worker",
        "games",
        "LL LD DD+WL WD WW",
        "time forfeits",
        "starved",
        "crashes",
        "stalls",
        "illegal moves",
        "nodes per second",
        "latency, \u{b5}s",
        "p",
    ];
    let mut table = Table::new(caption, &head);
    for worker in workers {
        let number = |count: u64| match count {
            0 => Cell::text("0").faint(),
            count => Cell::text(&count.to_string()),
        };
        let failures = |count: u64, termination: &str| match games {
            Some(games) if count > 0 => {
                let query = format!("?worker={}&termination={termination}", worker.worker);
                Cell::link(&count.to_string(), &format!("{games}{query}#games")).aligned_as_number()
            }
            _ => number(count),
        };
        let counts = worker.pentanomial.map(|count| count.to_string());
        let p = Cell::text(&p_value(worker.p_value));
        table.cells(vec![
            Cell::text(&worker.name),
            Cell::text(&worker.games.to_string()),
            Cell::text(&counts.join(" ")),
            failures(worker.failures.time_forfeit, "time_forfeit"),
            number(worker.starved),
            failures(worker.failures.crash, "disconnect"),
            failures(worker.failures.stall, "stall"),
            failures(worker.failures.illegal_move, "illegal_move"),
            Cell::text(&rounded_or_dash(worker.nps)),
            Cell::text(&rounded_or_dash(worker.latency_us)),
            if is_conspicuous(worker) {
                p.shaded(0.0)
            } else {
                p
            },
        ]);
    }
    table
}
