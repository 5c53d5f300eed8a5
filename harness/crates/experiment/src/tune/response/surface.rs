//! A quadratic response surface, fitted to all pairs of a run by Bayesian
//! linear regression.
//!
//! In ranges from the final values, `x`, the model is
//! `Elo(x) = s'x - x'Hx/2 - sum_i k_i x_i^3`, so that sides at `m + d` and
//! `m - d` differ by `2 s'd - 2 d'Hm - 2 sum_i k_i (3 d_i m_i^2 + d_i^3)`:
//! linear in `s`, `H` and `k`. All have independent normal priors, around 0 but
//! for the curvatures; their common scale and the relative scale of the
//! interactions (the elements of `H` off its diagonal) are the ones of greatest
//! evidence.

use hone_stats::cholesky::Cholesky;

/// Prior standard deviation of a slope, in units of a curvature's: the expected
/// distance of the optimum, in ranges.
const SLOPE: f64 = 0.2;
/// Prior mean of a curvature, in units of its standard deviation: parameters
/// have an optimum more often than not.
const CURVATURE_MEAN: f64 = 0.6;
/// Prior standard deviation of a cubic coefficient, in units of a curvature's.
const CUBIC: f64 = 0.5;
/// Candidates for a curvature's prior standard deviation, in Elo per squared
/// range.
const SCALES: [f64; 5] = [30.0, 100.0, 300.0, 1000.0, 3000.0];
/// Candidates for an interaction's, in units of a curvature's.
const INTERACTIONS: [f64; 3] = [0.03, 0.12, 0.4];
/// With more parameters the interactions are left out.
const MOST_WITH_INTERACTIONS: usize = 40;

/// One batch, in ranges from the final values.
#[derive(Debug, Clone)]
pub(super) struct Point {
    /// Half differences of the sides.
    pub(super) d: Vec<f64>,
    /// Midpoints of the sides.
    pub(super) m: Vec<f64>,
    /// Observed Elo difference.
    pub(super) elo: f64,
    /// 1 / its variance.
    pub(super) weight: f64,
}

/// The fitted surface.
#[derive(Debug)]
pub(super) struct Surface {
    parameters: usize,
    interactions: bool,
    mean: Vec<f64>,
    factor: Cholesky,
}

/// A linear functional of the coefficients: `(coefficient, weight)`.
pub(super) type Functional = Vec<(usize, f64)>;

impl Surface {
    /// Fits the surface; `None` without a batch that shows a difference of its
    /// sides.
    pub(super) fn fit(points: &[Point], parameters: usize) -> Option<Self> {
        let interactions = parameters <= MOST_WITH_INTERACTIONS;
        let size = coefficients(parameters, interactions);
        let mut normal = vec![0.0; size * size];
        let mut response = vec![0.0; size];
        let mut features = Vec::with_capacity(size);
        for point in points {
            features_of(point, interactions, &mut features);
            for (row, fi) in features.iter().enumerate() {
                let wf = point.weight * fi;
                response[row] += wf * point.elo;
                let line = &mut normal[row * size..row * size + row + 1];
                for (sum, fj) in line.iter_mut().zip(&features) {
                    *sum += wf * fj;
                }
            }
        }
        if response.iter().all(|r| *r == 0.0) {
            return None;
        }
        let system = System {
            parameters,
            normal,
            response,
        };
        let relative = if interactions {
            &INTERACTIONS[..]
        } else {
            &INTERACTIONS[..1]
        };
        let candidates = SCALES
            .iter()
            .flat_map(|scale| relative.iter().map(move |relative| (*scale, *relative)));
        let fit = candidates
            .filter_map(|(scale, relative)| system.solve(scale, relative))
            .max_by(|a, b| a.evidence.total_cmp(&b.evidence))?;
        Some(Self {
            parameters,
            interactions,
            mean: fit.mean,
            factor: fit.factor,
        })
    }

    /// Mean and standard deviation of a functional.
    pub(super) fn estimate(&self, functional: &Functional) -> (f64, f64) {
        let mean = functional.iter().map(|(at, w)| w * self.mean[*at]).sum();
        let half = self.half(functional);
        let variance: f64 = half.iter().map(|x| x * x).sum();
        (mean, variance.sqrt())
    }

    /// Covariance of two functionals.
    pub(super) fn covariance(&self, a: &Functional, b: &Functional) -> f64 {
        let (a, b) = (self.half(a), self.half(b));
        a.iter().zip(&b).map(|(x, y)| x * y).sum()
    }

    fn half(&self, functional: &Functional) -> Vec<f64> {
        let mut dense = vec![0.0; self.mean.len()];
        for (at, weight) in functional {
            dense[*at] += weight;
        }
        self.factor.forward(&dense)
    }

    /// Slope of a parameter at the final values.
    pub(super) fn slope(&self, parameter: usize) -> Functional {
        vec![(parameter, 1.0)]
    }

    /// Curvature of a parameter: Elo per squared range.
    pub(super) fn curvature(&self, parameter: usize) -> Functional {
        vec![(self.parameters + parameter, 1.0)]
    }

    /// Interaction `H_ij` of two parameters, if the model has it.
    pub(super) fn interaction(&self, i: usize, j: usize) -> Option<Functional> {
        self.interactions
            .then(|| vec![(3 * self.parameters + slot(i, j), 1.0)])
    }

