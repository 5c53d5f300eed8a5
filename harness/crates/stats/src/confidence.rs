//! An interval for the Elo of a running match that holds at every look and for
//! any rule to stop.
//!
//! Robbins' normal mixture, as an asymptotic confidence sequence
//! (Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas, Time-uniform central
//! limit theory and asymptotic confidence sequences, Annals of Statistics 52,
//! 2024, theorem 2.2): after t pairs with mean m and deviation s,
//! m +- s sqrt(2 (t r^2 + 1) / (t^2 r^2) ln(sqrt(t r^2 + 1) / alpha)).
//! With probability 1 - alpha the true mean is inside at all t at once. The
//! parameter r sets the t at which the interval is narrowest, compared with that
//! of a match of fixed length.

use serde::{Deserialize, Serialize};

use super::counts::{Counts, Pentanomial};
use super::elo::{Estimate, clamped_elo_of_score};
use super::sample::Sample;

/// When to end a match that has no fixed length.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopRule {
    /// When the interval is at most this wide, in Elo from end to end.
    Width(f64),
    /// When zero lies outside the interval: one engine is the stronger.
    ZeroOutside,
}

/// Pairs of a match with their always-valid interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ConfidenceSequence {
    /// r squared.
    mixture: f64,
    pairs: Pentanomial,
}

/// Prior of the variance of a pair's score: its weight in pairs, and its value, the largest
/// variance of a score from 0 to 1. The sequence is valid asymptotically; with this prior
/// its level also holds from the first pair, for every distribution of pairs (the tests
/// measure it).
const PRIOR_PAIRS: f64 = 15.0;
const PRIOR_VARIANCE: f64 = 0.25;

/// Largest share of matches whose true Elo is ever outside the interval.
const ALPHA: f64 = 0.05;
/// Pairs after which the interval of a run of unknown length is narrowest, compared
/// with that of a match of fixed length.
const TIGHT_AT: f64 = 1000.0;

impl ConfidenceSequence {
    /// The 95 % interval of a match of `rounds` pairs, narrowest half-way. The
    /// match stops by it and its report draws it.
    pub fn of_match(rounds: u64) -> Self {
        Self::new(half_way(rounds))
    }

    /// The 95 % interval of a run of unknown length: a sequential test.
    pub fn of_test() -> Self {
        Self::new(TIGHT_AT)
    }

    /// The 95 % interval that is narrowest, compared with that of a match of fixed
    /// length, after about `tight_at` pairs (at least 1).
    fn new(tight_at: f64) -> Self {
        Self {
            mixture: mixture(tight_at),
            pairs: Pentanomial::default(),
        }
    }

    /// Takes the result of the next pair in half points, 0 to 4.
    ///
    /// # Panics
    /// If `half_points` is over 4.
    pub fn absorb(&mut self, half_points: usize) {
        self.pairs.add(half_points);
    }

    /// Logistic Elo with the always-valid interval; `None` before the first
    /// pair. Scores beyond 0.001 and 0.999 are clamped.
    pub fn interval(&self) -> Option<Estimate> {
        let sample = Sample::raw(self.pairs.0)?;
        Some(interval(&sample, self.mixture))
    }

    /// Whether the match may stop. A score beyond 0.001 or 0.999 never meets a
    /// rule of width, because its interval is cut off.
    pub fn is_met(&self, rule: StopRule) -> bool {
        let Some(interval) = self.interval() else {
            return false;
        };
        match rule {
            StopRule::Width(width) => {
                let limit = clamped_elo_of_score(1.0);
                interval.high - interval.low <= width
                    && interval.low > -limit
                    && interval.high < limit
            }
            StopRule::ZeroOutside => interval.low > 0.0 || interval.high < 0.0,
        }
    }
}

/// The 95 % interval of counts from a run of unknown length; `None` without
/// games. Scores beyond 0.001 and 0.999 are clamped.
pub fn of_counts(counts: Counts) -> Option<Estimate> {
    of_planned_counts(counts, None)
}

/// The same of counts from a match of `planned` pairs (or single games): the interval of
/// [`ConfidenceSequence::of_match`].
pub(crate) fn of_planned_counts(counts: Counts, planned: Option<u64>) -> Option<Estimate> {
    let mixture = mixture(planned.map_or(TIGHT_AT, half_way));
    match counts {
        Counts::Pentanomial(pairs) => Sample::raw(pairs.0).map(|sample| interval(&sample, mixture)),
        Counts::Wdl(games) => {
            Sample::raw(games.by_score()).map(|sample| interval(&sample, mixture))
        }
    }
}

/// The units after which the interval of a match of `planned` units is narrowest.
fn half_way(planned: u64) -> f64 {
    (planned as f64 / 2.0).max(1.0)
}

/// r squared of the sequence that is narrowest after `tight_at` units.
fn mixture(tight_at: f64) -> f64 {
    let log = -2.0 * ALPHA.ln();
    (log + log.ln_1p()) / tight_at
}

