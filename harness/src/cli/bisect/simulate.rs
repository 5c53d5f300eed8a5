//! `hone bisect --simulate N`: planted histories, and plain bisection beside.

use std::thread;

use serde::Serialize;
use serde_json::json;

use crate::cli::{Exit, Failure};
use crate::experiment::bisect::BisectSection;
use crate::experiment::bisect::simulate::{Outcome, Planted, bisect, halves};
use crate::stats::distribution::PairDistribution;

const LOSSES: [f64; 4] = [10.0, 20.0, 40.0, 80.0];
/// Commits after the good one.
const COMMITS: usize = 64;
/// Of pairs between equal commits.
const DRAW_RATIO: f64 = 0.5;
/// The Elo that a tester who does not know the loss might ask for.
const GUESS: f64 = 10.0;
const ERROR: f64 = 0.05;

/// A way to bisect.
#[derive(Clone, Copy)]
enum Method {
    Ours,
    /// By halves, with tests against the true loss or a guess.
    Halves {
        knows: bool,
        error: f64,
    },
}

#[derive(Serialize)]
struct Row {
    loss: f64,
    method: String,
    histories: u64,
    /// Share that named the culprit.
    right: f64,
    mean_games: f64,
    mean_builds: f64,
    /// Share of the intervals of the loss that held it.
    #[serde(skip_serializing_if = "Option::is_none")]
    covered: Option<f64>,
}

/// Prints the table.
pub(super) fn run(histories: u64, json: bool) -> Result<Exit, Failure> {
    // A mistake in any of the steps names the wrong commit.
    let steps = (COMMITS as f64).log2().ceil();
    let methods = [
        Method::Ours,
        Method::Halves {
            knows: true,
            error: ERROR,
        },
        Method::Halves {
            knows: true,
            error: ERROR / steps,
        },
        Method::Halves {
            knows: false,
            error: ERROR / steps,
        },
    ];
    let cells: Vec<(f64, Method)> = LOSSES
        .iter()
        .flat_map(|loss| methods.map(|method| (*loss, method)))
        .collect();
    let rows = thread::scope(|scope| {
        let threads: Vec<_> = cells
            .iter()
            .map(|(loss, method)| scope.spawn(move || row(*loss, *method, histories)))
            .collect();
        let rows = threads.into_iter().map(|thread| match thread.join() {
            Ok(row) => row,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        rows.collect::<anyhow::Result<Vec<Row>>>()
    })?;
    if json {
        outln!("{}", json!({ "rows": rows }));
    } else {
        out!("{}", table(&rows));
    }
    Ok(Exit::Done)
}

fn row(loss: f64, method: Method, histories: u64) -> anyhow::Result<Row> {
    let level = PairDistribution::of_equals(DRAW_RATIO, 0.0)?;
    let section = BisectSection {
        max_pairs: 1_000_000,
        ..BisectSection::default()
    };
    let mut outcomes: Vec<(usize, Outcome)> = Vec::new();
    for seed in 0..histories {
        // Spread over the history, the same for every method.
        let culprit = 1 + (seed as usize * 37 + 11) % COMMITS;
        let planted = Planted {
            last: COMMITS,
            culprit,
            loss,
            level,
        };
        let outcome = match method {
            Method::Ours => bisect(planted, &section, seed)?,
            Method::Halves { knows, error } => {
                let guess = if knows { loss } else { GUESS };
                halves(planted, guess, error, seed)?
            }
        };
        outcomes.push((culprit, outcome));
    }
    let mean = |value: &dyn Fn(&Outcome) -> f64| {
        let sum: f64 = outcomes.iter().map(|(_, outcome)| value(outcome)).sum();
        sum / histories as f64
    };
    let right = outcomes
        .iter()
        .filter(|(k, outcome)| outcome.named == Some(*k));
    let is_ours = matches!(method, Method::Ours);
    Ok(Row {
        loss,
        method: describe(method),
        histories,
        right: right.count() as f64 / histories as f64,
        mean_games: mean(&|outcome| 2.0 * outcome.pairs as f64),
        mean_builds: mean(&|outcome| outcome.builds as f64),
        covered: is_ours.then(|| {
            mean(&|outcome| {
                let holds = outcome
                    .size
                    .is_some_and(|s| s.low <= loss && loss <= s.high);
                f64::from(u8::from(holds))
            })
        }),
    })
}

fn describe(method: Method) -> String {
    match method {
        Method::Ours => "hone bisect, 95 %".to_string(),
        Method::Halves { knows, error } => format!(
            "halves, SPRT of {} at {:.2} %",
            if knows { "the true loss" } else { "10 Elo" },
            100.0 * error
        ),
    }
}

fn table(rows: &[Row]) -> String {
    let mut text = String::from(
        "| loss, Elo | method | right | mean games | mean builds | interval holds the loss |\n\
         |---:|---|---:|---:|---:|---:|\n",
    );
    for row in rows {
        let covered = row
            .covered
            .map_or(String::new(), |share| format!("{:.0} %", 100.0 * share));
        text += &format!(
            "| {} | {} | {:.0} % | {:.0} | {:.1} | {covered} |\n",
            row.loss,
            row.method,
            100.0 * row.right,
            row.mean_games,
            row.mean_builds
        );
    }
    text
}
