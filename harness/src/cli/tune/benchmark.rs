//! `hone tune --benchmark`.

use std::time::Instant;

use clap::Args;
use serde::Serialize;

use crate::cli::{Exit, Failure};
use crate::experiment::tune::benchmark::{self, Plan, Row};

#[derive(Debug, Args)]
#[command(next_help_heading = "Benchmark")]
pub(super) struct BenchmarkArgs {
    /// Random landscapes for each cell of the table.
    #[arg(long, default_value_t = 40, requires = "benchmark", value_name = "N")]
    landscapes: usize,
    /// Seed of landscapes and games.
    #[arg(long, default_value_t = 1, requires = "benchmark")]
    seed: u64,
    /// Other shapes: cliffs, plateaus, strong skew and coupling, optima at a
    /// bound, dead parameters, optima far away and near.
    #[arg(long, requires = "benchmark")]
    other_shapes: bool,
    /// Threads; by default one a processor.
    #[arg(long, requires = "benchmark")]
    threads: Option<std::num::NonZeroUsize>,
}

#[derive(Serialize)]
struct Report {
    landscapes: usize,
    seed: u64,
    pairs: u64,
    seconds: f64,
    rows: Vec<ReportRow>,
}

#[derive(Serialize)]
struct ReportRow {
    share: f64,
    worst: f64,
    #[serde(flatten)]
    row: Row,
}

impl BenchmarkArgs {
    pub(super) fn run(&self, json: bool) -> Result<Exit, Failure> {
        if self.landscapes == 0 {
            return Err(anyhow::anyhow!("--landscapes must be at least 1").into());
        }
        let plan = Plan {
            landscapes: self.landscapes,
            seed: self.seed,
            other_shapes: self.other_shapes,
        };
        let threads = crate::cli::concurrency(self.threads);
        let pairs = benchmark::pairs(&plan);
        errln!("{pairs} simulated pairs on {threads} threads");
        let begin = Instant::now();
        let rows = benchmark::run(&plan, threads);
        let seconds = begin.elapsed().as_secs_f64();
        errln!(
            "{seconds:.1} s, {:.0} pairs a second",
            pairs as f64 / seconds
        );
        if json {
            let rows = rows.into_iter().map(|row| ReportRow {
                share: row.share(|_| true),
                worst: row.worst(),
                row,
            });
            let report = Report {
                landscapes: self.landscapes,
                seed: self.seed,
                pairs,
                seconds,
                rows: rows.collect(),
            };
            outln!("{}", serde_json::to_string(&report)?);
        } else {
            out!("{}", benchmark::table(&rows));
        }
        Ok(Exit::Done)
    }
}
