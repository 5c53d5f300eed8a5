//! Detects changes of strength: a sequential test over all nights.
//!
//! For each night at which a change may have occurred, the evidence is the likelihood of all
//! results since the last change with a shift of strength at that night, divided by the
//! likelihood without one. The size of the shift is averaged
//! over half-normal distributions; the opponents' own strengths are unknown
//! and cancel out, as only differences between a series' nights count. Without a
//! change each such ratio is a non-negative martingale that starts at 1, so
//! their sum over all nights (Shiryaev and Roberts; an e-detector in the sense
//! of Shin, Ramdas and Rinaldo, 2022) grows by one a night on average, and
//! takes on average at least `nights` nights to reach `nights`. That is the
//! rate of false alarms, for losses and for gains alike; it holds as far as the
//! mean score of a night's match is normal. Its variance comes from all pairs of
//! its series, or from its own pairs where these vary more: at fixed nodes, a
//! build that plays like its opponent has only 1-1 pairs, which must not make
//! the results of other nights look certain.

use std::collections::{BTreeMap, VecDeque};
use std::ops::{AddAssign, Sub};

use serde::Serialize;

use super::Role;
use super::night::Night;
use hone_stats::normal::{Z95, cdf, ln_cdf};
use hone_stats::sample::Sample;
use hone_stats::{Estimate, Pentanomial};

/// Scales of the two half-normal priors for a shift, in Elo, with half of the
/// weight each: a typical change and a bug.
const SHIFTS: [f64; 2] = [12.0, 80.0];
/// Number of last nights in which a change is looked for.
const WINDOW: usize = 200;
/// The largest loss that is considered, in Elo.
const LARGEST_LOSS: f64 = 1000.0;
/// Prior for the variance of a pair's score: a number of pairs, and their variance.
const PRIOR: (f64, f64) = (20.0, 0.06);

/// The direction of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Direction {
    Loss,
    Gain,
}

/// A detected change.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(super) struct Change {
    pub direction: Direction,
    /// Index of the night at which it most likely occurred, in order, from 0.
    pub at: usize,
    /// Index of the night whose games made it significant.
    pub noticed: usize,
    /// Its size in Elo, negative for a loss.
    pub elo: Estimate,
}

/// A night's match, as input of the detector.
#[derive(Debug, Clone, Copy)]
pub(super) struct Observation<'a> {
    /// Matches of one series are against the same opponent; `None` for the
    /// build of the previous nightly.
    pub series: Option<&'a str>,
    pub pentanomial: Pentanomial,
}

/// A night, as input of the detector.
pub(crate) type NightObservations<'a> = Vec<Observation<'a>>;

/// Losses that would be detected in half of all cases, with matches like the last night's.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Detectable {
    /// Pairs a night.
    pub pairs: u64,
    /// In Elo, in one night; `None` if no loss is large enough.
    pub in_one: Option<f64>,
    /// In Elo, within [`SEVERAL`] nights.
    pub in_several: Option<f64>,
}

/// Nights of [`Detectable::in_several`].
pub(super) const SEVERAL: u32 = 7;

/// All changes in the nights, which must be in order, and the losses that the next nights can
/// show.
pub(super) fn changes(
    nights: &[&Night],
    false_alarm_nights: u64,
) -> (Vec<Change>, Option<Detectable>) {
    let mut detector = Detector::new(false_alarm_nights);
    let mut before: Option<&str> = None;
    let mut found = Vec::new();
    let mut last = None;
    for night in nights {
        let observations = night.matches.iter().filter_map(|played| {
            let series = match played.role {
                Role::Anchor | Role::Release => Some(played.commit.as_str()),
                Role::Previous if before == Some(&played.commit) => None,
                Role::Previous => return None,
            };
            Some(Observation {
                series,
                pentanomial: played.pentanomial,
            })
        });
        let evidence: NightObservations<'_> = observations.collect();
        found.extend(detector.absorb(&evidence));
        before = Some(&night.commit);
        last = Some(evidence);
    }
    let detectable = last.map(|last| Detectable {
        pairs: last.iter().map(|match_| match_.pentanomial.pairs()).sum(),
        in_one: detector.detectable_loss(&last, 1),
        in_several: detector.detectable_loss(&last, SEVERAL),
    });
    (found, detectable)
}

/// Detects changes, night by night.
#[derive(Debug)]
pub(crate) struct Detector {
    /// Sum of the evidence from which a change is reported.
    threshold: f64,
    /// Number of nights absorbed.
    night: usize,
    /// State since the last change.
    regime: Regime,
}

