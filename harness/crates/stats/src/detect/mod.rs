//! Signs of bad data in a match: a worker, a stretch of time or an
//! opening whose results differ from the rest, results that come in clusters.
//! Each of these tests gives a p-value: the probability that good data look at
//! least as bad.
//!
//! [`evidence`] finds games that are not independent evidence, by counts.

mod engines;
mod evidence;
mod finding;
mod groups;
mod openings;
mod runs;

use std::collections::BTreeMap;

use super::counts::Pentanomial;
use groups::between_groups;

pub use engines::{one_sided, resigned_games, short_games};
pub use evidence::{Repetition, alike, few_openings, of_engine, repeated_games};
pub use finding::{Finding, Rank, Test, is_noteworthy};
pub use groups::difference;
pub(crate) use openings::{OpeningResult, odd_opening};
pub(crate) use runs::runs_in_time;

/// A pair with its origin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TaggedPair {
    /// The first engine's half points, 0 to 4.
    pub half_points: u8,
    /// The worker that played it, by its number in the ledger.
    pub worker: usize,
    /// The opening, by its number.
    pub opening: u64,
}

/// Number of blocks of time that are compared.
const TIME_BLOCKS: usize = 10;

/// The pairs so far as the tests need them, 17 bytes each.
#[derive(Debug, Clone, Default)]
pub struct Examination {
    /// By the worker's number.
    workers: BTreeMap<usize, Pentanomial>,
    /// Half points in the order in which the pairs were played.
    results: Vec<u8>,
    openings: Vec<OpeningResult>,
}

impl Examination {
    /// Takes the pair that was played next.
    pub fn absorb(&mut self, pair: &TaggedPair) {
        let TaggedPair {
            half_points,
            worker,
            opening,
        } = *pair;
        let results = self.workers.entry(worker).or_default();
        results.add(usize::from(half_points));
        self.results.push(half_points);
        self.openings.push(OpeningResult {
            opening,
            half_points,
        });
    }

    /// The findings of all tests that have enough data.
    pub fn findings(mut self) -> Vec<Finding> {
        self.openings.sort_unstable();
        [
            self.of_workers(),
            self.of_time_blocks(),
            runs_in_time(&self.results),
            odd_opening(&self.openings),
        ]
        .into_iter()
        .flatten()
        .collect()
    }

    fn of_workers(&self) -> Option<Finding> {
        let compared = between_groups(&self.workers)?;
        let subject = format!("worker {} stands out", compared.worst);
        Some(compared.finding(Test::Workers, &subject))
    }

    fn of_time_blocks(&self) -> Option<Finding> {
        let block = self.results.len().div_ceil(TIME_BLOCKS).max(1);
        let counts = |results: &[u8]| -> Pentanomial {
            results.iter().map(|&half| usize::from(half)).collect()
        };
        let blocks = self.results.chunks(block).map(counts).enumerate();
        let compared = between_groups(&blocks.collect())?;
        let from = compared.worst * block + 1;
        let to = (from + block - 1).min(self.results.len());
        let subject = format!("pairs {from} to {to} in the order of play stand out");
        Some(compared.finding(Test::TimeBlocks, &subject))
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::super::distribution::PairDistribution;
    use super::super::simulate::PairSampler;
    use super::*;

    fn examine(pairs: &[TaggedPair]) -> Vec<Finding> {
        let mut examination = Examination::default();
        pairs.iter().for_each(|pair| examination.absorb(pair));
        examination.findings()
    }

    fn pairs(seed: u64, n: usize) -> Vec<TaggedPair> {
        let base = PairDistribution::new([0.025, 0.225, 0.5, 0.225, 0.025]).unwrap();
        let sampler = PairSampler::new(&base);
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        (0..n)
            .map(|i| TaggedPair {
                half_points: sampler.draw(&mut rng) as u8,
                worker: i % 3,
                opening: i as u64 % 200,
            })
            .collect()
    }

    #[test]
    fn good_data_has_uniform_p_values() {
        let mut below_half = BTreeMap::new();
        const MATCHES: u64 = 200;
        for seed in 0..MATCHES {
            for finding in examine(&pairs(seed, 2_000)) {
                let p_value = finding.p_value.expect("a matter of chance");
                assert!((0.0..=1.0).contains(&p_value), "{finding:?}");
                let count = below_half
                    .entry(format!("{:?}", finding.test))
                    .or_insert(0u64);
                *count += u64::from(p_value < 0.5);
            }
        }
        assert_eq!(below_half.len(), 4);
        for (test, count) in below_half {
            // Half of 200, give or take five standard errors.
            assert!((65..=135).contains(&count), "{test}: {count}");
        }
    }

    #[test]
    fn a_broken_worker_is_found() {
        let mut pairs = pairs(1, 3_000);
        for pair in pairs.iter_mut().filter(|pair| pair.worker == 1) {
            pair.half_points = pair.half_points.saturating_sub(1);
        }
        let findings = examine(&pairs);
        let worker = findings.iter().find(|f| f.test == Test::Workers).unwrap();
        assert!(
            worker.is_noteworthy() && worker.detail.starts_with("worker 1 stands out with ["),
            "{worker:?}"
        );
    }

    #[test]
    fn a_stretch_of_losses_is_found() {
        let mut pairs = pairs(2, 2_000);
        pairs[800..1_000]
            .iter_mut()
            .for_each(|pair| pair.half_points = 0);
        let findings = examine(&pairs);
        for test in [Test::TimeBlocks, Test::RunsInTime] {
            let finding = findings.iter().find(|f| f.test == test).unwrap();
            assert!(finding.is_noteworthy(), "{finding:?}");
        }
        let place = "pairs 801 to 1000 in the order of play stand out with [200, 0, 0, 0, 0] of [";
        let is_named = |finding: &Finding| finding.detail.starts_with(place);
        assert!(findings.iter().any(is_named), "{findings:?}");
    }

    #[test]
    fn an_odd_opening_is_found() {
        let mut pairs = pairs(3, 2_000);
        for pair in pairs.iter_mut().filter(|pair| pair.opening == 17) {
            pair.half_points = 4;
        }
        let findings = examine(&pairs);
        let finding = findings
            .iter()
            .find(|f| f.test == Test::OddOpening)
            .unwrap();
        assert!(
            finding.is_noteworthy() && finding.detail.contains("17"),
            "{finding:?}"
        );
    }

    #[test]
    fn too_little_data_detects_nothing() {
        assert!(examine(&pairs(4, 5)).is_empty());
        assert!(examine(&[]).is_empty());
    }
}
