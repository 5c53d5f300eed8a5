//! The machines and runs of a fleet.

use maud::{Markup, html};

use super::{at, run_href};
use crate::fleet::{FleetMachine, FleetRun, FleetStatus, FleetView, WorkerPValue};
use crate::snapshot::{Part, Snapshot};
use hone_report::html::{counted, p_value, percentage};
use hone_stats::detect::is_noteworthy;

/// The page of a fleet.
pub(crate) fn fleet_parts(view: &FleetView) -> Snapshot {
    let sentence = sentence(view);
    let fleet = view.fleet.as_ref();
    let section = |name: &str, heading: &str, of: fn(&FleetView, &FleetStatus) -> Markup| {
        let html = fleet.map(|fleet| of(view, fleet)).unwrap_or_default();
        Part::new(name, Some(heading), html)
    };
    let parts = vec![
        Part::new("state", None, state(view, &sentence)),
        section("machines", "Machines", machines),
        section("queue", "Runs by share", queue),
        section("quarantine", "Quarantine", quarantine),
    ];
    let subtitle = fleet.map_or("", |fleet| fleet.server.as_str());
    Snapshot {
        json: serde_json::to_string(view).unwrap_or_default().into(),
        ..Snapshot::new("Fleet", subtitle, sentence, parts)
    }
}

fn sentence(view: &FleetView) -> String {
    let Some(fleet) = &view.fleet else {
        return "No message of the fleet has arrived yet.".to_string();
    };
    let cores: usize = fleet.machines.iter().map(|one| one.cores).sum();
    let busy: usize = fleet.machines.iter().map(|one| one.busy).sum();
    // The `sum` of an empty iterator is -0.0.
    let paces = fleet.machines.iter().map(|one| one.pace);
    let pace = paces.fold(0.0, |sum, pace| sum + pace);
    format!(
        "{}, {busy} of {cores} cores busy, {pace:.1} games per minute, {}",
        counted(fleet.machines.len() as u64, "machine"),
        counted(fleet.runs.len() as u64, "run")
    )
}

fn state(view: &FleetView, sentence: &str) -> Markup {
    html! {
        p.facts {
            (sentence)
            @if let Some(heard) = view.heard_ms { ", heard " (at(heard)) }
        }
        @if let Some(error) = &view.error { p.failed role="status" { (error) } }
    }
}

fn machines(view: &FleetView, fleet: &FleetStatus) -> Markup {
    if fleet.machines.is_empty() {
        return html! { p { "No machine has joined." } };
    }
    html! {
        div.scroll tabindex="0" { table.runs {
            thead { tr {
                th scope="col" { "machine" }
                th scope="col" { "load" }
                th.n scope="col" { "games/min" }
                th.n scope="col" { "games" }
                th.n scope="col" { "time forfeits" }
                th.n scope="col" { "failures" }
                th scope="col" { "p" }
                th scope="col" { "plays" }
            } }
            tbody { @for machine in &fleet.machines { (row(view, fleet, machine)) } }
        } }
        p { "p: the p-value of a machine's results against those of the others, in the runs of this folder that are being played. Below 0.001, the results differ." }
    }
}

fn row(view: &FleetView, fleet: &FleetStatus, machine: &FleetMachine) -> Markup {
    let load = machine.busy as f64 / machine.cores.max(1) as f64;
    html! {
        tr {
            th scope="row" { (machine.name) small { (machine.description) } }
            td data-name="load" {
                (machine.busy) " of " (counted(machine.cores as u64, "core"))
                span.gauge aria-hidden="true" { i class="fill good" style=(format!("left:0;width:{:.0}%", 100.0 * load.min(1.0))) {} }
            }
            td.n data-name="games/min" { (format!("{:.1}", machine.pace)) }
            td.n data-name="games" { (machine.games) }
            td.n data-name="time forfeits" { (count(machine.time_forfeits)) }
            td.n data-name="failures" { (count(machine.failures)) }
            td data-name="p" { (smallest_p_value(view.of_worker(&machine.name))) }
            td data-name="plays" {
                @for (run, pairs) in &machine.holds {
                    div { (link(view, fleet, run)) ": " (counted(*pairs, "pair")) }
                }
                @for run in &machine.building {
                    div { (link(view, fleet, run)) ": builds its engines" }
                }
                @if machine.leaving { "leaving" }
                @else if machine.holds.is_empty() { "–" }
            }
        }
    }
}

/// A count of undesired events, highlighted unless it is 0.
fn count(count: u64) -> Markup {
    html! { @if count == 0 { "0" } @else { span.failed { (count) } } }
}

