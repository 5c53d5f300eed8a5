//! The machines and runs of a fleet.

use maud::{Markup, html};

use super::{at, run_href};
use crate::fleet::{FleetView, WorkerPValue};
use crate::snapshot::{Part, Snapshot};
use hone_fleet::{FleetOverview, MachineStatus, RunLine};
use hone_report::html::{counted, p_value, percentage};
use hone_stats::detect::is_noteworthy;

/// The page of a fleet.
pub(crate) fn fleet_parts(view: &FleetView) -> Snapshot {
    let sentence = sentence(view);
    let fleet = view.fleet.as_ref();
    let section = |name: &str, heading: &str, of: fn(&FleetView, &FleetOverview) -> Markup| {
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
    let cores: usize = fleet.workers.iter().map(|one| one.status.cores).sum();
    let busy: usize = fleet.workers.iter().map(|one| one.status.busy).sum();
    // The `sum` of an empty iterator is -0.0.
    let paces = fleet.workers.iter().map(|one| one.status.pace);
    let pace = paces.fold(0.0, |sum, pace| sum + pace);
    format!(
        "{}, {busy} of {cores} cores busy, {pace:.1} games per minute, {}",
        counted(fleet.workers.len() as u64, "machine"),
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

fn machines(view: &FleetView, fleet: &FleetOverview) -> Markup {
    if fleet.workers.is_empty() {
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
            tbody { @for machine in &fleet.workers { (row(view, fleet, machine)) } }
        } }
        p { "p: the p-value of a machine's results against those of the others, in the runs of this folder that are being played. Below 0.001, the results differ." }
    }
}

fn row(view: &FleetView, fleet: &FleetOverview, machine: &MachineStatus) -> Markup {
    let MachineStatus { worker, status, .. } = machine;
    let load = status.busy as f64 / status.cores.max(1) as f64;
    html! {
        tr {
            th scope="row" { (worker) small {
                @if let Some(other) = machine.other_version() { (other) }
                @else { (status.processor) ", " (status.platform) ", hone " (status.hone) }
            } }
            td data-name="load" {
                (status.busy) " of " (counted(status.cores as u64, "core"))
                span.gauge aria-hidden="true" { i class="fill good" style=(format!("left:0;width:{:.0}%", 100.0 * load.min(1.0))) {} }
            }
            td.n data-name="games/min" { (format!("{:.1}", status.pace)) }
            td.n data-name="games" { (status.games) }
            td.n data-name="time forfeits" { (count(status.time_forfeits)) }
            td.n data-name="failures" { (count(status.failures)) }
            td data-name="p" { (smallest_p_value(view.of_worker(worker))) }
            td data-name="plays" {
                @for (run, pairs) in &status.holds {
                    div { (link(view, fleet, run.as_str())) ": " (counted(pairs.len() as u64, "pair")) }
                }
                @for run in &status.building {
                    div { (link(view, fleet, run.as_str())) ": builds its engines" }
                }
                @if status.leaving { "leaving" }
                @else if status.holds.is_empty() { "–" }
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
fn link(view: &FleetView, fleet: &FleetOverview, run: &str) -> Markup {
    let line = fleet.runs.iter().find(|line| line.run.as_str() == run);
    let title = line.map_or(run, |line| line.notice.title.as_str());
    let here = view.names.iter().find(|(name, _)| name.as_str() == run);
    html! {
        @match here {
            Some((_, id)) => a href=(run_href(id)) { (title) },
            None => (title),
        }
    }
}

fn queue(view: &FleetView, fleet: &FleetOverview) -> Markup {
    if fleet.runs.is_empty() {
        return html! { p { "No run is being played." } };
    }
    let mut lines: Vec<&RunLine> = fleet.runs.iter().collect();
    lines.sort_by_key(|line| (std::cmp::Reverse(line.notice.priority), line.run.clone()));
    let playing = lines.iter().filter(|line| !line.notice.draining);
    let all: u32 = playing.map(|line| line.notice.priority).sum();
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
            tbody { @for line in lines { (queued(view, fleet, line, all)) } }
        } }
        p { "Share: of the machines that can play all of these runs, by priority." }
    }
}

fn queued(view: &FleetView, fleet: &FleetOverview, line: &RunLine, all: u32) -> Markup {
    let notice = &line.notice;
    let holders = fleet.workers.iter();
    let holders = holders.filter(|one| one.status.holds.contains_key(&line.run));
    let share = f64::from(notice.priority) / f64::from(all.max(1));
    html! {
        tr {
            th scope="row" { (link(view, fleet, line.run.as_str())) small { (line.run) ", for " (notice.platform) } }
            td.n data-name="priority" { (notice.priority) }
            td.n data-name="share" { @if notice.draining { "ending" } @else { (percentage(share)) } }
            td.n data-name="pairs recorded" { (notice.recorded) }
            td.n data-name="in flight" { (notice.in_flight) }
            td.n data-name="machines" { (holders.count()) }
            td.n data-name="threads a game" { (notice.threads) }
        }
    }
}

/// Machines that a run excludes, and machines that refuse a run.
fn quarantine(view: &FleetView, fleet: &FleetOverview) -> Markup {
    let quarantined = fleet.runs.iter().flat_map(|line| {
        let quarantined = line.notice.quarantined.iter();
        quarantined.map(move |(worker, why)| (line, worker, why))
    });
    let refusing = fleet.workers.iter().flat_map(|machine| {
        let refused = machine.status.refuses.iter();
        refused.map(move |(run, why)| (&machine.worker, run, why))
    });
    let left_out = fleet.runs.iter().flat_map(|line| {
        let patterns = line.notice.exclude.iter();
        patterns.map(move |pattern| (line, pattern))
    });
    let is_empty = quarantined.clone().next().is_none()
        && refusing.clone().next().is_none()
        && left_out.clone().next().is_none();
    html! {
        @if is_empty {
            p { "No machine is in quarantine or excluded from a run, and none refuses a run." }
        } @else {
            ul {
                @for (line, worker, why) in quarantined {
                    li { (worker) " is in quarantine for " (link(view, fleet, line.run.as_str())) ": " (why) }
                }
                @for (line, pattern) in left_out {
                    li { (pattern) " is excluded from " (link(view, fleet, line.run.as_str())) " by its configuration" }
                }
                @for (worker, run, why) in refusing {
                    li { (worker) " does not play " (link(view, fleet, run.as_str())) ": " (why) }
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
        let fleet = FleetOverview {
            server: "here".to_string(),
            workers: Vec::new(),
            runs: Vec::new(),
        };
        let view = FleetView {
            fleet: Some(fleet),
            ..FleetView::default()
        };
        let sentence = sentence(&view);
        assert!(sentence.contains(", 0.0 games per minute"), "{sentence}");
    }
}
