//! Elo, normalized Elo and likelihood of superiority of a match whose length
//! was fixed beforehand.
//!
//! The definitions are fishtest's (`stat_util.get_elo` and
//! `template_helpers`): zero counts become a thousandth, scores are clamped
//! to [0.001, 0.999] before they become Elo, so that one-sided results stay
//! finite. Where no count is zero, fastchess prints the same Elo and interval.

use serde::Serialize;
use statrs::distribution::{ContinuousCDF, StudentsT};

use super::bisection::bisect;
use super::counts::{Counts, Pentanomial};
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

/// Logistic Elo of pairs as OpenBench has it: counts as they are, and an interval by Student's
/// t-distribution. `None` with fewer than two pairs.
pub fn elo_by_student(pairs: &Pentanomial) -> Option<Estimate> {
    let sample = Sample::raw(pairs.0).filter(|sample| sample.size > 1.0)?;
    let (mean, variance) = sample.mean_and_variance();
    let margin = student_quantile(sample.size - 1.0) * (variance / sample.size).sqrt();
    Some(Estimate {
        estimate: clamped_elo_of_score(mean),
        low: clamped_elo_of_score(mean - margin),
        high: clamped_elo_of_score(mean + margin),
    })
}

/// The 97.5 % quantile of Student's t-distribution with `freedom` (at least 1)
/// degrees of freedom. The inverse in `statrs` does not terminate for some large
/// values of it.
fn student_quantile(freedom: f64) -> f64 {
    const LARGE: f64 = 1_000.0;
    if freedom >= LARGE {
        // The Cornish-Fisher expansion; the next term is below 1e-11.
        let z = Z95;
        let terms = [
            (z.powi(3) + z) / 4.0,
            (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / 96.0,
            (3.0 * z.powi(7) + 19.0 * z.powi(5) + 17.0 * z.powi(3) - 15.0 * z) / 384.0,
        ];
        return z + terms[0] / freedom + terms[1] / freedom.powi(2) + terms[2] / freedom.powi(3);
    }
    let student = StudentsT::new(0.0, 1.0, freedom).expect("a positive freedom");
    // With one degree of freedom it is 12.7.
    let (low, high) = bisect((1.0, 13.0), 60, |quantile| student.cdf(quantile) < 0.975);
    0.5 * (low + high)
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

    use super::super::counts::Wdl;
    use super::*;

    #[test]
    fn quantiles_of_student() {
        // Tables: 12.7062 with 1 degree of freedom, 2.2281 with 10.
        assert!((student_quantile(1.0) - 12.706_205).abs() < 1e-6);
        assert!((student_quantile(10.0) - 2.228_139).abs() < 1e-6);
        assert!((student_quantile(999.9) - student_quantile(1_000.1)).abs() < 1e-6);
        assert!((student_quantile(5e9) - Z95).abs() < 1e-9);
    }

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
