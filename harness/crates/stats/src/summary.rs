//! Score, Elo, LOS and ratios of a match, as far as its counts support them.
//!
//! The usual interval assumes that the mean score is normal and that the observed
//! variance is the true one. After few pairs, or if nearly all pairs ended alike,
//! neither holds: the interval is then the always-valid one, and quantities
//! without such an interval are `None`. `docs/statistics.md` has the measured
//! coverage.

use serde::Serialize;

use super::confidence;
use super::counts::Counts;
use super::elo::{self, Estimate};

/// Fewest units (pairs, or single games) for the usual interval: from here on it
/// covers the true strength in 94 to 95.5 % of matches.
pub const MIN_UNITS: u64 = 60;
/// Fewest units that differ from the most frequent result: with fewer the variance
/// is not known.
pub const MIN_DIFFERENT: u64 = 5;

/// Where the interval of an estimate comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Interval {
    /// The usual one, of a match whose length was fixed beforehand.
    FixedLength,
    /// The always-valid one: too few pairs, or too few that differ.
    AlwaysValid,
}

/// A match in numbers. What its counts do not define or support is `None`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Summary {
    /// Share of points taken, 0 to 1.
    pub score: Option<f64>,
    /// Logistic Elo; the interval's ends are the transformed ends of the
    /// score's interval, so it is wider on the side away from zero.
    pub elo: Option<Estimate>,
    /// Normalized Elo; symmetric interval by the delta method. `None` if there
    /// are too few pairs.
    pub nelo: Option<Estimate>,
    /// Probability that the first engine is the stronger, given the result.
    /// `None` if there are too few pairs.
    pub los: Option<f64>,
    /// Share of drawn pairs, or of drawn games.
    pub draw_ratio: Option<f64>,
    /// Pairs won divided by pairs lost.
    pub pair_ratio: Option<f64>,
    /// Which interval `elo` has.
    pub interval: Interval,
}

impl Summary {
    /// The summary of pairs ([`super::Pentanomial`]) or games ([`super::Wdl`]).
    pub fn new(counts: impl Into<Counts>) -> Self {
        Self::of_planned(counts, None)
    }

    /// The same of a match of `planned` pairs (or single games), if that is known: an
    /// always-valid interval is narrowest half-way.
    pub fn of_planned(counts: impl Into<Counts>, planned: Option<u64>) -> Self {
        let counts = counts.into();
        let enough = is_enough(counts);
        Self {
            score: counts.score(),
            elo: if enough {
                elo::elo(counts)
            } else {
                confidence::of_planned_counts(counts, planned)
            },
            nelo: elo::nelo(counts).filter(|_| enough),
            los: elo::los(counts).filter(|_| enough),
            draw_ratio: counts.draw_ratio(),
            pair_ratio: counts.pair_ratio(),
            interval: if enough {
                Interval::FixedLength
            } else {
                Interval::AlwaysValid
            },
        }
    }
}

/// Whether the counts support the usual interval, LOS, normalized Elo, and an
/// estimate after a sequential test.
pub fn is_enough(counts: impl Into<Counts>) -> bool {
    let counts = counts.into();
    let most_frequent = match counts {
        Counts::Pentanomial(pairs) => pairs.0.into_iter().max(),
        Counts::Wdl(games) => [games.wins, games.draws, games.losses].into_iter().max(),
    };
    let units = counts.units();
    units >= MIN_UNITS && units - most_frequent.unwrap_or(0) >= MIN_DIFFERENT
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::super::counts::{Pentanomial, Wdl};
    use super::super::distribution::PairDistribution;
    use super::super::model::Model;
    use super::super::simulate::PairSampler;
    use super::*;

    #[test]
    fn no_games_define_nothing() {
        let summary = Summary::new(Pentanomial::default());
        let json = serde_json::to_value(summary).unwrap();
        let fields = json.as_object().unwrap().iter();
        assert!(
            fields
                .filter(|(name, _)| *name != "interval")
                .all(|(_, value)| value.is_null())
        );
    }

    #[test]
    fn few_or_equal_pairs_have_the_always_valid_interval_only() {
        for counts in [
            Counts::from(Pentanomial([0, 0, 1, 0, 0])),
            Counts::from(Pentanomial([2, 13, 29, 13, 2])),
            Counts::from(Pentanomial([0, 0, 1_000_000, 0, 0])),
            Counts::from(Pentanomial([0, 2, 996, 2, 0])),
            Counts::from(Wdl::from([10, 20, 10])),
        ] {
            let summary = Summary::new(counts);
            assert_eq!(summary.interval, Interval::AlwaysValid, "{counts:?}");
            assert_eq!((summary.nelo, summary.los), (None, None));
            let usual = elo::elo(counts).unwrap();
            assert!(summary.elo.unwrap().half_width() > 1.2 * usual.half_width());
        }
        let one_level_pair = Summary::new(Pentanomial([0, 0, 1, 0, 0])).elo.unwrap();
        assert!(one_level_pair.low < -1000.0 && one_level_pair.high > 1000.0);
    }

    #[test]
    fn enough_pairs_have_the_usual_interval() {
        for counts in [
            Counts::from(Pentanomial([2, 13, 30, 13, 2])),
            Counts::from(Pentanomial([0, 3, 55, 2, 0])),
            Counts::from(Wdl::from([20, 20, 20])),
        ] {
            let summary = Summary::new(counts);
            assert_eq!(summary.interval, Interval::FixedLength);
            assert_eq!(summary.elo, elo::elo(counts));
            assert!(summary.los.is_some() && summary.nelo.is_some());
        }
    }

    /// Share of matches of this many pairs whose usual interval holds the truth.
    fn coverage(base: [f64; 5], elo: f64, pairs: u64) -> f64 {
        const MATCHES: u64 = 4_000;
        let base = PairDistribution::new(base).unwrap();
        let sampler = PairSampler::new(&base.tilted_to(Model::Logistic, elo).unwrap());
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let covered = (0..MATCHES).filter(|_| {
            let counts: Pentanomial = (0..pairs).map(|_| sampler.draw(&mut rng)).collect();
            let interval = elo::elo(counts).unwrap();
            interval.low <= elo && elo <= interval.high
        });
        covered.count() as f64 / MATCHES as f64
    }

    /// Pairs with many, some and few double wins.
    const TYPICAL: [[f64; 5]; 3] = [
        [0.1, 0.2, 0.4, 0.2, 0.1],
        [0.025, 0.225, 0.5, 0.225, 0.025],
        [0.001, 0.2, 0.598, 0.2, 0.001],
    ];

    #[test]
    fn the_usual_interval_covers_from_enough_pairs_on_and_not_before() {
        for base in TYPICAL {
            for elo in [0.0, 20.0] {
                let share = coverage(base, elo, MIN_UNITS);
                // 94 %, less three standard errors.
                assert!(share > 0.929, "{base:?} at {elo}: {share}");
                let early = coverage(base, elo, 10);
                assert!(early < 0.925, "{base:?} at {elo}: {early}");
            }
        }
    }
}
