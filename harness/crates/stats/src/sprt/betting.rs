//! The test by betting.
//!
//! Two gamblers bet on each pair's score x in [0, 1] before it is known: one
//! against "the mean is at most s0", whose wealth is multiplied by
//! 1 + l (x - s0), one against "the mean is at least s1", by 1 - l (x - s1).
//! If a hypothesis is true the wealth of its gambler is a supermartingale, so
//! by Ville's inequality it ever reaches 1 / alpha with a probability of at
//! most alpha, for every distribution and at every look.
//! (Waudby-Smith and Ramdas, Estimating means of bounded random variables by
//! betting, JRSS B 86, 2024.)
//!
//! The stake l = d / (v + d^2), with d = s1 - s0 and v the variance seen so
//! far, makes the wealth grow nearly as fast as the likelihood ratio does.

use super::super::counts::Pentanomial;
use super::super::elo::score_of_elo;
use super::super::sample::Sample;
use super::SprtConfig;

/// Weight of the variance assumed before there are results, in pairs.
const PRIOR_PAIRS: f64 = 50.0;
/// The variance of a pair's score assumed before there are results.
const PRIOR_VARIANCE: f64 = 0.04;
/// The largest part of its wealth that a gambler may lose on one pair.
const MAX_LOSS: f64 = 0.5;

/// The two gamblers' wealth.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Betting {
    bounds: [f64; 2],
    /// Logarithms of the wealth gained against H0 and against H1.
    log_wealth: [f64; 2],
    pairs: f64,
    mean: f64,
    /// Sum of squared deviations from the mean.
    squares: f64,
}

impl Betting {
    /// Before the first result; `bounds` are the expected scores of H0 and H1.
    pub fn new(bounds: [f64; 2]) -> Self {
        Self {
            bounds,
            log_wealth: [0.0; 2],
            pairs: 0.0,
            mean: 0.0,
            squares: 0.0,
        }
    }

    /// Takes the next score, 0 to 1.
    pub fn absorb(&mut self, score: f64) {
        let variance = blend(self.pairs, self.squares);
        let gains = log_gains(self.bounds, variance, score);
        self.log_wealth[0] += gains[0];
        self.log_wealth[1] += gains[1];
        self.pairs += 1.0;
        let before = score - self.mean;
        self.mean += before / self.pairs;
        self.squares += before * (score - self.mean);
    }

    /// The approximate wealth after the results of `sample`, averaged over their
    /// order, on which the variance seen before each bet depends.
    pub fn expected<const K: usize>(bounds: [f64; 2], sample: &Sample<K>) -> Self {
        let (mean, variance) = sample.mean_and_variance();
        let gain_at = |pairs: f64| {
            let stake_variance = blend(pairs, pairs * variance);
            let mut gains = [0.0; 2];
            for (p, score) in sample.probabilities.iter().zip(Sample::<K>::SCORES) {
                let [against0, against1] = log_gains(bounds, stake_variance, score);
                gains[0] += p * against0;
                gains[1] += p * against1;
            }
            gains
        };
        Self {
            bounds,
            log_wealth: integrate(gain_at, sample.size),
            pairs: sample.size,
            mean,
            squares: sample.size * variance,
        }
    }

    /// What each result of a pair adds to the statistic once the variance of
    /// its score is known.
    pub(crate) fn jumps(bounds: [f64; 2], variance: f64) -> [f64; 5] {
        Sample::<5>::SCORES.map(|score| log_gains(bounds, variance, score)[0])
    }

    /// Both wealths as one number on the scale of a log-likelihood ratio: the
    /// logarithm of the wealth gained against H0, or less that gained against
    /// H1, whichever is nearer to its end of [ln beta, -ln alpha]; 0 if both
    /// gamblers have lost. A loss against one hypothesis is not evidence for the
    /// other: Ville's inequality bounds gains only.
    pub(crate) fn statistic(&self, (lower, upper): (f64, f64)) -> f64 {
        let [against0, against1] = self.log_wealth.map(|wealth| wealth.max(0.0));
        if against0 / upper >= against1 / -lower {
            against0
        } else {
            -against1
        }
    }
}

fn blend(pairs: f64, squares: f64) -> f64 {
    (PRIOR_PAIRS * PRIOR_VARIANCE + squares) / (PRIOR_PAIRS + pairs)
}

fn log_gains([zero, one]: [f64; 2], variance: f64, score: f64) -> [f64; 2] {
    let width = one - zero;
    let stake = width / (variance + width * width);
    let against0 = stake.min(MAX_LOSS / zero);
    let against1 = stake.min(MAX_LOSS / (1.0 - one));
    [
        (against0 * (score - zero)).ln_1p(),
        (against1 * (one - score)).ln_1p(),
    ]
}

