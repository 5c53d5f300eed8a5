//! How many pairs a running sequential test still needs.
//!
//! The LLR is a Brownian motion from its present value to its bounds, with the
//! drift and variance of the results so far. The drift has a standard error, so the
//! forecast is a mixture over nine values of it.

use super::distribution::PairDistribution;
use super::plan::Walk;
use super::sprt::{Brownian, Sprt};
use super::summary::is_enough;

/// Pairs until the decision.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Forecast {
    pub median: f64,
    /// The ends of the 95 % interval.
    pub low: f64,
    pub high: f64,
}

/// Standard normal values in the middle of nine equally probable parts.
const NORMAL: [f64; 9] = [
    -1.593_219, -0.967_422, -0.589_456, -0.282_216, 0.0, 0.282_216, 0.589_456, 0.967_422, 1.593_219,
];

/// The forecast; `None` after the decision, and while there are too few pairs
/// to know the drift.
pub fn remaining_pairs(test: &Sprt) -> Option<Forecast> {
    let counts = test.counts();
    if test.decision().is_some() || !is_enough(counts) {
        return None;
    }
    let (lower, upper) = test.bounds();
    let (lower, upper) = (lower - test.llr(), upper - test.llr());
    if lower >= 0.0 || upper <= 0.0 {
        return None;
    }
    let walk = Walk::new(test.config(), &PairDistribution::measured(&counts));
    let (drift, variance) = walk.drift_and_variance();
    let error = (variance / counts.pairs() as f64).sqrt();
    let motions = NORMAL.map(|z| Brownian {
        lower,
        upper,
        drift: drift + z * error,
        variance,
    });
    Some(Forecast {
        median: quantile(&motions, 0.5),
        low: quantile(&motions, 0.025),
        high: quantile(&motions, 0.975),
    })
}

/// The time by which this share of the motions has stopped.
fn quantile(motions: &[Brownian], share: f64) -> f64 {
    let stopped = |time: f64| {
        let sum: f64 = motions.iter().map(|motion| motion.stopped_by(time)).sum();
        sum / motions.len() as f64
    };
    let mut high = 1.0;
    while stopped(high) < share && high < 1e12 {
        high *= 2.0;
    }
    let mut low = 0.0;
    // To a thousandth of the answer.
    while high - low > 1e-3 * high && high > 1e-3 {
        let middle = 0.5 * (low + high);
        if stopped(middle) < share {
            low = middle;
        } else {
            high = middle;
        }
    }
    high
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::super::model::Model;
    use super::super::simulate::PairSampler;
    use super::super::sprt::SprtConfig;
    use super::*;

    fn test_after(results: &[usize], repetitions: usize) -> Sprt {
        let mut test = Sprt::new(SprtConfig::default()).unwrap();
        for result in results.iter().cycle().take(results.len() * repetitions) {
            test.absorb(*result);
        }
        test
    }

    #[test]
    fn too_few_pairs_and_decided_tests_have_no_forecast() {
        assert_eq!(remaining_pairs(&test_after(&[2, 3], 10)), None);
        assert_eq!(remaining_pairs(&test_after(&[2], 1000)), None);
        let decided = test_after(&[3, 4, 3, 1], 2000);
        assert!(decided.decision().is_some());
        assert_eq!(remaining_pairs(&decided), None);
    }

    #[test]
    fn a_clearer_lead_ends_sooner() {
        let clear = remaining_pairs(&test_after(&[2, 3, 3, 1, 2], 40)).unwrap();
        let level = remaining_pairs(&test_after(&[2, 3, 1, 2, 2], 40)).unwrap();
        assert!(clear.low < clear.median && clear.median < clear.high);
        assert!(2.0 * clear.median < level.median, "{clear:?} {level:?}");
    }

    /// Tests of known strengths end inside the 95 % interval about as often as
    /// they should, although it is not wide.
    #[test]
    fn ends_are_inside_the_interval() {
        let base = PairDistribution::new([0.025, 0.225, 0.5, 0.225, 0.025]).unwrap();
        let config = SprtConfig {
            elo1: 20.0,
            ..SprtConfig::default()
        };
        let (mut inside, mut all) = (0, 0);
        let mut widths = Vec::new();
        for seed in 0..200 {
            // Strengths as a patch may have them.
            let elo = -10.0 + 30.0 * (seed as f64 / 200.0);
            let sampler = PairSampler::new(&base.tilted_to(Model::Normalized, elo).unwrap());
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let mut test = Sprt::new(config).unwrap();
            (0..100).for_each(|_| test.absorb(sampler.draw(&mut rng)));
            let Some(forecast) = remaining_pairs(&test) else {
                continue;
            };
            let mut pairs = 0.0;
            while test.decision().is_none() {
                test.absorb(sampler.draw(&mut rng));
                pairs += 1.0;
            }
            widths.push(forecast.high / forecast.low);
            all += 1;
            inside += i32::from(forecast.low <= pairs && pairs <= forecast.high);
        }
        // 95 %, less about four standard errors.
        assert!(all > 150 && inside * 100 >= all * 89, "{inside} of {all}");
        // Usually the upper end is 20 to 45 times the lower one.
        widths.sort_by(f64::total_cmp);
        let median = widths[widths.len() / 2];
        assert!(median < 60.0, "{median}");
    }
}
