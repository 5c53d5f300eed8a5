//! The response surface's regression, solved by batches instead of by coefficients: with
//! features `F`, prior `N(p, D)` and noise `N`, the posterior mean is
//! `p + D F' K^-1 (y - F p)` and the covariance `D - D F' K^-1 F D`, where `K = F D F' + N`
//! (Rasmussen and Williams, Gaussian Processes for Machine Learning, section 2.1).

use std::rc::Rc;

use hone_stats::cholesky::Cholesky;

use super::surface::{Fit, Functional, Point, Spread, priors};

/// The batches, and the products of their features.
pub(super) struct DualSystem<'a> {
    points: &'a [Point],
    features: Rc<[Vec<f64>]>,
    /// Products of features, weighted by the prior variances of unit scale, by row: those of
    /// the parameters alone, and those of the interactions.
    grams: [Vec<f64>; 2],
}

impl<'a> DualSystem<'a> {
    /// `own` is the number of coefficients that are not interactions; they come first.
    pub(super) fn new(points: &'a [Point], features: Vec<Vec<f64>>, own: usize) -> Self {
        // The prior of unit scale.
        let deviations = priors(own / 3, own, 1.0, 0.0);
        let variances: Vec<f64> = deviations.iter().map(|d| d * d).collect();
        let size = points.len();
        let mut grams = [vec![0.0; size * size], vec![0.0; size * size]];
        for (row, f) in features.iter().enumerate() {
            let (f, f_interactions) = f.split_at(own);
            let weighted: Vec<f64> = f.iter().zip(&variances).map(|(f, v)| f * v).collect();
            for (column, other) in features.iter().take(row + 1).enumerate() {
                let (other, other_interactions) = other.split_at(own);
                grams[0][row * size + column] = dot(&weighted, other);
                grams[1][row * size + column] = dot(f_interactions, other_interactions);
            }
        }
        Self {
            points,
            features: features.into(),
            grams,
        }
    }

    /// The posterior for prior `deviations`, of which `scale` and `relative` are the factors.
    pub(super) fn solve(
        &self,
        scale: f64,
        relative: f64,
        deviations: Vec<f64>,
        prior_means: Vec<f64>,
    ) -> Option<Fit> {
        let size = self.points.len();
        let [own, interactions] = &self.grams;
        let both = own.iter().zip(interactions);
        let mut kernel: Vec<f64> = both
            .map(|(own, interaction)| scale * scale * (own + relative * relative * interaction))
            .collect();
        for (row, point) in self.points.iter().enumerate() {
            kernel[row * size + row] += 1.0 / point.weight;
        }
        let factor = Cholesky::new(kernel, size, 0.0)?;
        let points = self.points.iter().zip(self.features.iter());
        let rest: Vec<f64> = points
            .map(|(point, features)| point.elo - dot(features, &prior_means))
            .collect();
        let solved = factor.solve(&rest);
        let evidence = -0.5 * (dot(&solved, &rest) + factor.log_determinant());
        let mut moved = vec![0.0; deviations.len()];
        for (features, factor) in self.features.iter().zip(&solved) {
            for (sum, f) in moved.iter_mut().zip(features) {
                *sum += f * factor;
            }
        }
        let variances: Vec<f64> = deviations.iter().map(|d| d * d).collect();
        let mean = prior_means
            .iter()
            .zip(&variances)
            .zip(&moved)
            .map(|((prior, variance), moved)| prior + variance * moved)
            .collect();
        let dual = Dual {
            features: Rc::clone(&self.features),
            variances,
            factor,
        };
        Some(Fit {
            mean,
            spread: Spread::Dual(dual),
            evidence,
        })
    }
}

/// The covariances of the coefficients.
#[derive(Debug)]
pub(super) struct Dual {
    features: Rc<[Vec<f64>]>,
    /// Prior variances of the coefficients.
    variances: Vec<f64>,
    factor: Cholesky,
}

impl Dual {
    /// `L^-1 F D a`, where `K = L L'`.
    pub(super) fn half(&self, functional: &Functional) -> Vec<f64> {
        let product = |features: &Vec<f64>| -> f64 {
            let terms = functional.iter();
            terms
                .map(|(at, weight)| features[*at] * self.variances[*at] * weight)
                .sum()
        };
        let products: Vec<f64> = self.features.iter().map(product).collect();
        self.factor.forward(&products)
    }

    /// `a' D b`.
    pub(super) fn prior_covariance(&self, a: &[f64], b: &[f64]) -> f64 {
        let terms = a.iter().zip(b).zip(&self.variances);
        terms.map(|((a, b), variance)| a * b * variance).sum()
    }

    /// Number of equations.
    #[cfg(test)]
    pub(super) fn size(&self) -> usize {
        self.features.len()
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