fn interval<const K: usize>(sample: &Sample<K>, mixture: f64) -> Estimate {
    let (mean, variance) = sample.mean_and_variance();
    let t = sample.size;
    let blended = (PRIOR_PAIRS * PRIOR_VARIANCE + t * variance) / (PRIOR_PAIRS + t);
    let growth = t * mixture + 1.0;
    let radius = 2.0 * growth / (t * t * mixture) * (growth.sqrt() / ALPHA).ln();
    let margin = (blended * radius).sqrt();
    Estimate {
        estimate: clamped_elo_of_score(mean),
        low: clamped_elo_of_score(mean - margin),
        high: clamped_elo_of_score(mean + margin),
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::super::distribution::PairDistribution;
    use super::super::model::Model;
    use super::super::simulate::PairSampler;
    use super::*;

    /// Whether the true Elo was inside the interval at every look.
    fn always_covers(elo: f64, looks: usize, seed: u64) -> bool {
        let base = PairDistribution::new([0.025, 0.225, 0.5, 0.225, 0.025]).unwrap();
        let sampler = PairSampler::new(&base.tilted_to(Model::Logistic, elo).unwrap());
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut sequence = ConfidenceSequence::of_test();
        (0..looks).all(|_| {
            sequence.absorb(sampler.draw(&mut rng));
            let interval = sequence.interval().unwrap();
            interval.low <= elo && elo <= interval.high
        })
    }

    #[test]
    fn covers_at_all_looks_at_once() {
        // The worst stopping rule: stop when the true Elo is outside.
        for elo in [0.0, 20.0] {
            let covered = (0..400)
                .filter(|&seed| always_covers(elo, 5_000, seed))
                .count();
            // 95 % of 400, less four standard errors.
            assert!(covered >= 363, "{elo}: {covered} of 400");
        }
    }

    /// Pairs in which one engine wins both games have the greatest variance.
    #[test]
    fn zero_outside_rarely_stops_a_match_of_equal_engines() {
        for shares in [
            [0.5, 0.0, 0.0, 0.0, 0.5],
            [0.45, 0.02, 0.06, 0.02, 0.45],
            [0.25, 0.0, 0.5, 0.0, 0.25],
            [0.025, 0.225, 0.5, 0.225, 0.025],
        ] {
            let sampler = PairSampler::new(&PairDistribution::new(shares).unwrap());
            for rounds in [10, 20, 50, 100] {
                let is_stopped = |seed: &u64| {
                    let mut rng = ChaCha8Rng::seed_from_u64(*seed);
                    let mut sequence = ConfidenceSequence::of_match(rounds);
                    (0..rounds).any(|_| {
                        sequence.absorb(sampler.draw(&mut rng));
                        sequence.is_met(StopRule::ZeroOutside)
                    })
                };
                let stopped = (0..2_000).filter(is_stopped).count();
                // 5 % of 2,000 and two standard errors.
                assert!(stopped <= 120, "{shares:?}, {rounds} pairs: {stopped}");
            }
        }
    }

    #[test]
    fn counts_of_a_planned_match_have_its_interval() {
        let mut sequence = ConfidenceSequence::of_match(40);
        let counts = [1, 2, 8, 6, 23];
        for (half_points, count) in counts.into_iter().enumerate() {
            (0..count).for_each(|_| sequence.absorb(half_points));
        }
        let counts = Counts::Pentanomial(Pentanomial(counts));
        assert_eq!(of_planned_counts(counts, Some(40)), sequence.interval());
        let narrower = sequence.interval().unwrap().half_width();
        assert!(narrower < 0.6 * of_counts(counts).unwrap().half_width());
    }

    #[test]
    fn stops_when_its_rule_is_met() {
        let mut sequence = ConfidenceSequence::of_test();
        assert!(!sequence.is_met(StopRule::ZeroOutside));
        let mut first_met = None;
        for i in 0..20_000 {
            sequence.absorb([2, 1, 3, 3, 2, 2, 1, 3][i % 8]);
            if first_met.is_none() && sequence.is_met(StopRule::Width(10.0)) {
                first_met = Some(i);
            }
        }
        assert!(first_met.is_some_and(|i| i > 1_000), "{first_met:?}");
        assert!(sequence.is_met(StopRule::ZeroOutside));
    }

    #[test]
    fn one_sided_results_do_not_meet_a_width() {
        let mut sequence = ConfidenceSequence::of_test();
        (0..100_000).for_each(|_| sequence.absorb(4));
        assert!(!sequence.is_met(StopRule::Width(50.0)));
        assert!(sequence.is_met(StopRule::ZeroOutside));
    }

    #[test]
    fn rules_as_written_in_a_configuration() {
        #[derive(Deserialize)]
        struct Config {
            stop: StopRule,
        }
        let stop = |text: &str| toml::from_str::<Config>(text).unwrap().stop;
        assert_eq!(stop("stop = { width = 5.0 }"), StopRule::Width(5.0));
        assert_eq!(stop("stop = \"zero_outside\""), StopRule::ZeroOutside);
    }
}
