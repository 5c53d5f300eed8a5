//! The estimate of the strength after a sequential test.
//!
//! A test stops when its score is far enough from the middle of the bounds, so
//! the score at the stop is biased. Instead, the outcomes of a test are ordered
//! from the fastest failure to the fastest pass. The median-unbiased estimate is
//! the strength at which half of all tests end worse than this one did; at the
//! interval's ends 97.5 % and 2.5 % do. All are computed by the Brownian
//! approximation, as in fishtest's `sprt.py`.

use serde::Serialize;

use super::super::bisection::bisect;
use super::super::counts::{Counts, Wdl};
use super::super::elo::{Estimate, score_of_elo};
use super::super::llr;
use super::super::model::Model;
use super::super::sample::Sample;
use super::{Brownian, SprtConfig};

/// Strength after a sequential test.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct SprtEstimate {
    /// Median-unbiased logistic Elo with its 95 % interval, each within
    /// [-1000, 1000].
    #[serde(flatten)]
    pub elo: Estimate,
    /// Probability that a test of equal engines ends worse than this one did.
    pub los: f64,
}

/// The largest estimate, in logistic Elo.
const MAX_ELO: f64 = 1000.0;

/// The estimate of the test `config`, ended or not, at `counts`; `None`
/// without games. `games` are the single games of pairs, for the Bayesian
/// model's draw Elo; if absent, level pairs count as two draws.
pub fn estimate(config: &SprtConfig, counts: Counts, games: Option<Wdl>) -> Option<SprtEstimate> {
    if counts.units() == 0 {
        return None;
    }
    let mut config = *config;
    if config.model == Model::Bayesian {
        let games = games.unwrap_or_else(|| match counts {
            Counts::Pentanomial(pairs) => llr::games_of_pairs(&pairs),
            Counts::Wdl(games) => games,
        });
        (config.elo0, config.elo1) = llr::bayesian_bounds(&games, config.elo0, config.elo1);
    }
    Some(match counts {
        Counts::Pentanomial(pairs) => Outcome::new(&config, &Sample::pairs(&pairs)).estimate(),
        Counts::Wdl(games) => Outcome::new(&config, &Sample::games(&games)).estimate(),
    })
}

/// Where a test ended, on the scale of Brownian motion.
struct Outcome {
    elo0: f64,
    elo1: f64,
    /// Scores of the bounds.
    scores: [f64; 2],
    variance: f64,
    lower: f64,
    upper: f64,
    time: f64,
    level: f64,
}

impl Outcome {
    fn new<const K: usize>(config: &SprtConfig, sample: &Sample<K>) -> Self {
        let (mean, variance) = sample.mean_and_variance();
        let scores = config.scores_of_bounds(variance, Sample::<K>::GAMES);
        let (lower, upper) = config.bounds();
        let mut outcome = Self {
            elo0: config.elo0,
            elo1: config.elo1,
            scores,
            variance,
            lower,
            upper,
            time: sample.size,
            level: 0.0,
        };
        let slope = outcome.motion(mean).drift;
        outcome.level = slope * sample.size;
        // Interpolates back to where the bound was crossed.
        let crossed = outcome.level.clamp(lower, upper);
        if crossed != outcome.level {
            outcome.time = crossed / slope;
            outcome.level = crossed;
        }
        outcome
    }

    /// The motion of the LLR if the true score is `score`; the variance is the
    /// one that was observed.
    fn motion(&self, score: f64) -> Brownian {
        let [zero, one] = self.scores;
        let width = one - zero;
        Brownian {
            lower: self.lower,
            upper: self.upper,
            drift: (score - 0.5 * (zero + one)) * width / self.variance,
            variance: width * width / self.variance,
        }
    }

    /// Probability of a worse outcome at a true strength of `elo` (logistic).
    fn worse(&self, elo: f64) -> f64 {
        self.motion(score_of_elo(elo))
            .outcome_probability(self.time, self.level)
    }

    fn estimate(&self) -> SprtEstimate {
        SprtEstimate {
            elo: Estimate {
                estimate: self.elo_where_worse_is(0.5),
                low: self.elo_where_worse_is(0.975),
                high: self.elo_where_worse_is(0.025),
            },
            los: self.worse(0.0),
        }
    }

    /// The strength at which a worse outcome has this probability, which falls
    /// with the strength.
    fn elo_where_worse_is(&self, probability: f64) -> f64 {
        let middle = 0.5 * (self.elo0 + self.elo1);
        let mut reach = 30.0 * (self.elo1 - self.elo0);
        let ends = loop {
            let low = (middle - reach).max(-MAX_ELO);
            let high = (middle + reach).min(MAX_ELO);
            let (at_low, at_high) = (self.worse(low), self.worse(high));
            if at_low >= probability && at_high <= probability {
                break (low, high);
            }
            if low == -MAX_ELO && high == MAX_ELO {
                return if at_low > probability { high } else { low };
            }
            reach *= 2.0;
        };
        // Halving 2000 Elo sixty times reaches the resolution of the numbers.
        let (low, high) = bisect(ends, 60, |elo| self.worse(elo) > probability);
        0.5 * (low + high)
    }
}
