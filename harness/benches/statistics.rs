//! Speed of the statistics: `cargo bench -p harness --bench statistics`.
//!
//! Prints, for each model, the median time of a log-likelihood ratio, and the time of
//! simulated tests.

use std::hint::black_box;
use std::num::NonZeroUsize;
use std::time::Instant;

use hone_stats::distribution::PairDistribution;
use hone_stats::simulate::Simulation;
use hone_stats::{Model, Pentanomial, Sprt, SprtConfig, llr};

const BATCHES: usize = 101;
const BATCH: usize = 2_000;

/// The median over batches of the mean time of a call, in nanoseconds.
fn median_ns(mut work: impl FnMut(usize)) -> f64 {
    let mut times: Vec<f64> = (0..BATCHES)
        .map(|_| {
            let start = Instant::now();
            (0..BATCH).for_each(&mut work);
            start.elapsed().as_nanos() as f64 / BATCH as f64
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[BATCHES / 2]
}

fn likelihood_ratios() {
    let counts = [
        Pentanomial([3, 50, 120, 61, 4]),
        Pentanomial([105, 950, 2_100, 1_010, 120]),
        Pentanomial([0, 1, 3, 0, 0]),
        Pentanomial([2_050, 21_000, 52_000, 21_900, 2_200]),
    ];
    for model in Model::ALL {
        let ns = median_ns(|i| {
            black_box(llr::llr(model, black_box(counts[i % 4]), 0.0, 5.0));
        });
        println!("llr of counts, {model:<12} {ns:8.0} ns");
    }
    for model in Model::ALL {
        let config = SprtConfig {
            model,
            ..SprtConfig::default()
        };
        let mut sprt = Sprt::new(config).expect("a possible test");
        let ns = median_ns(|i| sprt.absorb(black_box([2, 1, 3, 2, 2, 3, 1, 4, 0, 2][i % 10])));
        println!("absorb a pair, {model:<12} {ns:8.0} ns");
    }
}

fn simulation(model: Model, runs: u64) {
    let base = PairDistribution::new([0.025, 0.225, 0.5, 0.225, 0.025]).expect("a distribution");
    let simulation = Simulation {
        config: SprtConfig {
            model,
            ..SprtConfig::default()
        },
        truth: base.tilted_to(model, 5.0).expect("a reachable strength"),
        runs,
        seed: 1,
        max_pairs: u64::MAX,
        threads: std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN),
    };
    let start = Instant::now();
    let result = simulation.run().expect("a possible test");
    println!(
        "{runs} tests of {model} [0, 5] at 5: {:.1} s, pass {:.4} +/- {:.4}, pairs {:.0} +/- {:.0}",
        start.elapsed().as_secs_f64(),
        result.pass,
        result.pass_se,
        result.pairs_mean,
        result.pairs_se,
    );
}

fn main() {
    likelihood_ratios();
    simulation(Model::Logistic, 10_000);
    simulation(Model::Betting, 10_000);
    simulation(Model::Normalized, 2_000);
}
