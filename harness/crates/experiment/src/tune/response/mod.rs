//! The response of strength to the parameters, estimated from all pairs of a run:
//! which parameters matter, which have no effect, which interact, where the optima
//! are and what was gained.

mod dual;
mod surface;

use serde::Serialize;

use self::surface::{Point, Surface};
use super::method::Observation;
use super::pair_model::{ELO_PER_SCORE, elo_variance};
use super::space::{SideValues, Space};
use super::stream::{Purpose, normal, stream};
use hone_stats::normal::Z95;
use hone_stats::{Estimate, Pentanomial};

/// Factor on the standard deviations of the regression. The values of the pairs depend
/// on the noise of earlier pairs, and real landscapes are not cubic: on the benchmark's
/// landscapes errors are about three times what the regression claims (`docs/tuning.md`).
const WIDENED: f64 = 3.0;
/// A parameter that certainly costs less Elo than this is dead.
const NOTICEABLE: f64 = 1.0;
/// Posterior samples behind an optimum's interval.
const SAMPLES: u64 = 4000;
/// An interaction is named if it is this many standard deviations from 0.
const SIGNIFICANT: f64 = 2.5;

/// Whether a parameter matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Relevance {
    /// A quarter of the span certainly (97.5 %) costs Elo, or the start lies
    /// outside the 99 % interval of the optimum.
    Matters,
    /// A quarter of the span certainly costs less than one Elo.
    Dead,
    /// The pairs do not decide it.
    Unclear,
}

impl Relevance {
    /// The name in reports and JSON.
    pub fn word(self) -> &'static str {
        match self {
            Self::Matters => "matters",
            Self::Dead => "dead",
            Self::Unclear => "unclear",
        }
    }
}

/// The estimated response to one parameter.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ParamResponse {
    pub name: String,
    pub weight: Relevance,
    /// Where it is best, the others being at their final values.
    pub optimum: Estimate,
    /// Elo lost a quarter of the span away from the optimum.
    pub quarter: Estimate,
    /// Whether the final value is at an end of a range that could be wider.
    pub at_bound: bool,
}

/// Two parameters that interact.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Interaction {
    pub first: String,
    pub second: String,
    /// Elo lost when both are a quarter of their span above the final value,
    /// beyond what each loses alone; below 0, it is a gain.
    pub elo: Estimate,
}

/// The estimated response.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Response {
    /// Number of pairs.
    pub pairs: u64,
    pub params: Vec<ParamResponse>,
    pub interactions: Vec<Interaction>,
    /// Elo of the final values less that of the start.
    pub gain: Estimate,
}

/// The history of a run, one batch at a time.
#[derive(Debug, Clone, Default)]
pub struct History {
    batches: Vec<Batch>,
    counts: Pentanomial,
    /// Pairs and values after each batch.
    path: Vec<(u64, Vec<f64>)>,
}

/// A batch with a pair that counts.
#[derive(Debug, Clone)]
pub struct Batch {
    /// The values of the two sides.
    pub played: SideValues,
    score: f64,
    pairs: u64,
}

impl History {
    /// Takes a batch and the method's values after it.
    pub fn push(&mut self, observation: &Observation, values: Vec<f64>) {
        let pairs = observation.pairs();
        if pairs == 0 {
            return;
        }
        self.counts += Pentanomial(observation.counts);
        self.batches.push(Batch {
            played: observation.played.clone(),
            score: observation.wins_minus_losses() / (4 * pairs) as f64,
            pairs,
        });
        self.path.push((self.counts.pairs(), values));
    }

    /// The method's values after each batch, by the pairs that counted.
    pub fn path(&self) -> &[(u64, Vec<f64>)] {
        &self.path
    }

    /// The batches, one for each entry of [`Self::path`].
    pub fn batches(&self) -> &[Batch] {
        &self.batches
    }

    /// The response around the `last` values; `None` if no batch shows a
    /// difference of its sides.
    pub fn response(&self, space: &Space, last: &[f64]) -> Option<Response> {
        let last = space.nearest(last);
        let variance = elo_variance(&self.counts.0);
        let points: Vec<Point> = self
            .batches
            .iter()
            .map(|batch| point(batch, space, &last, variance))
            .collect();
        let surface = Surface::fit(&points, space.dimension())?;
        let params = (0..space.dimension())
            .map(|index| param_response(&surface, space, &last, index))
            .collect();
        let start: Vec<f64> = space
            .params()
            .iter()
            .zip(&last)
            .map(|(param, last)| (param.start - last) / param.span())
            .collect();
        let gain = surface.elo(&start).into_iter().map(|(at, w)| (at, -w));
        Some(Response {
            pairs: self.counts.pairs(),
            params,
            interactions: interactions(&surface, space),
            gain: widened(surface.estimate(&gain.collect())),
        })
    }
}

