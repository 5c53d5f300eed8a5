//! Pass probability and expected length of a sequential test.
//!
//! Near its stop the LLR is a sum of independent jumps ln(q1_i / q0_i), one a
//! pair, where q0 and q1 are the distributions of the bounds nearest to the
//! truth. Wald's identities give the pass probability and the expected number
//! of pairs of such a walk exactly, except for the overshoot of the bounds, for
//! which the bounds are moved outwards by 0.5826 standard deviations of a jump
//! (Siegmund, Sequential Analysis, 1985, chapter 10).

use serde::Serialize;

use super::bisection::bisect;
use super::counts::Counts;
use super::distribution::{DistributionError, PairDistribution};
use super::elo::score_of_elo;
use super::llr;
use super::model::Model;
use super::sample::dot;
use super::sprt::{Brownian, SprtConfig};

/// Mean overshoot of a random walk with normal steps, in their standard
/// deviations: -zeta(1/2) / sqrt(2 pi).
const OVERSHOOT_PER_SIGMA: f64 = 0.582_597_157_939_010_7;

/// What to expect of a test at one true strength.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Point {
    /// True strength, on the scale of the test's model.
    pub elo: f64,
    /// Probability of accepting H1.
    pub pass: f64,
    /// Expected number of pairs.
    pub pairs: f64,
    /// Number of pairs that 95 % of tests do not exceed.
    pub pairs_q95: f64,
}

/// The LLR as a random walk.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Walk {
    truth: [f64; 5],
    /// What each result adds to the LLR.
    jumps: [f64; 5],
    lower: f64,
    upper: f64,
}

/// What to expect of `config` if pairs are like `base` but of strength `elo`,
/// on the scale of the test's model.
///
/// # Errors
/// If `base` cannot be tilted to that strength, or no LLR can be computed of it.
pub fn point(
    config: &SprtConfig,
    base: &PairDistribution,
    elo: f64,
) -> Result<Point, DistributionError> {
    let walk = walk(config, base, elo)?;
    let (pass, pairs) = walk.pass_and_pairs();
    Ok(Point {
        elo,
        pass,
        pairs,
        pairs_q95: walk.motion().time_quantile(0.95),
    })
}

/// What to expect of `config` at the strength between its bounds at which it
/// takes the most pairs on average. It is the middle only if `alpha` and `beta`
/// are equal.
///
/// # Errors
/// Those of [`point`].
pub fn worst_case(
    config: &SprtConfig,
    base: &PairDistribution,
) -> Result<Point, DistributionError> {
    point(config, base, most_expensive(config, base)?)
}

/// The strength between the bounds at which the test takes the most pairs on
/// average, by golden-section search.
fn most_expensive(config: &SprtConfig, base: &PairDistribution) -> Result<f64, DistributionError> {
    /// Enough for a hundred-thousandth of the distance of the bounds.
    const STEPS: usize = 24;
    const GOLDEN: f64 = 0.618_033_988_749_894_9;
    let pairs = |elo: f64| Ok(walk(config, base, elo)?.pass_and_pairs().1);
    let (mut low, mut high) = (config.elo0, config.elo1);
    let mut left = high - GOLDEN * (high - low);
    let mut right = low + GOLDEN * (high - low);
    let (mut at_left, mut at_right) = (pairs(left)?, pairs(right)?);
    for _ in 0..STEPS {
        if at_left < at_right {
            low = left;
            (left, at_left) = (right, at_right);
            right = low + GOLDEN * (high - low);
            at_right = pairs(right)?;
        } else {
            high = right;
            (right, at_right) = (left, at_left);
            left = high - GOLDEN * (high - low);
            at_left = pairs(left)?;
        }
    }
    Ok(f64::midpoint(low, high))
}

/// The walk of the LLR at this strength, with the bounds moved outwards by the mean
/// overshoot unless the test is corrected for it.
fn walk(config: &SprtConfig, base: &PairDistribution, elo: f64) -> Result<Walk, DistributionError> {
    let walk = Walk::new(config, &base.tilted_to(config.model, elo)?);
    let (drift, variance) = walk.drift_and_variance();
    if !(drift.is_finite() && variance.is_finite() && variance > 0.0) {
        return Err(DistributionError::NoWalk { elo });
    }
    Ok(if config.overshoot {
        walk
    } else {
        walk.with_overshoot()
    })
}

impl Walk {
    /// The walk of the LLR under `truth`, with the test's own bounds.
    pub fn new(config: &SprtConfig, truth: &PairDistribution) -> Self {
        let (lower, upper) = config.bounds();
        Self {
            truth: truth.probabilities(),
            jumps: jumps(config, truth),
            lower,
            upper,
        }
    }

    /// The same walk with its bounds moved outwards by the mean overshoot.
    fn with_overshoot(mut self) -> Self {
        let (_, variance) = self.drift_and_variance();
        let overshoot = OVERSHOOT_PER_SIGMA * variance.sqrt();
        self.lower -= overshoot;
        self.upper += overshoot;
        self
    }

    /// Mean and variance of what a pair adds to the LLR.
    pub fn drift_and_variance(&self) -> (f64, f64) {
        let drift = dot(&self.truth, &self.jumps);
        let squares = self.jumps.map(|jump| (jump - drift) * (jump - drift));
        (drift, dot(&self.truth, &squares))
    }

    /// The Brownian motion of the same drift and variance.
    pub fn motion(&self) -> Brownian {
        let (drift, variance) = self.drift_and_variance();
        Brownian {
            lower: self.lower,
            upper: self.upper,
            drift,
            variance,
        }
    }

