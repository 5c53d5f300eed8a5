//! The normalized model: strength is t = (mean - 1/2) / sigma.
//!
//! For a given mean m and deviation s the constraint is linear in the
//! distribution q: E_q[phi] = 0 with
//! phi_i = a_i - 1/2 - (t s / 2) (1 + ((m - a_i) / s)^2), and it is the
//! constraint t(q) = t if m and s are q's own. So q is found as a fixed point:
//! solve the linear problem, take q's mean and deviation, repeat. fishtest
//! does the same from the uniform distribution, with at most ten rounds.
//!
//! From the uniform distribution the first linear problem has no solution
//! once |t| reaches 0.943 (231 normalized Elo for pairs), where fishtest and
//! OpenBench raise an error and fastchess computes NaN. There, the likelihood
//! is maximised over s instead, with m = 1/2 + t s. The LLR is exact there too, but
//! a test of it does not keep its error rates: `SprtConfig::validate` refuses it.

use super::super::elo::NELO_PER_SIGMA;
use super::super::sample::{Sample, dot, mean_and_variance};
use super::tilt::Tilt;

/// The solutions for two strengths in normalized Elo.
pub(super) fn solutions<const K: usize>(
    probabilities: &[f64; K],
    nelo0: f64,
    nelo1: f64,
) -> [Tilt<K>; 2] {
    [nelo0, nelo1].map(|nelo| {
        let problem = Problem {
            probabilities,
            t: nelo * Sample::<K>::GAMES.sqrt() / NELO_PER_SIGMA,
        };
        problem.fixed_point().unwrap_or_else(|| problem.search())
    })
}

/// Find the distribution most likely to have given `probabilities` among
/// those whose t-value is `t`.
struct Problem<'a, const K: usize> {
    probabilities: &'a [f64; K],
    t: f64,
}

/// Rounds of the fixed point. It converges linearly, in about four rounds for
/// bounds that people use.
const ROUNDS: usize = 60;
/// The fixed point has converged if mean and variance change by less than this.
/// The likelihood is stationary in both, so its error is of the order of the
/// square.
const CONVERGED: f64 = 1e-10;

/// The fixed point may start from the sample itself if no result is rarer
/// than this and |t| is at most [`MODERATE_T`]: there is one optimum then, and
/// the start is nearer to it.
const RAREST: f64 = 1e-3;
const MODERATE_T: f64 = 0.1;

/// Deviations tried in the search, in equal ratios from the smallest to the
/// largest possible one.
const GRID: usize = 150;
const SMALLEST_SIGMA: f64 = 1e-8;
const LARGEST_SIGMA: f64 = 0.5;
/// Steps of golden section between neighbours of the best grid point.
const REFINEMENTS: usize = 60;

