//! The posterior of one parameter over its optimum and curvature.
//!
//! The model of the Elo lost at `x` (in ranges from the start) is
//! `h/2 (u + kappa u^2)^2`, `u = x - o`. With the sides at `m + d` and `m - d`
//! the expected Elo difference is, to first order in the skew `kappa`,
//! `-2 h d u - h kappa (6 d u^2 + 2 d^3)` with `u = m - o`: linear in the
//! features `d, d m, d m^2, d^3`. Weighted sums of their products and of their
//! products with the observed difference are sufficient; the posterior over a grid
//! of `(o, h)` follows from them, with a normal `kappa` integrated out.

/// Weighted sums over all observations of one parameter.
#[derive(Debug, Clone, Default)]
pub(super) struct Sums {
    /// `sum w f_a f_b`, upper triangle row by row: 00 01 02 03 11 12 13 22 23 33.
    square: [f64; 10],
    /// `sum w f_a y`.
    response: [f64; 4],
}

impl Sums {
    /// Adds an observed Elo difference `y` of weight `w` (1 / variance), with
    /// half difference `d` at midpoint `m`.
    pub(super) fn add(&mut self, d: f64, m: f64, y: f64, w: f64) {
        let f = [d, d * m, d * m * m, d * d * d];
        let mut slot = 0;
        for a in 0..4 {
            let wf = w * f[a];
            self.response[a] += wf * y;
            for fb in &f[a..] {
                self.square[slot] += wf * fb;
                slot += 1;
            }
        }
    }

    /// Scales the weight of all observations so far.
    pub(super) fn fade(&mut self, factor: f64) {
        self.square.iter_mut().for_each(|sum| *sum *= factor);
        self.response.iter_mut().for_each(|sum| *sum *= factor);
    }

    /// Sums of the products, with each other and with the response, of the two effects
    /// of unit curvature at optimum `o`: plain `-2 d u` and skewed `-(6 d u^2 + 2 d^3)`.
    fn effects(&self, o: f64) -> Effects {
        // Coefficients of the features in each effect.
        let plain = [2.0 * o, -2.0, 0.0, 0.0];
        let skewed = [-6.0 * o * o, 12.0 * o, -6.0, -2.0];
        let dot = |c: &[f64; 4]| -> f64 { c.iter().zip(&self.response).map(|(c, r)| c * r).sum() };
        let form = |a: &[f64; 4], b: &[f64; 4]| -> f64 {
            let mut slot = 0;
            let mut total = 0.0;
            for i in 0..4 {
                for j in i..4 {
                    let both = if i == j {
                        a[i] * b[i]
                    } else {
                        a[i] * b[j] + a[j] * b[i]
                    };
                    total += both * self.square[slot];
                    slot += 1;
                }
            }
            total
        };
        Effects {
            plain_y: dot(&plain),
            skewed_y: dot(&skewed),
            plain_plain: form(&plain, &plain),
            plain_skewed: form(&plain, &skewed),
            skewed_skewed: form(&skewed, &skewed),
        }
    }
}

struct Effects {
    plain_y: f64,
    skewed_y: f64,
    plain_plain: f64,
    plain_skewed: f64,
    skewed_skewed: f64,
}

impl Effects {
    /// Derivative of the log-likelihood by the skew, at 0, for curvature `h`.
    fn skew_slope(&self, h: f64) -> f64 {
        h * self.skewed_y - h * h * self.plain_skewed
    }
}

/// The grid of optima and curvatures with its priors.
#[derive(Debug, Clone)]
pub(super) struct Grid {
    /// Optima, in ranges from the start, denser near the start.
    optima: Vec<f64>,
    /// Logarithms of the optima's priors, up to a constant.
    log_optima: Vec<f64>,
    /// Curvatures (Elo per squared range), evenly spaced in their logarithm.
    curvatures: Vec<f64>,
    log_curvatures: Vec<f64>,
    /// 1 / prior variance of the skew.
    skew_precision: f64,
}

/// Grid points on either side of the start.
const OPTIMA: i32 = 14;
/// The outermost optimum, in ranges from the start.
const FARTHEST: f64 = 0.6;
/// How much denser the grid is at the start: `sinh` stretches it.
const STRETCH: f64 = 3.5;
/// Lowest and highest curvature and their number: from one that hardly matters to one
/// that loses 340 Elo within 0.15 of the range.
const CURVATURES: (f64, f64, i32) = (1.0, 30_000.0, 14);
/// The prior of a curvature `h` is proportional to `h^-TILT`.
const TILT: f64 = 0.2;

impl Grid {
    /// A normal prior of deviation `spread` for the optimum, of deviation
    /// `skew` for the skew.
    pub(super) fn new(spread: f64, skew: f64) -> Self {
        let stretched = |i: i32| STRETCH * f64::from(i) / f64::from(OPTIMA);
        let optima: Vec<f64> = (-OPTIMA..=OPTIMA)
            .map(|i| FARTHEST * stretched(i).sinh() / STRETCH.sinh())
            .collect();
        let log_optima = (-OPTIMA..=OPTIMA)
            .zip(&optima)
            // The density times the grid's spacing.
            .map(|(i, o)| -0.5 * (o / spread).powi(2) + stretched(i).cosh().ln())
            .collect();
        let (low, high, count) = CURVATURES;
        let step = (high / low).ln() / f64::from(count - 1);
        let logs = (0..count).map(|i| low.ln() + step * f64::from(i));
        Self {
            optima,
            log_optima,
            curvatures: logs.clone().map(f64::exp).collect(),
            log_curvatures: logs.map(|log| -TILT * log).collect(),
            skew_precision: 1.0 / (skew * skew),
        }
    }