/// The smallest p-value.
fn smallest_p_value<'a>(p_values: impl Iterator<Item = &'a WorkerPValue>) -> Markup {
    let known = p_values.filter_map(|one| Some((one.p_value?, one)));
    match known.min_by(|(a, _), (b, _)| a.total_cmp(b)) {
        None => html! { "–" },
        Some((p, one)) => html! {
            span class={ @if is_noteworthy(p) { "failed" } } { (p_value(Some(p))) }
            " " a href=(run_href(&one.run)) { small { (one.run) } }
        },
    }
}

/// A run by its name on the fleet: its title, with a link if its page is here.
fn link(view: &FleetView, fleet: &FleetStatus, run: &str) -> Markup {
    let line = fleet.runs.iter().find(|line| line.name == run);
    let title = line.map_or(run, |line| line.title.as_str());
    html! {
        @match view.names.get(run) {
            Some(id) => a href=(run_href(id)) { (title) },
            None => (title),
        }
    }
}

fn queue(view: &FleetView, fleet: &FleetStatus) -> Markup {
    if fleet.runs.is_empty() {
        return html! { p { "No run is being played." } };
    }
    let mut runs: Vec<&FleetRun> = fleet.runs.iter().collect();
    runs.sort_by_key(|run| (std::cmp::Reverse(run.priority), run.name.clone()));
    let playing = runs.iter().filter(|run| !run.draining);
    let all: u32 = playing.map(|run| run.priority).sum();
    html! {
        div.scroll tabindex="0" { table.runs {
            thead { tr {
                th scope="col" { "run" }
                th.n scope="col" { "priority" }
                th.n scope="col" { "share" }
                th.n scope="col" { "pairs recorded" }
                th.n scope="col" { "in flight" }
                th.n scope="col" { "machines" }
                th.n scope="col" { "threads a game" }
            } }
            tbody { @for run in runs { (queued(view, fleet, run, all)) } }
        } }
        p { "Share: of the machines that can play all of these runs, by priority." }
    }
}

fn queued(view: &FleetView, fleet: &FleetStatus, run: &FleetRun, all: u32) -> Markup {
    let holders = fleet.machines.iter();
    let holders = holders.filter(|one| one.holds.contains_key(&run.name));
    let share = f64::from(run.priority) / f64::from(all.max(1));
    html! {
        tr {
            th scope="row" { (link(view, fleet, &run.name)) small { (run.name) ", for " (run.platform) } }
            td.n data-name="priority" { (run.priority) }
            td.n data-name="share" { @if run.draining { "ending" } @else { (percentage(share)) } }
            td.n data-name="pairs recorded" { (run.recorded) }
            td.n data-name="in flight" { (run.in_flight) }
            td.n data-name="machines" { (holders.count()) }
            td.n data-name="threads a game" { (run.threads) }
        }
    }
}

/// Machines that a run excludes, and machines that refuse a run.
fn quarantine(view: &FleetView, fleet: &FleetStatus) -> Markup {
    let quarantined = fleet.runs.iter().flat_map(|run| {
        let quarantined = run.quarantined.iter();
        quarantined.map(move |(worker, why)| (run, worker, why))
    });
    let refusing = fleet.machines.iter().flat_map(|machine| {
        let refused = machine.refuses.iter();
        refused.map(move |(run, why)| (&machine.name, run, why))
    });
    let left_out = fleet.runs.iter().flat_map(|run| {
        let patterns = run.excluded.iter();
        patterns.map(move |pattern| (run, pattern))
    });
    let is_empty = quarantined.clone().next().is_none()
        && refusing.clone().next().is_none()
        && left_out.clone().next().is_none();
    html! {
        @if is_empty {
            p { "No machine is in quarantine or excluded from a run, and none refuses a run." }
        } @else {
            ul {
                @for (run, worker, why) in quarantined {
                    li { (worker) " is in quarantine for " (link(view, fleet, &run.name)) ": " (why) }
                }
                @for (run, pattern) in left_out {
                    li { (pattern) " is excluded from " (link(view, fleet, &run.name)) " by its configuration" }
                }
                @for (worker, run, why) in refusing {
                    li { (worker) " does not play " (link(view, fleet, run)) ": " (why) }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fleet_without_machines_plays_no_games() {
        let view = FleetView {
            fleet: Some(FleetStatus::default()),
            ..FleetView::default()
        };
        let sentence = sentence(&view);
        assert!(sentence.contains(", 0.0 games per minute"), "{sentence}");
    }
}