/// The sum of `gain` over 0, 1, .. up to `size`, as an integral by Simpson's
/// rule in ln(1 + pairs / prior): the stake changes on that scale only.
fn integrate(gain: impl Fn(f64) -> [f64; 2], size: f64) -> [f64; 2] {
    const STEPS: usize = 400;
    let end = (size / PRIOR_PAIRS).ln_1p();
    let step = end / STEPS as f64;
    let mut sum = [0.0; 2];
    for i in 0..=STEPS {
        let x = step * i as f64;
        let weight = match i {
            0 | STEPS => 1.0,
            _ if i % 2 == 1 => 4.0,
            _ => 2.0,
        };
        let gains = gain(PRIOR_PAIRS * x.exp_m1());
        let measure = weight * step / 3.0 * PRIOR_PAIRS * x.exp();
        sum[0] += measure * gains[0];
        sum[1] += measure * gains[1];
    }
    sum
}

/// The statistic of the betting test `config` after these pairs, on average over
/// their order; 0 without pairs.
pub fn average_of_betting(config: &SprtConfig, pairs: &Pentanomial) -> f64 {
    let bounds = [config.elo0, config.elo1].map(score_of_elo);
    Sample::raw(pairs.0).map_or(0.0, |sample| {
        Betting::expected(bounds, &sample).statistic(config.bounds())
    })
}

#[cfg(test)]
mod tests {
    use super::super::super::model::Model;
    use super::super::Sprt;
    use super::*;

    #[test]
    fn bets_are_fair_under_the_hypothesis_they_are_against() {
        let bounds = [0.5, 0.507];
        for variance in [0.04, 1e-3, 1e-9] {
            // Mean exactly s0, and exactly s1, from scores 0 and 1.
            for (gambler, mean) in bounds.into_iter().enumerate() {
                let win = log_gains(bounds, variance, 1.0)[gambler].exp();
                let loss = log_gains(bounds, variance, 0.0)[gambler].exp();
                assert!((mean * win + (1.0 - mean) * loss - 1.0).abs() < 1e-12);
                assert!(loss >= 0.5 - 1e-12);
            }
        }
    }

    #[test]
    fn a_bound_is_met_only_by_the_wealth_against_its_hypothesis() {
        for bounds in [(-3.0, 3.0), (-3.0, 0.9), (-0.9, 3.0)] {
            let (lower, upper) = bounds;
            let statistic = |log_wealth: [f64; 2]| {
                let betting = Betting {
                    log_wealth,
                    ..Betting::new([0.5, 0.6])
                };
                betting.statistic(bounds)
            };
            let wealths = [-9.0, -1.0, 0.5, 0.9, 2.0, 3.0, 9.0];
            for against0 in wealths {
                for against1 in wealths {
                    let is = statistic([against0, against1]);
                    assert!(is < upper || against0 >= upper, "{against0} {against1}");
                    assert!(is > lower || against1 >= -lower, "{against0} {against1}");
                }
            }
            assert_eq!(statistic([-9.0, -1.0]), 0.0);
        }
    }

    #[test]
    fn average_over_the_order_is_near_a_typical_order() {
        let bounds = [0.5, 0.507_195];
        let mut betting = Betting::new(bounds);
        let mut counts = [0u64; 5];
        for i in 0..3_000usize {
            let result = [2, 1, 3, 2, 3, 2, 1, 2, 4, 0, 2, 3][i * 7 % 12];
            counts[result] += 1;
            betting.absorb(result as f64 / 4.0);
        }
        let expected = Betting::expected(bounds, &Sample::raw(counts).unwrap());
        for gambler in 0..2 {
            let (is, should) = (betting.log_wealth[gambler], expected.log_wealth[gambler]);
            assert!((is - should).abs() < 0.1, "{is} {should}");
        }
    }

    /// Equal results have one order only.
    #[test]
    fn the_average_over_equal_results_is_the_statistic_of_the_live_test() {
        let config = SprtConfig {
            model: Model::Betting,
            ..SprtConfig::default()
        };
        for result in 0..5 {
            let mut live = Sprt::new(config).unwrap();
            while live.decision().is_none() {
                live.absorb(result);
                let average = average_of_betting(&config, &live.counts());
                assert!((average - live.llr()).abs() < 0.1, "{result}: {average}");
            }
        }
        assert_eq!(average_of_betting(&config, &Pentanomial::default()), 0.0);
    }
}
