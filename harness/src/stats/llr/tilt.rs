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

impl<const K: usize> Tilt<K> {
    /// Solves for positive `probabilities` that sum to one, `levels` in
    /// [0, 1] of which at least one is 0 and one is 1, and `target` strictly
    /// between 0 and 1.
    pub(super) fn solve(probabilities: &[f64; K], levels: &[f64; K], target: f64) -> Self {
        let mean: f64 = super::super::sample::dot(probabilities, levels);
        if mean <= target {
            return Self::solve_upwards(probabilities, levels, target);
        }
        Self::solve_upwards(
            probabilities,
            &levels.map(|level| 1.0 - level),
            1.0 - target,
        )
    }

    /// The case where the mean has to rise: the weight at level 1 is at most
    /// one.
    fn solve_upwards(probabilities: &[f64; K], levels: &[f64; K], target: f64) -> Self {
        let slope_low = -target / (1.0 - target);
        let slope_high = 1.0 / (1.0 - target);
        // Weight at level l: low + l (high - low), where the two ends are
        // tied by target * high + (1 - target) * low = 1.
        let low_of = |high: f64| slope_high + slope_low * high;
        let (mut left, mut right) = (0.0_f64, 1.0_f64);
        let mut high = 1.0;
        for step in 0..MAX_STEPS {
            let low = low_of(high);
            let (mut value, mut derivative) = (0.0, 0.0);
            let (product, product_slope) = (high * low, low + high * slope_low);
            for (&p, &level) in probabilities.iter().zip(levels) {
                let weight = (1.0 - level) * low + level * high;
                let slope = (1.0 - level) * slope_low + level;
                let pull = p * (level - target) / weight;
                value += pull * product;
                derivative += pull * (product_slope - product * slope / weight);
            }
            if value > 0.0 {
                left = high;
            } else {
                right = high;
            }
            let newton = high - value / derivative;
            let inside = newton > left && newton < right;
            let next = if inside && step < NEWTON_STEPS {
                newton
            } else {
                0.5 * (left + right)
            };
            let moved = (next - high).abs();
            high = next;
            if moved <= 1e-15 * high {
                break;
            }
        }
        let low = low_of(high);
        let multiplier = (high - 1.0) * slope_high;
        Self {
            weights: levels.map(|level| (1.0 - level) * low + level * high),
            excess: levels.map(|level| multiplier * (level - target)),
        }
    }

    /// sum p_i ln(q1_i / q0_i) of two solutions for the same `probabilities`.
    pub(super) fn mean_log_ratio(probabilities: &[f64; K], zero: &Self, one: &Self) -> f64 {
        let mut sum = 0.0;
        for (i, p) in probabilities.iter().enumerate() {
            let change = (zero.excess[i] - one.excess[i]) / one.weights[i];
            sum += p * if change.abs() < 0.5 {
                change.ln_1p()
            } else {
                (zero.weights[i] / one.weights[i]).ln()
            };
        }
        sum
    }
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
}
