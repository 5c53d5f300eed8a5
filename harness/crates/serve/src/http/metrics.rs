//! `/metrics`: the runs in the format of Prometheus.

use std::fmt::Write;

use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};

use super::state::{FOLLOWERS, Shared};
use crate::overview::Overview;
use crate::summary::{RunSummary, State as RunState};

pub(super) async fn metrics(State(shared): State<Shared>) -> Response {
    let overview = shared.overview.borrow().clone();
    let followers = FOLLOWERS - shared.followers.available_permits();
    let text = text(&overview, followers);
    ([(CONTENT_TYPE, "text/plain; version=0.0.4")], text).into_response()
}

/// A gauge of each unfinished run.
type Gauge = (&'static str, &'static str, fn(&RunSummary) -> Option<f64>);

const GAUGES: [Gauge; 9] = [
    ("hone_run_pairs", "Pairs played.", |run| {
        Some(run.pairs as f64)
    }),
    (
        "hone_run_budget_pairs",
        "Pairs after which the run ends at the latest.",
        |run| Some(run.budget as f64),
    ),
    (
        "hone_run_games_per_hour",
        "Speed of the last pairs.",
        |run| run.games_per_hour,
    ),
    (
        "hone_run_failures",
        "Games lost by a crash, a stall, an illegal move or on time.",
        |run| Some(run.failures as f64),
    ),
    ("hone_run_elo", "Elo of the first engine.", |run| {
        run.elo.map(|elo| elo.estimate)
    }),
    (
        "hone_run_llr",
        "Log-likelihood ratio of the sequential test.",
        |run| run.sprt.map(|test| test.llr),
    ),
    ("hone_run_llr_lower", "Its lower bound.", |run| {
        run.sprt.map(|test| test.lower)
    }),
    ("hone_run_llr_upper", "Its upper bound.", |run| {
        run.sprt.map(|test| test.upper)
    }),
    (
        "hone_run_last_pair_seconds",
        "When the last pair was finished, seconds since 1970.",
        |run| run.last_pair_ms.map(|ms| ms as f64 / 1000.0),
    ),
];

const STATES: [(RunState, &str); 3] = [
    (RunState::Running, "running"),
    (RunState::Stopped, "stopped"),
    (RunState::Finished, "finished"),
];

fn text(overview: &Overview, followers: usize) -> String {
    let mut out = String::new();
    write(&mut out, overview, followers).expect("writing to a string cannot fail");
    out
}

fn write(out: &mut String, overview: &Overview, followers: usize) -> std::fmt::Result {
    writeln!(
        out,
        "# HELP hone_runs Runs by state.\n# TYPE hone_runs gauge"
    )?;
    for (state, name) in STATES {
        let count = overview.in_state(state).count();
        writeln!(out, "hone_runs{{state=\"{name}\"}} {count}")?;
    }
    writeln!(
        out,
        "hone_runs{{state=\"damaged\"}} {}",
        overview.damaged.len()
    )?;
    let waiting = overview.queue.iter().filter(|job| job.is_waiting()).count();
    writeln!(out, "hone_runs{{state=\"queued\"}} {waiting}")?;
    writeln!(
        out,
        "# HELP hone_browsers Browsers that follow a page.\n# TYPE hone_browsers gauge\nhone_browsers {followers}"
    )?;
    for (name, help, value) in GAUGES {
        writeln!(out, "# HELP {name} {help}\n# TYPE {name} gauge")?;
        // Finished runs do not change; the JSON API has them.
        let open = overview
            .runs
            .iter()
            .filter(|run| run.state != RunState::Finished);
        for (run, value) in open.filter_map(|run| Some((run, value(run)?))) {
            writeln!(
                out,
                "{name}{{run=\"{}\",kind=\"{}\"}} {value}",
                label(&run.run),
                run.kind.name()
            )?;
        }
    }
    Ok(())
}

/// Escapes a text for the value of a label.
fn label(text: &str) -> String {
    text.replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_cannot_be_broken_out_of() {
        assert_eq!(label("a\"} 1\n\\"), "a\\\"} 1\\n\\\\");
        let text = text(&Overview::default(), 3);
        assert!(text.contains("hone_runs{state=\"running\"} 0\n"), "{text}");
        assert!(text.contains("hone_browsers 3\n"), "{text}");
    }
}
