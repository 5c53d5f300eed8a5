//! The normalized model: strength is t = (mean - 1/2) / sigma.
//!
//! For a given mean m and deviation s the constraint is linear in the
//! distribution q: E_q[phi] = 0 with
//! phi_i = a_i - 1/2 - (t s / 2) (1 + ((m - a_i) / s)^2), and it is the
//! constraint t(q) = t if m and s are q's own. So q is found as a fixed point:
//! solve the linear problem, take q's mean and deviation, repeat. fishtest
//! does the same from the uniform distribution, with at most ten rounds.

use super::super::elo::NELO_PER_SIGMA;
use super::super::sample::{Sample, dot};
use super::tilt::Tilt;

/// The log-likelihood ratio between two strengths in normalized Elo.
pub(super) fn llr<const K: usize>(sample: &Sample<K>, nelo0: f64, nelo1: f64) -> f64 {
    let [zero, one] = [nelo0, nelo1].map(|nelo| solve(sample, t_value(nelo, Sample::<K>::GAMES)));
    sample.size * Tilt::mean_log_ratio(&sample.probabilities, &zero, &one)
}

/// The t-value of a unit of `games` games at `nelo`.
fn t_value(nelo: f64, games: f64) -> f64 {
    nelo * games.sqrt() / NELO_PER_SIGMA
}

const ROUNDS: usize = 60;

fn solve<const K: usize>(sample: &Sample<K>, t: f64) -> Tilt<K> {
    let p = &sample.probabilities;
    let (mut mean, mut variance) = Sample::<K>::from_weights([1.0; K]).mean_and_variance();
    let mut tilt = Tilt::solve(p, &Sample::<K>::SCORES, 0.5);
    for _ in 0..ROUNDS {
        let Some(next) = linear(p, t, mean, variance.sqrt()) else {
            break;
        };
        tilt = next;
        let mut q = *p;
        for (q, weight) in q.iter_mut().zip(tilt.weights) {
            *q /= weight;
        }
        let scores = &Sample::<K>::SCORES;
        let (old_mean, old_variance) = (mean, variance);
        mean = dot(&q, scores);
        variance = dot(&q, &scores.map(|score| (score - mean).powi(2)));
        if (mean - old_mean).abs() < 1e-14 && (variance - old_variance).abs() < 1e-14 {
            break;
        }
    }
    tilt
}

/// The linear problem for a given mean and deviation; `None` if it has no
/// solution because phi has one sign.
fn linear<const K: usize>(p: &[f64; K], t: f64, mean: f64, sigma: f64) -> Option<Tilt<K>> {
    let phi = Sample::<K>::SCORES
        .map(|score| score - 0.5 - 0.5 * t * sigma * (1.0 + ((mean - score) / sigma).powi(2)));
    let (low, high) = phi.iter().fold((f64::MAX, f64::MIN), |(low, high), &x| {
        (low.min(x), high.max(x))
    });
    (low < 0.0 && high > 0.0).then(|| {
        let width = high - low;
        Tilt::solve(p, &phi.map(|x| (x - low) / width), -low / width)
    })
}