#[derive(Debug, Default)]
struct Regime {
    /// Number of nights dropped from the front of `nights`.
    dropped: usize,
    /// For each night, the total of each series before it.
    nights: VecDeque<NightSums>,
    series: Vec<Total>,
    index: BTreeMap<String, usize>,
    /// All matches against the previous nightly.
    direct: Total,
}

#[derive(Debug)]
struct NightSums {
    /// By the index of a series; series that began later are missing.
    before: Vec<Total>,
    direct: Total,
}

/// Number of pairs, the sum of their scores (0 to 1 each), and the sum of the squares.
#[derive(Debug, Clone, Copy, Default)]
struct Total {
    pairs: f64,
    score: f64,
    squares: f64,
}

/// Estimates of a series.
#[derive(Debug, Clone, Copy)]
struct SeriesEstimate {
    mean: f64,
    /// Variance of a pair's score about `mean`.
    variance: f64,
    /// Derivative of the expected score with respect to Elo, at `mean`.
    slope: f64,
}

/// The evidence of the results for a shift at some night: score and information, in Elo.
#[derive(Debug, Clone, Copy, Default)]
struct Shift {
    score: f64,
    information: f64,
}

impl Total {
    fn of(pentanomial: Pentanomial) -> Self {
        let mut total = Self::default();
        for (&count, score) in pentanomial.0.iter().zip(Sample::<5>::SCORES) {
            let pairs = count as f64;
            total += Self {
                pairs,
                score: pairs * score,
                squares: pairs * score * score,
            };
        }
        total
    }

    fn mean(&self) -> f64 {
        self.score / self.pairs
    }

    /// Sum of the squared deviations of the scores from `mean`.
    fn squares_about(&self, mean: f64) -> f64 {
        let squares = self.squares - 2.0 * mean * self.score + self.pairs * mean * mean;
        // Rounding errors may make it negative.
        squares.max(0.0)
    }

    /// Variance of the mean score of these pairs.
    fn variance_of_mean(&self, series: &SeriesEstimate) -> f64 {
        let own = self.squares_about(series.mean) / self.pairs;
        own.max(series.variance) / self.pairs
    }
}

impl AddAssign for Total {
    fn add_assign(&mut self, other: Self) {
        self.pairs += other.pairs;
        self.score += other.score;
        self.squares += other.squares;
    }
}

impl Sub for Total {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self {
            pairs: self.pairs - other.pairs,
            score: self.score - other.score,
            squares: self.squares - other.squares,
        }
    }
}

impl SeriesEstimate {
    /// A series whose mean score is `mean`.
    fn new(total: Total, mean: f64) -> Self {
        let (pairs, variance) = PRIOR;
        Self {
            mean,
            variance: (total.squares_about(mean) + pairs * variance) / (total.pairs + pairs),
            slope: std::f64::consts::LN_10 / 400.0 * mean * (1.0 - mean),
        }
    }
}

impl Shift {
    /// Adds a mean score that differs by `difference` from its expectation without a shift;
    /// `variance` is that of the difference.
    fn add(&mut self, difference: f64, variance: f64, slope: f64) {
        self.score += slope * difference / variance;
        self.information += slope * slope / variance;
    }

    /// The evidence for a loss and for a gain: the likelihood averaged over sizes of the
    /// shift, divided by that without a shift.
    fn evidence(&self) -> [f64; 2] {
        let mut sum = [0.0; 2];
        for size in SHIFTS {
            let spread = 1.0 + size * size * self.information;
            let z = self.score * size / spread.sqrt();
            let scale = 2.0 / (SHIFTS.len() as f64 * spread.sqrt());
            for (sum, towards) in sum.iter_mut().zip([-z, z]) {
                // The logarithm is needed only where a factor would underflow.
                *sum += scale
                    * if towards > -5.0 {
                        (0.5 * z * z).min(600.0).exp() * cdf(towards)
                    } else {
                        (0.5 * z * z + ln_cdf(towards)).exp()
                    };
            }
        }
        sum
    }

    fn estimate(&self) -> Estimate {
        let margin = Z95 / self.information.sqrt();
        Estimate::around(self.score / self.information, margin)
    }
}

impl Detector {
    /// A detector whose false alarms are, on average, at least `false_alarm_nights` nights
    /// apart; separately for losses and gains.
    pub(super) fn new(false_alarm_nights: u64) -> Self {
        Self {
            threshold: false_alarm_nights as f64,
            night: 0,
            regime: Regime::default(),
        }
    }