    /// Elo at `x` less Elo at the final values.
    pub(super) fn elo(&self, x: &[f64]) -> Functional {
        let k = self.parameters;
        let mut functional = vec![];
        for (i, xi) in x.iter().enumerate() {
            functional.push((i, *xi));
            functional.push((k + i, -0.5 * xi * xi));
            functional.push((2 * k + i, -xi * xi * xi));
            if self.interactions {
                for (j, xj) in x[..i].iter().enumerate() {
                    functional.push((3 * k + slot(i, j), -xi * xj));
                }
            }
        }
        functional
    }
}

/// Index of the interaction of two parameters among all interactions.
fn slot(i: usize, j: usize) -> usize {
    let (high, low) = if i > j { (i, j) } else { (j, i) };
    high * (high - 1) / 2 + low
}

fn coefficients(parameters: usize, interactions: bool) -> usize {
    let pairs = parameters * (parameters - 1) / 2;
    3 * parameters + if interactions { pairs } else { 0 }
}

/// The normal equations of a regression.
struct System {
    parameters: usize,
    /// `sum w f f'`, lower triangle.
    normal: Vec<f64>,
    /// `sum w f y`.
    response: Vec<f64>,
}

struct Fit {
    mean: Vec<f64>,
    factor: Cholesky,
    /// Log of the marginal likelihood, up to a constant.
    evidence: f64,
}

impl System {
    /// The posterior, if curvatures have the prior scale `scale` and
    /// interactions `relative` times that.
    fn solve(&self, scale: f64, relative: f64) -> Option<Fit> {
        let deviations = self.priors(scale, relative);
        let size = deviations.len();
        let mut a = self.normal.clone();
        let mut target = self.response.clone();
        let mut prior = 0.0;
        for (index, deviation) in deviations.iter().enumerate() {
            let precision = 1.0 / (deviation * deviation);
            a[index * size + index] += precision;
            if (self.parameters..2 * self.parameters).contains(&index) {
                let mean = CURVATURE_MEAN * deviation;
                target[index] += precision * mean;
                prior += precision * mean * mean;
            }
        }
        let factor = Cholesky::new(a, size, 0.0)?;
        let mean = factor.solve(&target);
        let fit = mean.iter().zip(&target).map(|(m, r)| m * r).sum::<f64>() - prior;
        let volume: f64 = deviations.iter().map(|d| 2.0 * d.ln()).sum();
        let evidence = 0.5 * (fit - factor.log_determinant() - volume);
        Some(Fit {
            mean,
            factor,
            evidence,
        })
    }

    fn priors(&self, scale: f64, relative: f64) -> Vec<f64> {
        let mut deviations = Vec::with_capacity(self.response.len());
        for factor in [SLOPE, 1.0, CUBIC] {
            deviations.extend(std::iter::repeat_n(factor * scale, self.parameters));
        }
        deviations.resize(self.response.len(), relative * scale);
        deviations
    }
}

/// Slopes, curvatures, cubic terms, then interactions pair by pair.
fn features_of(point: &Point, interactions: bool, features: &mut Vec<f64>) {
    let Point { d, m, .. } = point;
    features.clear();
    features.extend(d.iter().map(|d| 2.0 * d));
    let both = d.iter().zip(m);
    features.extend(both.clone().map(|(d, m)| -2.0 * d * m));
    features.extend(both.map(|(d, m)| -2.0 * (3.0 * d * m * m + d * d * d)));
    if interactions {
        for i in 1..d.len() {
            for j in 0..i {
                features.push(-2.0 * (d[i] * m[j] + d[j] * m[i]));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tune::stream::{Purpose, stream, uniform};

    #[test]
    fn finds_the_surface_that_made_the_data() {
        // Elo(x) = 3 x0 - 40 x0^2 - 10 x1^2 - 15 x0 x1 - 12 x1^3
        let elo = |x: &[f64]| {
            3.0 * x[0]
                - 40.0 * x[0] * x[0]
                - 10.0 * x[1] * x[1]
                - 15.0 * x[0] * x[1]
                - 12.0 * x[1].powi(3)
        };
        let mut rng = stream(1, Purpose::Landscape, 0);
        let mut draw = || 0.6 * uniform(&mut rng) - 0.3;
        let points: Vec<Point> = (0..400)
            .map(|_| {
                let d = vec![draw(), draw()];
                let m = vec![draw(), draw()];
                let plus: Vec<f64> = m.iter().zip(&d).map(|(m, d)| m + d).collect();
                let minus: Vec<f64> = m.iter().zip(&d).map(|(m, d)| m - d).collect();
                Point {
                    elo: elo(&plus) - elo(&minus),
                    weight: 100.0,
                    d,
                    m,
                }
            })
            .collect();
        let surface = Surface::fit(&points, 2).unwrap();
        let near = |functional: &Functional, truth: f64| {
            let (mean, deviation) = surface.estimate(functional);
            assert!(deviation > 0.0);
            assert!(
                (mean - truth).abs() < 4.0 * deviation + 0.1,
                "{mean} {truth}"
            );
        };
        near(&surface.slope(0), 3.0);
        near(&surface.slope(1), 0.0);
        near(&surface.curvature(0), 80.0);
        near(&surface.curvature(1), 20.0);
        near(&surface.interaction(0, 1).unwrap(), 15.0);
        near(&surface.elo(&[0.2, -0.1]), elo(&[0.2, -0.1]));
    }

    #[test]
    fn without_data_there_is_no_surface() {
        assert!(Surface::fit(&[], 3).is_none());
    }
}
