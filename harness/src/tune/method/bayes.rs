//! A Bayesian filter for each parameter.

use serde::{Deserialize, Serialize};

use super::posterior::{Belief, Grid, Sums, believe};
use super::spsa::fitting;
use super::{Method, Observation, TailAverage};
use crate::tune::space::{Proposal, Space};

/// Elo per unit of score near equality: `1600 / ln 10`.
const ELO_PER_SCORE: f64 = 694.871_171_045_202_9;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BayesSettings {
    /// Prior standard deviation of an optimum around the start, in ranges.
    pub spread: f64,
    /// Prior standard deviation of the skew.
    pub skew: f64,
    /// Perturbation in standard deviations of the optimum.
    pub reach: f64,
    pub width_min: f64,
    pub width_max: f64,
    /// A perturbation costs at most so much expected Elo.
    pub cost: f64,
    /// Old observations fade like `(age share)^fade`.
    pub fade: f64,
    /// How much the curvatures' prior is learnt (pseudo-parameters).
    pub prior_weight: f64,
    /// Posterior refreshes in a run.
    pub refreshes: u64,
    pub hmin: f64,
    pub hmax: f64,
    pub floor: f64,
    pub gain: f64,
    pub wa: f64,
    pub wp: f64,
    pub tilt: f64,
    pub mix: f64,
    pub shrink: f64,
    pub wk: f64,
}

impl Default for BayesSettings {
    fn default() -> Self {
        Self {
            spread: 0.18,
            skew: 0.5,
            reach: 3.0,
            width_min: 0.1,
            width_max: 0.3,
            cost: 1e9,
            fade: 0.0,
            prior_weight: 6.0,
            refreshes: 300,
            hmin: 0.3,
            hmax: 3000.0,
            floor: 0.03,
            gain: 0.0,
            wa: 1.0,
            wp: 0.5,
            tilt: 0.0,
            mix: 0.0,
            shrink: 0.0,
            wk: 0.0,
        }
    }
}

pub struct Bayes {
    settings: BayesSettings,
    batches: u64,
    every: u64,
    space: Space,
    grid: Grid,
    sums: Vec<Sums>,
    beliefs: Vec<Belief>,
    theta: Vec<f64>,
    average: TailAverage,
    counts: [f64; 5],
    scratch: Vec<f64>,
    base_prior: Vec<f64>,
    moved: Vec<f64>,
    pairs: f64,
}

fn log_spaced(low: f64, high: f64, n: usize) -> Vec<f64> {
    (0..n)
        .map(|i| low * (high / low).powf(i as f64 / (n - 1) as f64))
        .collect()
}

impl Bayes {
    pub fn new(settings: BayesSettings, space: Space, batches: u64) -> Self {
        let optima: Vec<f64> = (-14..=14).map(|i| 0.6 * (f64::from(i) * 3.5 / 14.0).sinh() / 3.5f64.sinh()).collect();
        let prior: Vec<f64> = optima
            .iter()
            .map(|o| (-0.5 * (o / settings.spread).powi(2)).exp() * ((o / 0.6 * 3.5f64.sinh()).powi(2) + 1.0).sqrt())
            .collect();
        // Loss of .15 ranges between .003 and 20 Elo
        let curvatures = log_spaced(settings.hmin, settings.hmax, 14);
        let mut base_prior: Vec<f64> = curvatures.iter().map(|h: &f64| h.powf(-settings.tilt)).collect();
        let t: f64 = base_prior.iter().sum();
        base_prior.iter_mut().for_each(|p| *p /= t);
        let grid = Grid {
            optima,
            optimum_prior: prior,
            curvature_prior: base_prior.clone(),
            curvatures,
            skew_variance: settings.skew * settings.skew,
        };
        let sums = vec![Sums::default(); space.dimension()];
        let mut scratch = vec![];
        let first = believe(&sums[0], &grid, &mut scratch);
        Self {
            every: (batches / settings.refreshes).max(1),
            batches,
            beliefs: vec![first; space.dimension()],
            sums,
            grid,
            theta: space.start(),
            average: TailAverage::new(batches, space.start()),
            counts: [1.0, 9.0, 20.0, 9.0, 1.0],
            space: space.clone(),
            settings,
            scratch,
            base_prior,
            moved: space.start(),
            pairs: 8.0,
        }
    }

