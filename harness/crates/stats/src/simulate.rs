//! Monte-Carlo of the sequential test itself: the code that judges live games
//! judges pairs drawn from a known distribution.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicU64, Ordering};

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::Serialize;

use super::distribution::PairDistribution;
use super::sprt::{Decision, Sprt, SprtConfig, SprtError};

/// What is simulated.
#[derive(Debug, Clone, Copy)]
pub struct Simulation {
    pub config: SprtConfig,
    /// The true distribution of pairs.
    pub truth: PairDistribution,
    /// How many tests.
    pub runs: u64,
    pub seed: u64,
    /// Pairs after which a test stops without a decision.
    pub max_pairs: u64,
    /// Threads to use; the results do not depend on it.
    pub threads: NonZeroUsize,
}

/// The results of the simulated tests.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct SimulationResult {
    pub runs: u64,
    /// Share of tests that accepted H1.
    pub pass: f64,
    /// Standard error of `pass`. It is computed with two passes and two
    /// failures added (Agresti and Coull), so that it is not zero where all
    /// tests ended alike.
    pub pass_se: f64,
    /// Share of tests that reached `max_pairs`.
    pub undecided: f64,
    /// Mean number of pairs.
    pub pairs_mean: f64,
    /// Standard error of the mean.
    pub pairs_se: f64,
    /// Quantiles of the number of pairs: lengths are skewed, so budgets are
    /// better planned by these than by the mean.
    pub pairs_median: u64,
    pub pairs_q95: u64,
}

impl Simulation {
    /// Runs the tests.
    ///
    /// # Errors
    /// If the test's configuration is impossible.
    pub fn run(&self) -> Result<SimulationResult, SprtError> {
        let tests = self.tests(|test| (test.decision(), test.counts().pairs()))?;
        Ok(summarize(&tests))
    }

    /// Runs the tests and returns the value of `observe` for each, in the order of
    /// their numbers.
    ///
    /// # Errors
    /// If the test's configuration is impossible.
    pub fn tests<T: Send>(&self, observe: impl Fn(&Sprt) -> T + Sync) -> Result<Vec<T>, SprtError> {
        let blank = Sprt::new(self.config)?;
        let sampler = PairSampler::new(&self.truth);
        let next = AtomicU64::new(0);
        let work = || {
            let mut done = Vec::new();
            loop {
                let run = next.fetch_add(1, Ordering::Relaxed);
                if run >= self.runs {
                    return done;
                }
                let mut test = blank.clone();
                let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
                rng.set_stream(run);
                while test.decision().is_none() && test.counts().pairs() < self.max_pairs {
                    test.absorb(sampler.draw(&mut rng));
                }
                done.push((run, observe(&test)));
            }
        };
        let mut results: Vec<(u64, T)> = std::thread::scope(|scope| {
            let workers: Vec<_> = (0..self.threads.get()).map(|_| scope.spawn(work)).collect();
            workers
                .into_iter()
                .flat_map(|worker| worker.join().expect("a simulating thread panicked"))
                .collect()
        });
        results.sort_unstable_by_key(|(run, _)| *run);
        Ok(results.into_iter().map(|(_, result)| result).collect())
    }
}

/// Draws results of pairs.
#[derive(Debug, Clone, Copy)]
pub struct PairSampler {
    /// Where each result but the last ends on the scale of a random number.
    ends: [u64; 4],
}

impl PairSampler {
    /// For pairs from this distribution.
    pub fn new(truth: &PairDistribution) -> Self {
        let [ll, ld, level, wd, _] = truth.probabilities();
        let mut sum = 0.0;
        let ends = [ll, ld, level, wd].map(|p| {
            sum += p;
            // Saturates at the largest number if the sum rounds to one.
            (sum * 2f64.powi(64)) as u64
        });
        Self { ends }
    }

    /// The half points of the next pair.
    pub fn draw(&self, rng: &mut impl Rng) -> usize {
        let number = rng.next_u64();
        self.ends
            .iter()
            .map(|&end| usize::from(number >= end))
            .sum()
    }
}

fn summarize(tests: &[(Option<Decision>, u64)]) -> SimulationResult {
    let runs = tests.len() as u64;
    let n = runs as f64;
    let count = |wanted| {
        tests
            .iter()
            .filter(|(decision, _)| *decision == wanted)
            .count() as f64
    };
    let passed = count(Some(Decision::AcceptH1));
    let mut lengths: Vec<u64> = tests.iter().map(|(_, pairs)| *pairs).collect();
    lengths.sort_unstable();
    let mean = lengths.iter().sum::<u64>() as f64 / n;
    let squares: f64 = lengths
        .iter()
        .map(|&pairs| (pairs as f64 - mean).powi(2))
        .sum();
    let adjusted = (passed + 2.0) / (n + 4.0);
    let quantile = |q: f64| lengths[((q * n) as usize).min(lengths.len() - 1)];
    SimulationResult {
        runs,
        pass: passed / n,
        pass_se: (adjusted * (1.0 - adjusted) / (n + 4.0)).sqrt(),
        undecided: count(None) / n,
        pairs_mean: mean,
        pairs_se: (squares / (n - 1.0).max(1.0) / n).sqrt(),
        pairs_median: quantile(0.5),
        pairs_q95: quantile(0.95),
    }
}

#[cfg(test)]
mod tests {
    use super::super::model::Model;
    use super::*;

    fn simulation(threads: usize) -> Simulation {
        let base = PairDistribution::new([0.025, 0.225, 0.5, 0.225, 0.025]).unwrap();
        Simulation {
            config: SprtConfig {
                model: Model::Logistic,
                elo1: 50.0,
                ..SprtConfig::default()
            },
            truth: base.tilted_to(Model::Logistic, 25.0).unwrap(),
            runs: 101,
            seed: 7,
            max_pairs: 10_000,
            threads: NonZeroUsize::new(threads).unwrap(),
        }
    }

    #[test]
    fn does_not_depend_on_the_number_of_threads() {
        let one = simulation(1).run().unwrap();
        assert_eq!(simulation(3).run().unwrap(), one);
        let other_seed = Simulation {
            seed: 8,
            ..simulation(1)
        };
        assert_ne!(other_seed.run().unwrap(), one);
    }

    #[test]
    fn drawn_pairs_follow_the_distribution() {
        let truth = PairDistribution::new([0.1, 0.2, 0.4, 0.0, 0.3]).unwrap();
        let sampler = PairSampler::new(&truth);
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut counts = [0u32; 5];
        (0..100_000).for_each(|_| counts[sampler.draw(&mut rng)] += 1);
        for (count, p) in counts.iter().zip(truth.probabilities()) {
            let expected = 100_000.0 * p;
            let deviation = (f64::from(*count) - expected).abs();
            assert!(deviation <= 5.0 * expected.sqrt(), "{counts:?}");
        }
    }

    #[test]
    fn a_test_without_decision_is_counted() {
        let short = Simulation {
            max_pairs: 1,
            ..simulation(1)
        };
        let result = short.run().unwrap();
        assert_eq!((result.undecided, result.pairs_mean), (1.0, 1.0));
    }
}
