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
//!
//! The smaller of two equivalent systems is solved: by coefficients, or by batches (`dual`),
//! of which a run with many parameters has fewer.

use hone_stats::cholesky::Cholesky;

use super::dual::{Dual, DualSystem};

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
    spread: Spread,
}

/// The covariances of the coefficients.
#[derive(Debug)]
pub(super) enum Spread {
    /// By the factor of the inverse covariance.
    Primal(Cholesky),
    Dual(Dual),
}

/// A linear functional of the coefficients: `(coefficient, weight)`.
pub(super) type Functional = Vec<(usize, f64)>;

impl Surface {
    /// Fits the surface; `None` without a batch that shows a difference of its
    /// sides.
    pub(super) fn fit(points: &[Point], parameters: usize) -> Option<Self> {
        let interactions = parameters <= MOST_WITH_INTERACTIONS;
        let size = coefficients(parameters, interactions);
        let mut response = vec![0.0; size];
        let mut features = Vec::with_capacity(size);
        for point in points {
            features_of(point, interactions, &mut features);
            for (sum, f) in response.iter_mut().zip(&features) {
                *sum += point.weight * f * point.elo;
            }
        }
        if response.iter().all(|r| *r == 0.0) {
            return None;
        }
        let fit = if points.len() < size {
            let features = points.iter().map(|point| {
                features_of(point, interactions, &mut features);
                features.clone()
            });
            let system = DualSystem::new(points, features.collect(), 3 * parameters);
            best(interactions, |scale, relative| {
                let priors = priors(parameters, size, scale, relative);
                let means = prior_means(parameters, &priors);
                system.solve(scale, relative, priors, means)
            })?
        } else {
            let system = System {
                parameters,
                normal: normal_equations(points, interactions, size),
                response,
            };
            best(interactions, |scale, relative| {
                system.solve(scale, relative)
            })?
        };
        Some(Self {
            parameters,
            interactions,
            mean: fit.mean,
            spread: fit.spread,
        })
    }

    /// Mean and standard deviation of a functional.
    pub(super) fn estimate(&self, functional: &Functional) -> (f64, f64) {
        let prepared = self.prepared(functional);
        (
            self.mean_of(functional),
            self.covariance_of(&prepared, &prepared).max(0.0).sqrt(),
        )
    }

    /// Means and standard deviations of two functionals, and their covariance.
    pub(super) fn both(&self, a: &Functional, b: &Functional) -> ([(f64, f64); 2], f64) {
        let prepared = [a, b].map(|functional| self.prepared(functional));
        let [pa, pb] = &prepared;
        let deviation = |p| self.covariance_of(p, p).max(0.0).sqrt();
        let estimates = [
            (self.mean_of(a), deviation(pa)),
            (self.mean_of(b), deviation(pb)),
        ];
        (estimates, self.covariance_of(pa, pb))
    }

    fn mean_of(&self, functional: &Functional) -> f64 {
        functional.iter().map(|(at, w)| w * self.mean[*at]).sum()
    }

    fn prepared(&self, functional: &Functional) -> Prepared {
        let mut dense = vec![0.0; self.mean.len()];
        for (at, weight) in functional {
            dense[*at] += weight;
        }
        let half = match &self.spread {
            Spread::Primal(factor) => factor.forward(&dense),
            Spread::Dual(dual) => dual.half(functional),
        };
        Prepared { dense, half }
    }

