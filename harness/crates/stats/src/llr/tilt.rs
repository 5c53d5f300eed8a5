//! The distribution most likely to have given a sample, among those for which
//! a linear function of the outcome has mean zero.
//!
//! By Lagrange it is q_i = p_i / w_i with w_i = 1 + x phi_i, where x solves
//! sum p_i phi_i / (1 + x phi_i) = 0 and keeps every w_i positive. Only the
//! shape of phi matters: it is given as `levels` from 0 to 1 and the `target`
//! mean, phi_i = level_i - target.
//!
//! The weights are a linear function of the level, so they are determined by
//! the weights at levels 0 and 1. The smaller of the two, which lies in
//! (0, 1], is what is solved for: it keeps its relative precision however
//! close to the edge the root is (with one-sided results of 10^9 pairs it is
//! of the order of 1e-12). The equation is multiplied by both end weights,
//! which removes its poles and leaves a function so close to linear that
//! Newton's method needs three or four steps.

use super::super::sample::dot;

/// The solution: weights w, with q_i = p_i / w_i.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tilt<const K: usize> {
    pub(super) weights: [f64; K],
    /// The weights less one, precise where the weights are near one.
    excess: [f64; K],
}

/// Newton steps before bisection takes over; bisection alone then needs at
/// most about 60 more.
const NEWTON_STEPS: usize = 30;
const MAX_STEPS: usize = 130;
/// A Newton step this small, relative to the root, leaves an error of about
/// its square.
const LAST_NEWTON_STEP: f64 = 1e-9;
const LAST_BISECTION: f64 = 1e-15;

impl<const K: usize> Tilt<K> {
    /// Solves for positive `probabilities` that sum to one, `levels` in
    /// [0, 1] of which at least one is 0 and one is 1, and `target` strictly
    /// between 0 and 1.
    pub(super) fn solve(probabilities: &[f64; K], levels: &[f64; K], target: f64) -> Self {
        if dot(probabilities, levels) <= target {
            return Self::solve_upwards(probabilities, levels, target);
        }
        Self::solve_upwards(
            probabilities,
            &levels.map(|level| 1.0 - level),
            1.0 - target,
        )
    }

    /// The case where the mean has to rise: the weight at level 1 is at most
    /// one. The weight at level l is ((1 - l) + (l - target) high) / (1 -
    /// target), where `high` is the weight at level 1.
    fn solve_upwards(probabilities: &[f64; K], levels: &[f64; K], target: f64) -> Self {
        let distances = levels.map(|level| level - target);
        let (mut left, mut right) = (0.0_f64, 1.0_f64);
        let mut high = 1.0_f64;
        for step in 0..MAX_STEPS {
            // The equation, its derivative, and the product of end weights that
            // clears its poles, all up to constant factors.
            let (mut value, mut slope) = (0.0, 0.0);
            for i in 0..K {
                let pull = distances[i] / (1.0 - levels[i] + distances[i] * high);
                value += probabilities[i] * pull;
                slope += probabilities[i] * pull * pull;
            }
            if value > 0.0 {
                left = high;
            } else {
                right = high;
            }
            let product = high * (1.0 - target * high);
            let product_slope = 1.0 - 2.0 * target * high;
            let newton = high - value * product / (product_slope * value - product * slope);
            let is_newton = newton > left && newton < right && step < NEWTON_STEPS;
            let (next, last_step) = if is_newton {
                (newton, LAST_NEWTON_STEP)
            } else {
                (0.5 * (left + right), LAST_BISECTION)
            };
            let moved = (next - high).abs();
            high = next;
            if moved <= last_step * high {
                break;
            }
        }
        let scale = 1.0 / (1.0 - target);
        let multiplier = (high - 1.0) * scale;
        let mut weights = [0.0; K];
        for i in 0..K {
            weights[i] = scale * (1.0 - levels[i] + distances[i] * high);
        }
        Self {
            weights,
            excess: distances.map(|distance| multiplier * distance),
        }
    }

    /// ln(q1_i / q0_i) of two solutions for the same probabilities.
    pub(super) fn log_ratios(zero: &Self, one: &Self) -> [f64; K] {
        std::array::from_fn(|i| {
            let change = (zero.excess[i] - one.excess[i]) / one.weights[i];
            if change.abs() < SMALL {
                ln_1p_of_small(change)
            } else if change.abs() < 0.5 {
                change.ln_1p()
            } else {
                (zero.weights[i] / one.weights[i]).ln()
            }
        })
    }
}

/// Up to here [`ln_1p_of_small`] is exact to the last digit or two.
const SMALL: f64 = 0.1;

/// ln(1 + x) by the series of the inverse hyperbolic tangent: several times
/// faster than [`f64::ln_1p`], in which an LLR would spend most of its time.
fn ln_1p_of_small(x: f64) -> f64 {
    let z = x / (2.0 + x);
    let z2 = z * z;
    let tail = 1.0 / 3.0 + z2 * (1.0 / 5.0 + z2 * (1.0 / 7.0 + z2 * (1.0 / 9.0 + z2 / 11.0)));
    2.0 * z * (1.0 + z2 * tail)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEVELS: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

    #[test]
    fn solution_has_the_target_mean_and_mass_one() {
        for counts in [
            [1.0, 20.0, 40.0, 25.0, 2.0],
            [1e-3, 1e-3, 1e9, 1e-3, 1e-3],
            [1e9, 1e-3, 1e-3, 1e-3, 1e-3],
            [1e-3, 1e-3, 1e-3, 1e-3, 1.0],
        ] {
            let total: f64 = counts.iter().sum();
            let p = counts.map(|n| n / total);
            for target in [1e-4, 0.3, 0.5, 0.507, 0.9, 0.9999] {
                let q: Vec<f64> = Tilt::solve(&p, &LEVELS, target)
                    .weights
                    .iter()
                    .zip(p)
                    .map(|(w, p)| p / w)
                    .collect();
                let mass: f64 = q.iter().sum();
                let mean: f64 = q.iter().zip(LEVELS).map(|(q, level)| q * level).sum();
                assert!((mass - 1.0).abs() < 1e-11, "{counts:?} {target}: {mass}");
                assert!((mean - target).abs() < 1e-11, "{counts:?} {target}: {mean}");
            }
        }
    }

    #[test]
    fn nothing_changes_where_the_mean_is_right_already() {
        let tilt = Tilt::solve(&[0.2; 5], &LEVELS, 0.5);
        assert!(tilt.weights.iter().all(|w| (w - 1.0).abs() < 1e-14));
    }

    #[test]
    fn short_series_is_the_logarithm() {
        for i in -1_000..=1_000 {
            let x = f64::from(i) * 1e-4;
            let (is, should) = (ln_1p_of_small(x), x.ln_1p());
            assert!(
                (is - should).abs() <= 1e-15 * should.abs(),
                "{x}: {is} {should}"
            );
        }
    }
}