    /// Absorbs the next night. After a change, detection starts again with the following
    /// night.
    pub(super) fn absorb(&mut self, evidence: &NightObservations<'_>) -> Option<Change> {
        self.regime.absorb(evidence);
        let noticed = self.night;
        self.night += 1;
        let shifts = self.regime.shifts();
        let evidence: Vec<[f64; 2]> = shifts.iter().map(Shift::evidence).collect();
        let sums = [0, 1].map(|way| evidence.iter().map(|of_night| of_night[way]).sum::<f64>());
        let way = usize::from(sums[1] > sums[0]);
        if sums[way] < self.threshold {
            return None;
        }
        let nights = 0..shifts.len();
        let likeliest = nights.max_by(|&a, &b| evidence[a][way].total_cmp(&evidence[b][way]))?;
        let first = noticed + 1 - shifts.len();
        let change = Change {
            direction: [Direction::Loss, Direction::Gain][way],
            at: first + likeliest,
            noticed,
            elo: shifts[likeliest].estimate(),
        };
        self.regime = Regime::default();
        Some(change)
    }

    /// The smallest loss after the last night, in Elo, whose expected results in `nights`
    /// further nights with matches like those of `night` are reported.
    fn detectable_loss(&self, night: &NightObservations<'_>, nights: u32) -> Option<f64> {
        let information = self.regime.expected_information(night, f64::from(nights));
        let is_reported = |loss: f64| {
            let shift = Shift {
                score: -loss * information,
                information,
            };
            shift.evidence()[0] >= self.threshold
        };
        let (mut low, mut high) = (0.0, LARGEST_LOSS);
        if !is_reported(high) {
            return None;
        }
        while high - low > 0.1 {
            let middle = f64::midpoint(low, high);
            if is_reported(middle) {
                high = middle;
            } else {
                low = middle;
            }
        }
        Some(high)
    }
}

impl Regime {
    fn absorb(&mut self, evidence: &NightObservations<'_>) {
        let is_first = self.nights.is_empty() && self.dropped == 0;
        let before = self.series.clone();
        let mut direct = Total::default();
        for observation in evidence {
            let total = Total::of(observation.pentanomial);
            match observation.series {
                Some(name) => {
                    let next = self.series.len();
                    let index = *self.index.entry(name.to_string()).or_insert(next);
                    if index == next {
                        self.series.push(Total::default());
                    }
                    self.series[index] += total;
                }
                // The night before the first is of an earlier regime.
                None if is_first => {}
                None => {
                    self.direct += total;
                    direct = total;
                }
            }
        }
        self.nights.push_back(NightSums { before, direct });
        if self.nights.len() > WINDOW {
            self.nights.pop_front();
            self.dropped += 1;
        }
    }

    /// The information about a shift right after the last night, from `nights` further nights
    /// with matches like those of `night`.
    fn expected_information(&self, night: &NightObservations<'_>, nights: f64) -> f64 {
        let mut information = 0.0;
        for observation in night {
            let of_night = Total::of(observation.pentanomial);
            let (series, variance) = match observation.series {
                Some(name) => {
                    let before = self.index.get(name).map(|index| self.series[*index]);
                    // After a change, the nights before it do not count.
                    let before = before.unwrap_or(of_night);
                    let mean = before.score / before.pairs.max(1.0);
                    let series = SeriesEstimate::new(before, mean.clamp(0.02, 0.98));
                    let parts = 1.0 / before.pairs + 1.0 / (nights * of_night.pairs);
                    (series, series.variance * parts)
                }
                // Only the first of these nights compares builds before and after the loss.
                None => {
                    let series = SeriesEstimate::new(self.direct, 0.5);
                    (series, series.variance / of_night.pairs)
                }
            };
            if of_night.pairs > 0.0 {
                information += series.slope * series.slope / variance;
            }
        }
        information
    }

    /// The evidence for a shift at each of the nights, oldest first.
    fn shifts(&self) -> Vec<Shift> {
        let known: Vec<(Total, SeriesEstimate)> = self
            .series
            .iter()
            .map(|&total| {
                let mean = total.score / total.pairs.max(1.0);
                (total, SeriesEstimate::new(total, mean.clamp(0.02, 0.98)))
            })
            .collect();
        let known_direct = SeriesEstimate::new(self.direct, 0.5);
        self.nights
            .iter()
            .map(|night| {
                let mut shift = Shift::default();
                for (before, (total, series)) in night.before.iter().zip(&known) {
                    let after = *total - *before;
                    if before.pairs > 0.0 && after.pairs > 0.0 {
                        let variance =
                            before.variance_of_mean(series) + after.variance_of_mean(series);
                        shift.add(after.mean() - before.mean(), variance, series.slope);
                    }
                }
                if night.direct.pairs > 0.0 {
                    let variance = night.direct.variance_of_mean(&known_direct);
                    shift.add(night.direct.mean() - 0.5, variance, known_direct.slope);
                }
                shift
            })
            .collect()
    }
}

#[cfg(test)]
mod tests;
