//! The machines of a run that was played on a fleet.

use maud::{Markup, html};

use super::cells::Cell;
use super::markup::paragraph;
use super::numbers::p_value;
use super::table::Table;
use crate::machines::{FleetFacts, MachineFacts};
use hone_run::files::machines::IncidentKind;

pub(super) fn section(fleet: &FleetFacts) -> Markup {
    let caption = "Workers; p: how often the pairs of a good worker would differ at least as \
                   much from those of the others";
    let head = [
        "worker",
        "number in the ledger",
        "processor",
        "cores",
        "pairs",
        "Ptnml(0-2)",
        "p",
        "time forfeits",
        "crashes",
        "stalls",
        "illegal moves",
        "latency",
        "clock factor",
        "",
    ];
    let mut table = Table::new(caption, &head);
    for worker in &fleet.workers {
        table.cells(cells(worker));
    }
    let caption = "Pairs that were reassigned to another worker";
    let mut again = Table::new(caption, &["pair", "worker", "reason"]);
    for pair in &fleet.played_again {
        again.row(&[&pair.pair.to_string(), &pair.worker, &pair.reason]);
    }
    html! {
        (table.html())
        @for line in fleet.lines() { (paragraph(&format!("{line}."))) }
        @if !fleet.played_again.is_empty() { (again.collapsed()) }
    }
}

fn cells(worker: &MachineFacts) -> Vec<Cell> {
    let number = |number: u64| Cell::text(&number.to_string());
    let or_dash = |text: Option<String>| Cell::text(&text.unwrap_or_else(|| "–".to_string()));
    let state = match worker.left_out.as_ref().map(|left_out| left_out.kind) {
        Some(IncidentKind::Excluded) => "excluded",
        Some(IncidentKind::Declined) => "did not play",
        Some(_) => "in quarantine",
        None if worker.built => "built its engines",
        None => "",
    };
    vec![
        Cell::text(&worker.worker).aligned_as_text(),
        or_dash(worker.number.map(|number| number.to_string())),
        Cell::text(&worker.processor).aligned_as_text(),
        number(worker.cores as u64),
        number(worker.pairs),
        Cell::text(&format!("{:?}", worker.pentanomial)).aligned_as_text(),
        Cell::text(&p_value(worker.p_value)),
        number(worker.time_forfeits),
        number(worker.crashes),
        number(worker.stalls),
        number(worker.illegal_moves),
        or_dash(worker.latency_us.map(|us| format!("{us:.0} µs"))),
        or_dash(worker.clock_factor.map(|factor| format!("{factor:.3}"))),
        Cell::text(state).aligned_as_text(),
    ]
}
