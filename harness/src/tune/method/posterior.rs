//! What is known of one parameter: a posterior over its optimum and curvature.
//!
//! The model of the Elo lost at `x` (in ranges from the start) is
//! `h/2 (u + kappa u^2)^2`, `u = x - o`. With the sides at `m + d` and `m - d`
//! the expected Elo difference is, to first order in the skew `kappa`,
//! `-2 h d u - h kappa (6 d u^2 + 2 d^3)` with `u = m - o`: linear in the
//! features `d, d m, d m^2, d^3`. Weighted sums of their products and of their
//! products with the observed difference say all; the posterior over a grid of
//! `(o, h)` follows from them, `kappa` being normal and integrated out.

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

    /// Scales all that was seen so far.
    pub(super) fn fade(&mut self, factor: f64) {
        self.square.iter_mut().for_each(|sum| *sum *= factor);
        self.response.iter_mut().for_each(|sum| *sum *= factor);
    }

    /// `sum w a y` and so on of the two effects of unit curvature at optimum
    /// `o`: plain `-2 d u` and skewed `-(6 d u^2 + 2 d^3)`.
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

/// The grid and the priors that all parameters share.
#[derive(Debug, Clone)]
pub(super) struct Grid {
    /// Optima, in ranges from the start.
    pub(super) optima: Vec<f64>,
    /// Prior of an optimum.
    pub(super) optimum_prior: Vec<f64>,
    /// Curvatures: Elo per squared range.
    pub(super) curvatures: Vec<f64>,
    /// Prior of a curvature; learnt from all parameters.
    pub(super) curvature_prior: Vec<f64>,
    /// Prior variance of the skew.
    pub(super) skew_variance: f64,
}

/// What a posterior comes to.
#[derive(Debug, Clone)]
pub(super) struct Belief {
    /// Where the expected loss is least: `E[h o] / E[h]`.
    pub(super) best: f64,
    /// Standard deviation of the optimum, each value weighted by its
    /// curvature: the width that matters for the loss.
    pub(super) deviation: f64,
    /// Expected curvature.
    pub(super) curvature: f64,
    /// Expected coefficients of the features, to predict a difference.
    pub(super) coefficients: [f64; 4],
    /// Posterior of the curvature.
    pub(super) curvatures: Vec<f64>,
}

impl Belief {
    /// Expected Elo difference of sides at `m + d` and `m - d`.
    pub(super) fn predict(&self, d: f64, m: f64) -> f64 {
        let [a, b, c, e] = self.coefficients;
        d * (a + b * m + c * m * m + e * d * d)
    }
}

/// The posterior over the grid, given the sums.
pub(super) fn believe(sums: &Sums, grid: &Grid, scratch: &mut Vec<f64>) -> Belief {
    let levels = grid.curvatures.len();
    scratch.clear();
    let mut largest = f64::NEG_INFINITY;
    let log_h: Vec<f64> = grid.curvature_prior.iter().map(|p| p.ln()).collect();
    let precision = 1.0 / grid.skew_variance;
    let effects: Vec<Effects> = grid.optima.iter().map(|&o| sums.effects(o)).collect();
    for (effect, prior) in effects.iter().zip(&grid.optimum_prior) {
        let log_o = prior.ln();
        for (&h, log_h) in grid.curvatures.iter().zip(&log_h) {
            let slope = h * effect.skewed_y - h * h * effect.plain_skewed;
            let ratio = 1.0 + h * h * effect.skewed_skewed / precision;
            let log = log_o + log_h + h * effect.plain_y - 0.5 * h * h * effect.plain_plain
                + 0.5 * slope * slope / (precision * ratio)
                - 0.5 * ratio.ln();
            largest = largest.max(log);
            scratch.push(log);
        }
    }
    let mut total = 0.0;
    let mut h_sum = 0.0;
    let mut ho_sum = 0.0;
    let mut hoo_sum = 0.0;
    let mut coefficients = [0.0; 4];
    let mut curvatures = vec![0.0; levels];
    for ((effect, &o), row) in effects
        .iter()
        .zip(&grid.optima)
        .zip(scratch.chunks_exact(levels))
    {
        for ((&log, &h), level) in row.iter().zip(&grid.curvatures).zip(&mut curvatures) {
            let log = log - largest;
            if log < -30.0 {
                continue;
            }
            let p = log.exp();
            let slope = h * effect.skewed_y - h * h * effect.plain_skewed;
            let kappa = slope / (precision + h * h * effect.skewed_skewed);
            let ph = p * h;
            total += p;
            h_sum += ph;
            ho_sum += ph * o;
            hoo_sum += ph * o * o;
            *level += p;
            coefficients[0] += ph * (2.0 * o - 6.0 * kappa * o * o);
            coefficients[1] += ph * (12.0 * kappa * o - 2.0);
            coefficients[2] -= ph * 6.0 * kappa;
            coefficients[3] -= ph * 2.0 * kappa;
        }
    }
    let best = ho_sum / h_sum;
    Belief {
        best,
        deviation: (hoo_sum / h_sum - best * best).max(0.0).sqrt(),
        curvature: h_sum / total,
        coefficients: coefficients.map(|c| c / total),
        curvatures: curvatures.into_iter().map(|p| p / total).collect(),
    }
}