/// The interval of a functional of the surface with this mean and standard
/// deviation.
fn widened((mean, deviation): (f64, f64)) -> Estimate {
    Estimate::around(mean, Z95 * WIDENED * deviation)
}

fn point(batch: &Batch, space: &Space, last: &[f64], variance: f64) -> Point {
    let ranges = space.params().iter().map(super::param::Param::span);
    let SideValues { plus, minus } = &batch.played;
    let sides = plus.iter().zip(minus).zip(last).zip(ranges);
    let (d, m) = sides
        .map(|(((plus, minus), last), range)| {
            let half = 0.5 * (plus - minus) / range;
            (half, (0.5 * (plus + minus) - last) / range)
        })
        .unzip();
    Point {
        d,
        m,
        elo: batch.score * ELO_PER_SCORE,
        weight: batch.pairs as f64 / variance,
    }
}

fn param_response(surface: &Surface, space: &Space, last: &[f64], index: usize) -> ParamResponse {
    let param = &space.params()[index];
    let slope = surface.slope(index);
    let curvature = surface.curvature(index);
    let ([(s, s_deviation), (h, h_deviation)], covariance) = surface.both(&slope, &curvature);
    let quarter = widened((h / 32.0, h_deviation / 32.0));
    let shared = covariance / h_deviation;
    let own = (s_deviation * s_deviation - shared * shared)
        .max(0.0)
        .sqrt();
    let place = |s: f64, h: f64| {
        let to_bound = if s > 0.0 { param.max } else { param.min };
        if h <= 0.0 {
            return to_bound;
        }
        (last[index] + s / h * param.span()).clamp(param.min, param.max)
    };
    let mut rng = stream(0, Purpose::Resampling, index as u64);
    let mut places: Vec<f64> = (0..SAMPLES)
        .map(|_| {
            let x = normal(&mut rng);
            let sampled_s = s + WIDENED * (shared * x + own * normal(&mut rng));
            place(sampled_s, h + h_deviation * x)
        })
        .collect();
    places.sort_by(f64::total_cmp);
    let quantile = |q: f64| places[(q * (SAMPLES - 1) as f64).round() as usize];
    let optimum = Estimate {
        estimate: quantile(0.5),
        low: quantile(0.025),
        high: quantile(0.975),
    };
    let interval_99 = [quantile(0.005), quantile(0.995)];
    ParamResponse {
        name: param.name.clone(),
        weight: relevance(param.start, interval_99, quarter),
        optimum,
        quarter,
        at_bound: param.is_at_bound(last[index]),
    }
}

/// Whether a parameter matters, from the 99 % interval of its optimum and from the Elo
/// that it loses a quarter of the span away. Tunings have many parameters: with 95 %
/// intervals, dead ones would often seem to matter.
fn relevance(start: f64, [low, high]: [f64; 2], quarter: Estimate) -> Relevance {
    if quarter.low > 0.0 {
        Relevance::Matters
    } else if quarter.high < NOTICEABLE {
        Relevance::Dead
    } else if start < low || start > high {
        Relevance::Matters
    } else {
        Relevance::Unclear
    }
}

fn interactions(surface: &Surface, space: &Space) -> Vec<Interaction> {
    let params = space.params();
    let mut found = vec![];
    for i in 1..params.len() {
        for j in 0..i {
            let Some(functional) = surface.interaction(i, j) else {
                continue;
            };
            let (mean, deviation) = surface.estimate(&functional);
            if mean.abs() > SIGNIFICANT * WIDENED * deviation {
                found.push(Interaction {
                    first: params[j].name.clone(),
                    second: params[i].name.clone(),
                    elo: widened((mean / 16.0, deviation / 16.0)),
                });
            }
        }
    }
    found.sort_by(|a, b| b.elo.estimate.abs().total_cmp(&a.elo.estimate.abs()));
    found
}

#[cfg(test)]
mod tests;