    fn refresh(&mut self) {
        let weight = self.settings.prior_weight;
        let mut prior: Vec<f64> = self.base_prior.iter().map(|p| p * weight).collect();
        for belief in &self.beliefs {
            for (p, q) in prior.iter_mut().zip(&belief.curvatures) {
                *p += q;
            }
        }
        let sum: f64 = prior.iter().sum();
        self.grid.curvature_prior = prior.into_iter().map(|p| p / sum).collect();
        for (index, param) in self.space.params().iter().enumerate() {
            self.beliefs[index] = believe(&self.sums[index], &self.grid, &mut self.scratch);
            self.theta[index] = param.start + self.beliefs[index].best * param.range();
        }
        self.space.clip(&mut self.theta);
    }

    fn variance(&self) -> f64 {
        let n: f64 = self.counts.iter().sum();
        let mean: f64 = self.counts.iter().enumerate().map(|(i, c)| i as f64 * c).sum::<f64>() / n;
        let square: f64 = self.counts.iter().enumerate().map(|(i, c)| (i as f64 - mean).powi(2) * c).sum::<f64>() / n;
        square * (ELO_PER_SCORE / 4.0).powi(2)
    }
}

impl Method for Bayes {
    fn propose(&mut self, _batch: u64, signs: &[f64]) -> Proposal {
        let mut proposal = Proposal {
            plus: self.theta.clone(),
            minus: self.theta.clone(),
        };
        let s = &self.settings;
        for (index, param) in self.space.params().iter().enumerate() {
            let belief = &self.beliefs[index];
            let w0 = if s.wk > 0.0 { let h: f64 = belief.curvatures.iter().zip(&self.grid.curvatures).map(|(p, h)| p * h.ln()).sum::<f64>().exp(); let a = 70.0 / h / (self.batches as f64 * self.pairs).sqrt(); (a * a / 2.0 / s.wk / s.wk).powf(1.0 / 6.0) * (1.0 - s.shrink * _batch as f64 / self.batches as f64) } else if s.gain > 0.0 { s.wa * belief.deviation.powf(s.wp) * (1.0 - s.shrink * _batch as f64 / self.batches as f64) } else { s.reach * belief.deviation };
            let width = w0
                .clamp(s.width_min, s.width_max)
                .min((2.0 * s.cost / belief.curvature).sqrt().max(s.floor));
            let offset = signs[index] * fitting(width * param.range(), self.theta[index], param);
            proposal.plus[index] += offset;
            proposal.minus[index] -= offset;
        }
        proposal
    }

    fn absorb(&mut self, observation: &Observation) {
        let pairs = observation.pairs();
        if pairs > 0 {
            for (sum, n) in self.counts.iter_mut().zip(observation.counts) {
                *sum += n as f64;
            }
            let y = observation.wins_minus_losses() / pairs as f64 / 4.0 * ELO_PER_SCORE;
            let w = pairs as f64 / self.variance();
            let played = &observation.played;
            let points: Vec<(f64, f64, f64)> = self.space.params().iter().enumerate().map(|(i, param)| {
                let d = 0.5 * (played.plus[i] - played.minus[i]) / param.range();
                let m = (0.5 * (played.plus[i] + played.minus[i]) - param.start) / param.range();
                (d, m, self.beliefs[i].predict(d, m))
            }).collect();
            let total: f64 = points.iter().map(|p| p.2).sum();
            let t = (observation.batch + 1) as f64;
            let keep = 1.0 - self.settings.fade / (t + 10.0).max(self.settings.fade);
            for (sums, (d, m, own)) in self.sums.iter_mut().zip(points) {
                if self.settings.fade > 0.0 { sums.fade(keep); }
                sums.add(d, m, y - (total - own), w);
            }
        }
        if self.settings.gain > 0.0 {
            let t = observation.batch as f64 / self.batches as f64;
            let r = self.settings.gain * (1.0 - t) / (self.batches as f64 * self.pairs).sqrt() * observation.wins_minus_losses();
            for i in 0..self.moved.len() { self.moved[i] += r * 0.5 * (observation.played.plus[i] - observation.played.minus[i]); }
            self.space.clip(&mut self.moved);
        }
        if observation.batch % self.every == 0 || observation.batch + 1 == self.batches {
            self.refresh();
        }
        if self.settings.gain > 0.0 { let m = self.settings.mix * observation.batch as f64 / self.batches as f64; for i in 0..self.theta.len() { let b = self.space.params()[i].start + self.beliefs[i].best * self.space.params()[i].range(); self.theta[i] = self.moved[i] * (1.0 - m) + m * b; } self.space.clip(&mut self.theta); }
        self.average.push(observation.batch, &self.theta);
    }

    fn values(&self) -> Vec<f64> {
        self.theta.clone()
    }

    fn average(&self) -> Vec<f64> {
        self.average.mean.clone()
    }
}