impl<const K: usize> Problem<'_, K> {
    /// The solution by fishtest's fixed point; `None` if it does not converge.
    fn fixed_point(&self) -> Option<Tilt<K>> {
        let is_moderate = self.t.abs() <= MODERATE_T
            && self
                .probabilities
                .iter()
                .all(|&probability| probability >= RAREST);
        let start = if is_moderate {
            *self.probabilities
        } else {
            [1.0 / K as f64; K]
        };
        let (mut mean, mut variance) = mean_and_variance(&start);
        for _ in 0..ROUNDS {
            let tilt = self.linear(mean, variance.sqrt())?;
            let (old_mean, old_variance) = (mean, variance);
            (mean, variance) = mean_and_variance(&self.solution(&tilt));
            let moved = (mean - old_mean).abs().max((variance - old_variance).abs());
            if moved < CONVERGED {
                return Some(tilt);
            }
        }
        None
    }

    /// Maximises the likelihood over the deviation.
    ///
    /// Away from one half, the distributions with at least the wanted t-value
    /// are a union of half-spaces, one for each (m, s): the most likely of the
    /// half-spaces' best points is wanted, and there may be several local
    /// optima. Towards one half they are an intersection of half-spaces: the
    /// one that costs most binds, and those the sample itself lies in do not
    /// count.
    fn search(&self) -> Tilt<K> {
        let (mean, variance) = mean_and_variance(self.probabilities);
        let own = (mean - 0.5) / variance.sqrt();
        let towards_half = own * self.t > 0.0 && own.abs() > self.t.abs();
        let cost = |ln_sigma: f64| {
            let sigma = ln_sigma.exp();
            let centre = 0.5 + self.t * sigma;
            let solution = self.linear(centre, sigma);
            if !towards_half {
                return solution.map_or(f64::INFINITY, |tilt| self.divergence(&tilt));
            }
            let phi = self.constraint(centre, sigma);
            if dot(self.probabilities, &phi) * self.t <= 0.0 {
                return 0.0;
            }
            solution.map_or(0.0, |tilt| -self.divergence(&tilt))
        };
        let best = minimize(cost).exp();
        self.linear(0.5 + self.t * best, best)
            .unwrap_or_else(|| Tilt::solve(self.probabilities, &Sample::<K>::SCORES, 0.5))
    }

    /// phi, whose mean the constraint makes zero.
    fn constraint(&self, mean: f64, sigma: f64) -> [f64; K] {
        let (constant, square) = (0.5 + 0.5 * self.t * sigma, 0.5 * self.t / sigma);
        Sample::<K>::SCORES.map(|score| score - constant - square * (mean - score) * (mean - score))
    }

    /// The linear problem for a given mean and deviation; `None` if it has no
    /// solution because phi has one sign.
    fn linear(&self, mean: f64, sigma: f64) -> Option<Tilt<K>> {
        let phi = self.constraint(mean, sigma);
        let (low, high) = phi.iter().fold((f64::MAX, f64::MIN), |(low, high), &x| {
            (low.min(x), high.max(x))
        });
        (low < 0.0 && high > 0.0).then(|| {
            let width = high - low;
            Tilt::solve(
                self.probabilities,
                &phi.map(|x| (x - low) / width),
                -low / width,
            )
        })
    }

    /// The distribution with the weights of `tilt`.
    fn solution(&self, tilt: &Tilt<K>) -> [f64; K] {
        let mut q = *self.probabilities;
        for (q, weight) in q.iter_mut().zip(tilt.weights) {
            *q /= weight;
        }
        q
    }

    /// Log-likelihood lost per unit against the unconstrained maximum.
    fn divergence(&self, tilt: &Tilt<K>) -> f64 {
        dot(self.probabilities, &tilt.weights.map(f64::ln))
    }
}

/// The logarithm of the deviation with the smallest cost. Every local minimum
/// of the grid is refined, because the costs of two may be close.
fn minimize(cost: impl Fn(f64) -> f64) -> f64 {
    let (left, right) = (SMALLEST_SIGMA.ln(), LARGEST_SIGMA.ln());
    let step = (right - left) / GRID as f64;
    let costs: Vec<f64> = (0..=GRID).map(|i| cost(left + step * i as f64)).collect();
    // The first of equal costs, so that a plateau is refined once.
    let is_minimum =
        |i: usize| (i == 0 || costs[i] < costs[i - 1]) && (i == GRID || costs[i] <= costs[i + 1]);
    let minima = (0..=GRID).filter(|&i| costs[i].is_finite() && is_minimum(i));
    minima
        .map(|i| golden_section(&cost, left + step * i as f64, step))
        .min_by(|a, b| cost(*a).total_cmp(&cost(*b)))
        .unwrap_or(right)
}

/// The minimum within `step` of `centre`.
fn golden_section(cost: impl Fn(f64) -> f64, centre: f64, step: f64) -> f64 {
    let ratio = (5f64.sqrt() - 1.0) / 2.0;
    let (mut low, mut high) = (centre - step, centre + step);
    for _ in 0..REFINEMENTS {
        let (a, b) = (high - ratio * (high - low), low + ratio * (high - low));
        if cost(a) < cost(b) {
            high = b;
        } else {
            low = a;
        }
    }
    0.5 * (low + high)
}
