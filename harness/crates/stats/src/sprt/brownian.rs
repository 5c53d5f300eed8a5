//! The LLR as a Brownian motion with drift, stopped at two bounds.
//!
//! Formulas: Siegmund, Sequential Analysis (1985), chapter 3; the series is
//! the one that fishtest's `brownian.py` documents.

use std::f64::consts::PI;

use super::super::bisection::bisect;
use super::super::normal;

/// A Brownian motion that starts at 0 and stops at `lower` or `upper`. Its
/// time is counted in pairs (or in games, if `drift` and `variance` are per
/// game).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Brownian {
    /// Below zero.
    pub lower: f64,
    /// Above zero.
    pub upper: f64,
    /// Expected change per unit of time.
    pub drift: f64,
    /// Variance per unit of time, positive.
    pub variance: f64,
}

/// Below this product of tilt and width the formulas lose their last digits
/// and the limit without drift is used.
const NO_DRIFT: f64 = 1e-8;

/// From this product of drift and bound on the tail of the normal distribution is
/// replaced by two terms of its asymptotic series, as in fishtest, to print the same
/// estimates.
const MILLS_FROM: f64 = 5.0;

impl Brownian {
    /// The tilt 2 drift / variance: e^(-tilt x) of the motion is a martingale.
    fn tilt(&self) -> f64 {
        2.0 * self.drift / self.variance
    }

    /// The probability that the motion stops at the upper bound.
    pub fn pass_probability(&self) -> f64 {
        let tilt = self.tilt();
        let width = self.upper - self.lower;
        if (tilt * width).abs() < NO_DRIFT {
            return -self.lower / width;
        }
        // Written so that no exponential overflows.
        if tilt > 0.0 {
            (tilt * self.lower).exp_m1() / (-tilt * width).exp_m1()
        } else {
            let lost = (tilt * self.upper).exp_m1() / (tilt * width).exp_m1();
            1.0 - lost
        }
    }

    /// The expected time to either bound.
    pub fn expected_time(&self) -> f64 {
        let width = self.upper - self.lower;
        if (self.tilt() * width).abs() < NO_DRIFT {
            return -self.lower * self.upper / self.variance;
        }
        let pass = self.pass_probability();
        (self.upper * pass + self.lower * (1.0 - pass)) / self.drift
    }

    /// The probability that a test ends worse than one that was at `level`
    /// after `time`: that it hits the lower bound before `time`, or is between
    /// the bounds then, but not above `level`.
    pub fn outcome_probability(&self, time: f64, level: f64) -> f64 {
        let width = self.upper - self.lower;
        let spread = self.variance * time / (width * width);
        let tilt = (self.drift / self.variance * width).abs();
        let probability = if spread < 1e-2 || tilt > 15.0 {
            self.outcome_by_reflection(time, level)
        } else {
            self.outcome_by_series(time, level)
        };
        probability.clamp(0.0, 1.0)
    }

    /// The probability that the motion has stopped by `time`.
    pub(crate) fn stopped_by(&self, time: f64) -> f64 {
        1.0 - self.outcome_probability(time, self.upper)
            + self.outcome_probability(time, self.lower)
    }

    /// The time by which the motion has stopped with this probability.
    pub fn time_quantile(&self, probability: f64) -> f64 {
        let stopped = |time: f64| self.stopped_by(time);
        let mut high = self.expected_time();
        while stopped(high) < probability {
            high *= 2.0;
        }
        bisect((0.0, high), 60, |time| stopped(time) < probability).1
    }

    /// The eigenfunction expansion; converges fast if there is time to reach both
    /// bounds.
    fn outcome_by_series(&self, time: f64, level: f64) -> f64 {
        let width = self.upper - self.lower;
        let (start, level) = (-self.lower, level - self.lower);
        let gamma = self.drift / self.variance;
        let rate = |n: f64| {
            (n * PI / width).powi(2) * self.variance / 2.0
                + self.drift * self.drift / self.variance / 2.0
        };
        let slowest = rate(1.0);
        let scale = (-slowest * time + (level - start) * gamma).exp();
        let mut sum = 0.0;
        for n in 1u32.. {
            let n = f64::from(n);
            let decay = (-(rate(n) - slowest) * time).exp();
            let (sine, cosine) = (PI * n * level / width).sin_cos();
            let weight = (2.0 * width * gamma * sine - 2.0 * PI * n * cosine)
                / ((width * gamma).powi(2) + (PI * n).powi(2));
            sum += decay * weight * (n * PI * start / width).sin();
            // The term itself may be 0 by chance, so its bound decides.
            let is_negligible = scale * decay <= 1e-12 * n || decay == 0.0;
            if is_negligible || sum.is_nan() {
                break;
            }
        }
        let lost_in_the_end = if (gamma * width).abs() < NO_DRIFT {
            (width - start) / width
        } else {
            (2.0 * gamma * (width - start)).exp_m1() / (2.0 * gamma * width).exp_m1()
        };
        lost_in_the_end + scale * sum
    }

    /// The first reflections only; accurate if the motion can hardly reach both
    /// bounds in `time`.
    fn outcome_by_reflection(&self, time: f64, level: f64) -> f64 {
        let deviation = (time * self.variance).sqrt();
        let offset = self.drift * time;
        let gamma = self.drift / self.variance;
        let z = (level - offset) / deviation;
        let z_lower = (-level + offset + 2.0 * self.lower) / deviation;
        let z_upper = (level - offset - 2.0 * self.upper) / deviation;
        let reflected = |bound: f64, z: f64| {
            if gamma * bound < MILLS_FROM {
                return (2.0 * gamma * bound).exp() * normal::cdf(z);
            }
            let series = 1.0 / z - 1.0 / (z * z * z);
            -(2.0 * gamma * bound - 0.5 * z * z).exp() / (2.0 * PI).sqrt() * series
        };
        normal::cdf(z) + reflected(self.lower, z_lower) - reflected(self.upper, z_upper)
    }
}