    /// The probability of ending at the upper bound, and the expected number
    /// of pairs, by Wald's identities.
    pub fn pass_and_pairs(&self) -> (f64, f64) {
        let (drift, variance) = self.drift_and_variance();
        // A Brownian motion whose martingale e^(-h x) is that of the walk.
        let motion = Brownian {
            drift: 0.5 * self.martingale_exponent(drift, variance) * variance,
            ..self.motion()
        };
        let pass = motion.pass_probability();
        let end = self.upper * pass + self.lower * (1.0 - pass);
        // Near zero drift the ratio of two small numbers is replaced by the
        // motion's own limit.
        let pairs = if drift.abs() * (self.upper - self.lower) < 1e-7 * variance {
            motion.expected_time()
        } else {
            end / drift
        };
        (pass, pairs)
    }

    /// h, other than zero, with E[e^(-h X)] = 1 for a jump X.
    fn martingale_exponent(&self, drift: f64, variance: f64) -> f64 {
        // ln E[e^(-hX)] is convex, zero at h = 0 and falls with slope -drift
        // there; its other zero is near 2 drift / variance.
        let excess = |h: f64| dot(&self.truth, &self.jumps.map(|jump| (-h * jump).exp_m1()));
        let guess = 2.0 * drift / variance;
        let (mut near, mut far) = (0.5 * guess, 2.0 * guess);
        while excess(far) < 0.0 {
            near = far;
            far *= 2.0;
        }
        while excess(near) > 0.0 {
            near *= 0.5;
            if near.abs() < 1e-12 {
                return guess;
            }
        }
        let (near, far) = bisect((near, far), 100, |h| excess(h) < 0.0);
        0.5 * (near + far)
    }
}

/// What each result of a pair adds to the test's statistic in the long run.
fn jumps(config: &SprtConfig, truth: &PairDistribution) -> [f64; 5] {
    let SprtConfig { elo0, elo1, .. } = *config;
    match config.model {
        Model::Normalized => llr::normalized_jumps(&truth.probabilities(), elo0, elo1),
        Model::Logistic => llr::logistic_jumps(&truth.probabilities(), elo0, elo1),
        Model::Bayesian => {
            let game = llr::games_of_distribution(&truth.probabilities());
            let (elo0, elo1) = llr::bayesian_bounds_of(&game, elo0, elo1);
            llr::logistic_jumps(&truth.probabilities(), elo0, elo1)
        }
        Model::Betting => {
            let (_, variance) = truth.mean_and_variance();
            let bounds = [elo0, elo1].map(score_of_elo);
            super::sprt::Betting::jumps(bounds, variance)
        }
    }
}

/// Expected overshoot of a bound by the LLR of a test at `counts`, with a step for
/// each pair or single game; 0 without results. The dynamic correction measures it
/// on the path of the LLR; this is for counts without a path.
pub fn expected_overshoot(config: &SprtConfig, counts: Counts) -> f64 {
    if counts.units() == 0 {
        return 0.0;
    }
    PairDistribution::try_from(counts).map_or(0.0, |truth| {
        let (_, of_pair) = Walk::new(config, &truth).drift_and_variance();
        let of_step = match counts {
            Counts::Pentanomial(_) => of_pair,
            Counts::Wdl(_) => 0.5 * of_pair,
        };
        OVERSHOOT_PER_SIGMA * of_step.sqrt()
    })
}

/// Brownian characteristics as fishtest's calculator computes them: pass
/// probability and expected number of games of a test, where the true strength
/// is always logistic and the overshoot is left out. The variance of a game is
/// that of [`PairDistribution::of_equals`], at every strength.
pub fn fishtest_characteristics(
    config: &SprtConfig,
    draw_ratio: f64,
    rms_bias: f64,
    logistic_elo: f64,
) -> Result<(f64, f64), DistributionError> {
    let base = PairDistribution::of_equals(draw_ratio, rms_bias)?;
    let (_, pair_variance) = base.mean_and_variance();
    let variance = 2.0 * pair_variance;
    let [zero, one] = config.scores_of_bounds(variance, 1.0);
    let (lower, upper) = config.bounds();
    let width = one - zero;
    let motion = Brownian {
        lower,
        upper,
        drift: width * (score_of_elo(logistic_elo) - 0.5 * (zero + one)) / variance,
        variance: width * width / variance,
    };
    Ok((motion.pass_probability(), motion.expected_time()))
}

/// The narrowest test that [`affordable_elo1`] considers.
pub const NARROWEST: f64 = 0.01;

/// The widest test from `config.elo0` upwards that [`affordable_elo1`] considers.
pub fn widest(config: &SprtConfig) -> f64 {
    f64::min(200.0, config.max_bound() - config.elo0)
}

/// The narrowest test from `config.elo0` upwards whose expected number of
/// pairs in the [worst case](worst_case) is at most `pairs`: its `elo1`. `None`
/// if even the widest test costs more.
///
/// # Errors
/// Those of [`point`].
pub fn affordable_elo1(
    config: &SprtConfig,
    base: &PairDistribution,
    pairs: f64,
) -> Result<Option<f64>, DistributionError> {
    let cost = |width: f64| {
        let test = SprtConfig {
            elo1: config.elo0 + width,
            ..*config
        };
        let elo = most_expensive(&test, base)?;
        Ok(walk(&test, base, elo)?.pass_and_pairs().1)
    };
    if cost(widest(config))? > pairs {
        return Ok(None);
    }
    if cost(NARROWEST)? <= pairs {
        return Ok(Some(config.elo0 + NARROWEST));
    }
    let (mut narrow, mut wide) = (NARROWEST, widest(config));
    for _ in 0..60 {
        let middle = (narrow * wide).sqrt();
        if cost(middle)? > pairs {
            narrow = middle;
        } else {
            wide = middle;
        }
    }
    Ok(Some(config.elo0 + wide))
}