    /// The posterior given the sums.
    pub(super) fn posterior(&self, sums: &Sums) -> OptimumPosterior {
        let precision = self.skew_precision;
        let effects: Vec<Effects> = self.optima.iter().map(|&o| sums.effects(o)).collect();
        let mut logs = Vec::with_capacity(self.optima.len() * self.curvatures.len());
        for (effect, log_o) in effects.iter().zip(&self.log_optima) {
            for (&h, log_h) in self.curvatures.iter().zip(&self.log_curvatures) {
                let slope = effect.skew_slope(h);
                let ratio = 1.0 + h * h * effect.skewed_skewed / precision;
                let plain = h * effect.plain_y - 0.5 * h * h * effect.plain_plain;
                let skewed = 0.5 * slope * slope / (precision * ratio) - 0.5 * ratio.ln();
                logs.push(log_o + log_h + plain + skewed);
            }
        }
        let largest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let mut total = 0.0;
        // Moments of the optimum, weighted by the curvature.
        let mut moments = [0.0; 3];
        let mut coefficients = [0.0; 4];
        let rows = logs.chunks_exact(self.curvatures.len());
        for ((effect, &o), row) in effects.iter().zip(&self.optima).zip(rows) {
            for (&log, &h) in row.iter().zip(&self.curvatures) {
                let log = log - largest;
                if log < NEGLIGIBLE {
                    continue;
                }
                let p = log.exp();
                let kappa = effect.skew_slope(h) / (precision + h * h * effect.skewed_skewed);
                let ph = p * h;
                total += p;
                moments[0] += ph;
                moments[1] += ph * o;
                moments[2] += ph * o * o;
                coefficients[0] += ph * (2.0 * o - 6.0 * kappa * o * o);
                coefficients[1] += ph * (12.0 * kappa * o - 2.0);
                coefficients[2] -= ph * 6.0 * kappa;
                coefficients[3] -= ph * 2.0 * kappa;
            }
        }
        let mean = moments[1] / moments[0];
        OptimumPosterior {
            deviation: (moments[2] / moments[0] - mean * mean).max(0.0).sqrt(),
            coefficients: coefficients.map(|c| c / total),
        }
    }
}

/// The posterior of one parameter.
#[derive(Debug, Clone)]
pub(super) struct OptimumPosterior {
    /// Standard deviation of the optimum, each value weighted by its
    /// curvature: the width that matters for the loss.
    pub(super) deviation: f64,
    /// Expected coefficients of the features, to predict a difference.
    coefficients: [f64; 4],
}

impl OptimumPosterior {
    /// Expected Elo difference of sides at `m + d` and `m - d`.
    pub(super) fn predict(&self, d: f64, m: f64) -> f64 {
        let [a, b, c, e] = self.coefficients;
        d * (a + b * m + c * m * m + e * d * d)
    }
}

/// Log of the probability, relative to the largest, below which grid points are skipped.
const NEGLIGIBLE: f64 = -30.0;

#[cfg(test)]
mod tests {
    use super::*;

    fn observed(o: f64, h: f64, weight: f64) -> Sums {
        let mut sums = Sums::default();
        for step in 0..40 {
            let d = if step % 2 == 0 { 0.2 } else { -0.15 };
            let m = f64::from(step % 5) * 0.05 - 0.1;
            sums.add(d, m, -2.0 * h * d * (m - o), weight);
        }
        sums
    }

    #[test]
    fn without_observations_it_is_the_prior() {
        let grid = Grid::new(0.2, 0.5);
        let posterior = grid.posterior(&Sums::default());
        assert!((posterior.deviation - 0.2).abs() < 0.01, "{posterior:?}");
        assert!(posterior.predict(0.2, 0.0).abs() < 1e-9);
    }

    #[test]
    fn finds_optimum_and_curvature() {
        let grid = Grid::new(0.2, 0.5);
        let (o, h) = (0.12, 150.0);
        let posterior = grid.posterior(&observed(o, h, 1.0));
        assert!(posterior.deviation < 0.05, "{posterior:?}");
        for m in [-0.1, 0.0, 0.1] {
            let truth = -2.0 * h * 0.2 * (m - o);
            let predicted = posterior.predict(0.2, m);
            assert!(
                (predicted - truth).abs() < 0.15 * h * 0.1,
                "{predicted} {truth}"
            );
        }
    }

    #[test]
    fn more_weight_narrows_the_posterior() {
        let grid = Grid::new(0.2, 0.5);
        let deviation = |weight| {
            let sums = observed(0.1, 40.0, weight);
            grid.posterior(&sums).deviation
        };
        assert!(deviation(0.01) > deviation(0.1));
        assert!(deviation(0.1) > deviation(1.0));
    }

    #[test]
    fn faded_sums_widen_the_posterior() {
        let grid = Grid::new(0.2, 0.5);
        let mut sums = observed(0.1, 40.0, 0.1);
        let before = grid.posterior(&sums).deviation;
        sums.fade(0.2);
        assert!(grid.posterior(&sums).deviation > before);
    }
}
