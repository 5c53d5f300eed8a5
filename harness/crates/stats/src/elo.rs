//! Elo, normalized Elo and likelihood of superiority of a match whose length
//! was fixed beforehand.
//!
//! The definitions are fishtest's (`stat_util.get_elo` and
//! `template_helpers`): zero counts become a thousandth, scores are clamped
//! to [0.001, 0.999] before they become Elo, so that one-sided results stay
//! finite. Where no count is zero, fastchess prints the same Elo and interval.

use serde::Serialize;

use super::counts::Counts;
use super::normal::{self, Z95};
use super::sample::Sample;

/// Normalized Elo of a score one standard deviation (of a game) above one
/// half: 800 / ln 10.
pub const NELO_PER_SIGMA: f64 = 347.435_585_522_601_46;

/// Scores are clamped to this distance from 0 and 1 before they become Elo.
const SCORE_MARGIN: f64 = 1e-3;

/// An estimate with its 95 % interval. All three are finite.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Estimate {
    pub estimate: f64,
    pub low: f64,
    pub high: f64,
}

impl Estimate {
    /// A symmetric interval, `margin` to each side.
    pub fn around(estimate: f64, margin: f64) -> Self {
        Self {
            estimate,
            low: estimate - margin,
            high: estimate + margin,
        }
    }

    /// Half the width of the interval: what testers print after `+/-`.
    pub fn half_width(&self) -> f64 {
        (self.high - self.low) / 2.0
    }

    /// Half the width, if the two sides differ by less than 0.1; `None` otherwise,
    /// because one number does not describe an asymmetric interval.
    pub fn margin(&self) -> Option<f64> {
        let [below, above] = [self.estimate - self.low, self.high - self.estimate];
        ((above - below).abs() < 0.1).then(|| self.half_width())
    }
}

/// The expected score, 0 to 1, at a difference of `elo` on the logistic scale.
pub fn score_of_elo(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

/// Logistic Elo of a score between 0 and 1, both excluded.
pub fn elo_of_score(score: f64) -> f64 {
    // Adding zero turns the -0 of a level score into 0.
    -400.0 * (1.0 / score - 1.0).log10() + 0.0
}

/// Logistic Elo of any score from 0 to 1, finite because the score is first
/// moved to [0.001, 0.999] (about 1200 Elo).
pub fn clamped_elo_of_score(score: f64) -> f64 {
    elo_of_score(score.clamp(SCORE_MARGIN, 1.0 - SCORE_MARGIN))
}

/// Standard deviation of the score of a single game, from the variance of the
/// score of a unit of `games` games. For pairs it is a per-game equivalent, which
/// includes the lower variance of paired games.
pub fn sigma_per_game(variance_of_unit: f64, games: f64) -> f64 {
    (games * variance_of_unit).sqrt()
}

/// Logistic Elo with its 95 % interval; `None` without games.
pub fn elo(counts: impl Into<Counts>) -> Option<Estimate> {
    of_played(counts.into(), elo_of_sample, elo_of_sample)
}

/// Normalized Elo with its 95 % interval; `None` without games.
pub fn nelo(counts: impl Into<Counts>) -> Option<Estimate> {
    of_played(counts.into(), nelo_of_sample, nelo_of_sample)
}

/// Likelihood of superiority, 0 to 1; `None` without games.
pub fn los(counts: impl Into<Counts>) -> Option<f64> {
    of_played(counts.into(), los_of_sample, los_of_sample)
}

/// The value of `pairs` or `games` for the regularised counts; `None` without games.
fn of_played<T>(
    counts: Counts,
    pairs: fn(&Sample<5>) -> T,
    games: fn(&Sample<3>) -> T,
) -> Option<T> {
    (counts.units() > 0).then(|| match counts {
        Counts::Pentanomial(counts) => pairs(&Sample::pairs(&counts)),
        Counts::Wdl(counts) => games(&Sample::games(&counts)),
    })
}

/// Logistic Elo of a sample of positive variance.
pub fn elo_of_sample<const K: usize>(sample: &Sample<K>) -> Estimate {
    let (mean, variance) = sample.mean_and_variance();
    let margin = Z95 * (variance / sample.size).sqrt();
    Estimate {
        estimate: clamped_elo_of_score(mean),
        low: clamped_elo_of_score(mean - margin),
        high: clamped_elo_of_score(mean + margin),
    }
}

/// Normalized Elo of a sample of positive variance. The variance of the
/// t-value is that of the delta method, with skewness and kurtosis.
pub fn nelo_of_sample<const K: usize>(sample: &Sample<K>) -> Estimate {
    let moments = sample.moments();
    let per_unit = NELO_PER_SIGMA / Sample::<K>::GAMES.sqrt();
    let t = (moments.mean - 0.5) / moments.variance.sqrt();
    let variance = 1.0 - t * moments.skewness + t * t * (moments.excess_kurtosis + 2.0) / 4.0;
    let margin = per_unit * Z95 * (variance.max(0.0) / sample.size).sqrt();
    Estimate::around(per_unit * t, margin)
}

/// LOS of a sample of positive variance: the normal approximation to the mean
/// score.
pub fn los_of_sample<const K: usize>(sample: &Sample<K>) -> f64 {
    let (mean, variance) = sample.mean_and_variance();
    normal::cdf((mean - 0.5) / (variance / sample.size).sqrt())
}

#[cfg(test)]
mod tests {
    use std::cmp::Ordering;

    use super::super::counts::{Pentanomial, Wdl};
    use super::*;

    #[test]
    fn scales() {
        assert!((score_of_elo(400.0) - 10.0 / 11.0).abs() < 1e-15);
        assert!((elo_of_score(score_of_elo(-123.0)) + 123.0).abs() < 1e-10);
        assert_eq!(clamped_elo_of_score(1.0), clamped_elo_of_score(0.9995));
    }

    #[test]
    fn an_interval_with_two_different_sides_has_no_margin() {
        let even = Estimate::around(12.3, 3.1).margin();
        assert!(even.is_some_and(|margin| (margin - 3.1).abs() < 1e-9));
        let uneven = Estimate {
            estimate: 113.7,
            low: -1223.0,
            high: 1176.6,
        };
        assert_eq!(uneven.margin(), None);
    }

    #[test]
    fn one_sided_results_stay_finite() {
        for counts in [
            Counts::from(Pentanomial([0, 0, 0, 0, 1])),
            Counts::from(Pentanomial([0, 0, 1_000_000_000, 0, 0])),
            Counts::from(Wdl::from([0, 0, 7])),
        ] {
            for estimate in [elo(counts).unwrap(), nelo(counts).unwrap()] {
                assert!(estimate.low.is_finite() && estimate.high.is_finite());
                assert!(estimate.low <= estimate.estimate && estimate.estimate <= estimate.high);
            }
            let (los, score) = (los(counts).unwrap(), counts.score().unwrap());
            match score.total_cmp(&0.5) {
                Ordering::Less => assert!(los < 0.5, "{counts:?}: {los}"),
                Ordering::Equal => assert!((los - 0.5).abs() < 1e-6, "{counts:?}: {los}"),
                Ordering::Greater => assert!(los > 0.5, "{counts:?}: {los}"),
            }
        }
    }
}
