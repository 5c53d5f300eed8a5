//! Update rules: the values of the next batch, and the step after a result.

mod adaptive;
mod classic;
mod posterior;
mod spsa;

pub use adaptive::Adaptive;
pub use adaptive::AdaptiveSettings;
pub(crate) use classic::{Classic, ClassicRule, ClassicSettings};
pub use spsa::Spsa;
pub use spsa::SpsaSettings;

use serde::Deserializer;

use super::pair_model::{elo_variance, pair_variance};
use super::space::{Proposal, Rounding, SideValues};
use crate::settings::number_in;
use hone_stats::Pentanomial;

/// The greatest constant of a method, far below what overflows.
const MAX_CONSTANT: f64 = 1000.0;

/// A constant of a method, from 0 to [`MAX_CONSTANT`].
fn constant<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    let is_allowed = |number: f64| (0.0..=MAX_CONSTANT).contains(&number);
    let allowed = format!("a number from 0 to {MAX_CONSTANT}");
    number_in(deserializer, is_allowed, &allowed)
}

/// A constant of a method above 0, up to [`MAX_CONSTANT`].
fn constant_above_zero<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    let is_allowed = |number: f64| number > 0.0 && number <= MAX_CONSTANT;
    let allowed = format!("a number above 0, at most {MAX_CONSTANT},");
    number_in(deserializer, is_allowed, &allowed)
}

/// The finished pairs of one batch.
#[derive(Debug, Clone, PartialEq)]
pub struct Observation {
    pub batch: u64,
    /// The signs of the batch's row of the design, +1 or -1.
    pub signs: Vec<f64>,
    /// The values of the two sides.
    pub played: SideValues,
    /// Pairs by their result for the plus side: LL, LD, DD or WL, WD, WW.
    /// Pairs in which an engine failed are not among them.
    pub counts: [u64; 5],
}

impl Observation {
    /// Pairs that count.
    pub fn pairs(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Wins minus losses of the plus side.
    pub(crate) fn wins_minus_losses(&self) -> f64 {
        let [ll, ld, _, wd, ww] = self.counts.map(|count| count as f64);
        2.0 * (ww - ll) + wd - ld
    }

    /// Moves `values` along the difference of the sides as they were played:
    /// by half of it for each unit of `gain` times wins minus losses.
    fn ascend(&self, values: &mut [f64], gain: f64) {
        let step = 0.5 * gain * self.wins_minus_losses();
        let sides = self.played.plus.iter().zip(&self.played.minus);
        for (value, (plus, minus)) in values.iter_mut().zip(sides) {
            *value += step * (plus - minus);
        }
    }
}

/// A tuning method: a pure state machine. The same observations in the same
/// order lead to the same proposals and values, bit for bit.
pub trait Method: Send {
    /// What batch number `batch` should play; `signs` (+1 or -1) is the
    /// batch's row of the design. Batches are proposed in order, each once,
    /// and may be proposed before earlier ones are absorbed.
    fn propose(&mut self, batch: u64, signs: &[f64]) -> Proposal;

    /// Takes the results of a batch. Batches are absorbed in order, each once.
    fn absorb(&mut self, observation: &Observation);

    /// How many of its perturbations a parameter moves in `batch` for a unit of
    /// wins minus losses, at the usual noise.
    fn gain(&self, parameter: usize, batch: u64) -> f64;

    /// The current values, not rounded.
    fn values(&self) -> Vec<f64>;

    /// The average of the recent values, which is less noisy than the last ones.
    fn average(&self) -> Vec<f64>;

    /// How proposals are rounded to values that the engine can have.
    fn rounding(&self) -> Rounding {
        Rounding::Shared
    }
}

/// The noise of a pair's result, from all pairs so far.
#[derive(Debug, Clone, Default)]
struct Noise {
    counts: Pentanomial,
}

/// Variance of wins minus losses of the benchmark's pairs, for which gains are
/// set.
pub(super) const USUAL_VARIANCE: f64 = 0.65;
/// Weight of the usual noise in the estimate, in pairs.
const USUAL_PAIRS: f64 = 32.0;

impl Noise {
    fn add(&mut self, observation: &Observation) {
        self.counts += Pentanomial(observation.counts);
    }

    /// The factor on a gain: `M` pairs with `M` times the usual variance have the
    /// information of one usual pair, so a gain of `g / sqrt(pairs)` becomes
    /// `g / sqrt(M pairs)`.
    fn gain_factor(&self) -> f64 {
        let variance = pair_variance(&self.counts.0, USUAL_PAIRS);
        (USUAL_VARIANCE / variance).sqrt().min(4.0)
    }

    /// Variance of a pair's result in Elo.
    fn elo_variance(&self) -> f64 {
        elo_variance(&self.counts.0)
    }
}

/// The plain mean of the values over the second half of the run.
#[derive(Debug, Clone)]
struct TailAverage {
    begin: u64,
    count: f64,
    mean: Vec<f64>,
}

impl TailAverage {
    /// For a run of `batches` batches starting at `values`.
    fn new(batches: u64, values: Vec<f64>) -> Self {
        Self {
            begin: batches / 2,
            count: 0.0,
            mean: values,
        }
    }

    /// Takes the values after `batch`.
    fn push(&mut self, batch: u64, values: &[f64]) {
        if batch < self.begin {
            self.mean.copy_from_slice(values);
            return;
        }
        self.count += 1.0;
        for (mean, value) in self.mean.iter_mut().zip(values) {
            *mean += (value - *mean) / self.count;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn observed(counts: [u64; 5]) -> Noise {
        let sides = vec![1.0];
        let mut noise = Noise::default();
        noise.add(&Observation {
            batch: 0,
            signs: sides.clone(),
            played: SideValues {
                plus: sides.clone(),
                minus: sides,
            },
            counts,
        });
        noise
    }

    #[test]
    fn the_gain_follows_the_noise_of_the_pairs() {
        let factor = |counts| observed(counts).gain_factor();
        assert!((Noise::default().gain_factor() - 1.0).abs() < 1e-12);
        assert!((factor([250, 2250, 5000, 2250, 250]) - 1.0).abs() < 1e-9);
        // Variance 2.6, four times the usual.
        let wild = factor([32_500, 0, 35_000, 0, 32_500]);
        assert!((wild - 0.5).abs() < 0.01, "{wild}");
        let drawish = factor([0, 8_000, 84_000, 8_000, 0]);
        assert!((drawish - 2.0).abs() < 0.05, "{drawish}");
        assert!(factor([0, 0, 1_000_000, 0, 0]) <= 4.0);
    }
}
