//! `hone calc simulate`: Monte-Carlo of the sequential test.

use std::num::NonZeroUsize;

use clap::Args;

use super::pairs_args::PairsArgs;
use super::sprt_args::SprtArgs;
use super::text::Lines;
use crate::cli::args::ranges::from_one;
use crate::cli::{Exit, Failure};
use hone_base::outln;
use hone_stats::simulate::{Simulation, SimulationResult};

/// Monte Carlo simulation of the sequential test, with the code of the live test
#[derive(Debug, Args)]
pub(super) struct Simulate {
    /// True strength in Elo, on the model's scale
    #[arg(long, allow_negative_numbers = true)]
    elo: f64,
    #[command(flatten)]
    pairs: PairsArgs,
    #[command(flatten)]
    test: SprtArgs,
    /// Number of tests
    #[arg(long, default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(1..))]
    runs: u64,
    /// The same seed gives the same results, on any number of threads
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Stop a test without a decision after this many pairs
    #[arg(long, default_value_t = 10_000_000, value_parser = clap::value_parser!(u64).range(1..))]
    max_pairs: u64,
    /// Threads; by default as many as there are processors
    #[arg(long, value_parser = from_one::<NonZeroUsize>)]
    threads: Option<NonZeroUsize>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl Simulate {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let config = self.test.config()?;
        let simulation = Simulation {
            config,
            truth: self.pairs.base()?.tilted_to(config.model, self.elo)?,
            runs: self.runs,
            seed: self.seed,
            max_pairs: self.max_pairs,
            threads: self
                .threads
                .or_else(|| std::thread::available_parallelism().ok())
                .unwrap_or(NonZeroUsize::MIN),
        };
        let result = simulation.run()?;
        if self.json {
            outln!("{}", serde_json::to_string(&result)?);
        } else {
            table(&result).print();
        }
        Ok(Exit::Done)
    }
}

fn table(result: &SimulationResult) -> Lines {
    let mut lines = Lines::default();
    lines.row("Tests", result.runs.to_string());
    lines.row(
        "Passed",
        format!(
            "{:.4} +/- {:.4} (standard error)",
            result.pass, result.pass_se
        ),
    );
    lines.row("Undecided", format!("{:.4}", result.undecided));
    lines.row(
        "Pairs, mean",
        format!("{:.1} +/- {:.1}", result.pairs_mean, result.pairs_se),
    );
    lines.row("Pairs, median", result.pairs_median.to_string());
    lines.row("Pairs, 95 %", result.pairs_q95.to_string());
    lines
}