    fn covariance_of(&self, a: &Prepared, b: &Prepared) -> f64 {
        let product: f64 = a.half.iter().zip(&b.half).map(|(x, y)| x * y).sum();
        match &self.spread {
            Spread::Primal(_) => product,
            Spread::Dual(dual) => dual.prior_covariance(&a.dense, &b.dense) - product,
        }
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

/// A functional by coefficient, and its product with the inverse factor of the system.
struct Prepared {
    dense: Vec<f64>,
    half: Vec<f64>,
}

/// The fit of greatest evidence among the candidate scales.
fn best(interactions: bool, solve: impl Fn(f64, f64) -> Option<Fit>) -> Option<Fit> {
    let relative = if interactions {
        &INTERACTIONS[..]
    } else {
        &INTERACTIONS[..1]
    };
    let candidates = SCALES
        .iter()
        .flat_map(|scale| relative.iter().map(move |relative| (*scale, *relative)));
    candidates
        .filter_map(|(scale, relative)| solve(scale, relative))
        .max_by(|a, b| a.evidence.total_cmp(&b.evidence))
}

/// `sum w f f'`, lower triangle.
fn normal_equations(points: &[Point], interactions: bool, size: usize) -> Vec<f64> {
    let mut normal = vec![0.0; size * size];
    let mut features = Vec::with_capacity(size);
    for point in points {
        features_of(point, interactions, &mut features);
        for (row, fi) in features.iter().enumerate() {
            let wf = point.weight * fi;
            let line = &mut normal[row * size..row * size + row + 1];
            for (sum, fj) in line.iter_mut().zip(&features) {
                *sum += wf * fj;
            }
        }
    }
    normal
}

/// Prior standard deviations of the coefficients.
pub(super) fn priors(parameters: usize, size: usize, scale: f64, relative: f64) -> Vec<f64> {
    let mut deviations = Vec::with_capacity(size);
    for factor in [SLOPE, 1.0, CUBIC] {
        deviations.extend(std::iter::repeat_n(factor * scale, parameters));
    }
    deviations.resize(size, relative * scale);
    deviations
}

/// Prior means of the coefficients: only curvatures have one.
fn prior_means(parameters: usize, deviations: &[f64]) -> Vec<f64> {
    let curvatures = parameters..2 * parameters;
    let means = deviations.iter().enumerate().map(|(index, deviation)| {
        if curvatures.contains(&index) {
            CURVATURE_MEAN * deviation
        } else {
            0.0
        }
    });
    means.collect()
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

pub(super) struct Fit {
    pub(super) mean: Vec<f64>,
    pub(super) spread: Spread,
    /// Log of the marginal likelihood, up to a constant.
    pub(super) evidence: f64,
}

impl System {
    /// The posterior, if curvatures have the prior scale `scale` and
    /// interactions `relative` times that.
    fn solve(&self, scale: f64, relative: f64) -> Option<Fit> {
        let deviations = priors(self.parameters, self.response.len(), scale, relative);
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
            spread: Spread::Primal(factor),
            evidence,
        })
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

    /// Points of a surface with noise, of `parameters` parameters.
    fn noisy(parameters: usize, points: u64) -> Vec<Point> {
        let mut rng = stream(7, Purpose::Landscape, points);
        let mut draw = || 0.6 * uniform(&mut rng) - 0.3;
        let point = |_| {
            let d: Vec<f64> = (0..parameters).map(|_| draw()).collect();
            let m: Vec<f64> = (0..parameters).map(|_| draw()).collect();
            Point {
                elo: 30.0 * d[0] - 90.0 * d[parameters - 1] * m[0] + 100.0 * draw(),
                weight: 0.002,
                d,
                m,
            }
        };
        (0..points).map(point).collect()
    }

    /// Both systems have the same solution: points that show nothing make the larger one.
    #[test]
    fn the_smaller_system_has_the_solution_of_the_larger() {
        for parameters in [4, 41] {
            let size = coefficients(parameters, parameters <= MOST_WITH_INTERACTIONS);
            let few = noisy(parameters, 17);
            let nothing = Point {
                d: vec![0.0; parameters],
                m: vec![0.0; parameters],
                elo: 0.0,
                weight: 1.0,
            };
            let mut many = few.clone();
            many.extend(std::iter::repeat_n(nothing, size));
            let surfaces = [&few, &many].map(|points| Surface::fit(points, parameters).unwrap());
            assert!(matches!(surfaces[0].spread, Spread::Dual(_)));
            assert!(matches!(surfaces[1].spread, Spread::Primal(_)));
            let place: Vec<f64> = (0..parameters).map(|i| 0.1 + 0.01 * i as f64).collect();
            let functionals = [
                surfaces[0].slope(0),
                surfaces[0].curvature(parameters - 1),
                surfaces[0].elo(&place),
            ];
            for a in &functionals {
                for b in &functionals {
                    let [dual, primal] = surfaces.each_ref().map(|surface| surface.both(a, b));
                    let list = |([a, b], c): ([(f64, f64); 2], f64)| [a.0, a.1, b.0, b.1, c];
                    for (x, y) in list(dual).into_iter().zip(list(primal)) {
                        assert!((x - y).abs() < 1e-6 * (1.0 + y.abs()), "{x} {y}");
                    }
                }
            }
        }
    }

    /// A run with many parameters and few batches: the work grows with the square of the
    /// batches and not with the cube of the parameters.
    #[test]
    fn the_system_is_as_small_as_the_batches() {
        let surface = Surface::fit(&noisy(600, 25), 600).unwrap();
        let Spread::Dual(dual) = &surface.spread else {
            panic!("solved by coefficients");
        };
        assert_eq!(dual.size(), 25);
    }

    #[test]
    fn without_data_there_is_no_surface() {
        assert!(Surface::fit(&[], 3).is_none());
    }
}
