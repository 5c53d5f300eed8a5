//! The course of a run of two engines, pair by pair: the numbers behind the
//! charts over pairs.

use super::Source;
use crate::report::chart::{POINTS, Thinning};
use crate::report::facts::RunFacts;
use crate::stats::confidence::ConfidenceSequence;
use crate::stats::{Estimate, Sprt};

/// Rows of the table beside the pictures.
const ROWS: u64 = 10;

/// The state after a pair.
#[derive(Debug, Clone, Copy)]
pub(super) struct Moment {
    pub(super) pairs: u64,
    /// LLR and its bounds, of a sequential test.
    pub(super) test: Option<TestMoment>,
    /// Elo with its always-valid interval.
    pub(super) elo: Option<Estimate>,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct TestMoment {
    pub(super) llr: f64,
    pub(super) lower: f64,
    pub(super) upper: f64,
}

/// The moments of a run that can be seen, in their order.
#[derive(Debug, Clone, Default)]
pub(super) struct Trace {
    /// Those of the pictures.
    pub(super) moments: Vec<Moment>,
    /// Those of the table.
    pub(super) rows: Vec<Moment>,
    pub(super) is_test: bool,
}

impl Trace {
    /// Of the pairs that `facts` count, which must all be in the ledger.
    ///
    /// # Errors
    /// If the manifest's test makes no sense or the ledger cannot be read.
    pub(super) fn of(source: &Source<'_>, facts: &RunFacts) -> anyhow::Result<Self> {
        let total = facts.pairs;
        let config = &source.manifest.config;
        let (mut test, mut sequence) = match facts.sprt {
            Some(_) => {
                let test = Sprt::new(config.sprt.unwrap_or_default().test())?;
                (Some(test), ConfidenceSequence::of_test())
            }
            None => (None, ConfidenceSequence::of_match(config.r#match.pairs)),
        };
        let [points, rows] = [POINTS, ROWS].map(|most| Thinning::new(total, most));
        let mut trace = Self {
            is_test: test.is_some(),
            ..Self::default()
        };
        let mut index = 0;
        for entry in source.counted(facts.absorbed)? {
            let entry = entry?;
            if facts.dropped.binary_search(&entry.result.pair).is_ok() {
                continue;
            }
            let games = [0, 1].map(|game| entry.result.first_half_points(game));
            sequence.absorb(entry.result.half_points());
            if let Some(test) = &mut test {
                test.absorb_games(games);
            }
            let [in_pictures, in_table] = [points, rows].map(|thinning| thinning.keeps(index));
            index += 1;
            if !in_pictures && !in_table {
                continue;
            }
            let moment = Moment {
                pairs: index,
                test: test.as_ref().map(|test| {
                    let (lower, upper) = test.bounds();
                    TestMoment {
                        llr: test.llr(),
                        lower,
                        upper,
                    }
                }),
                elo: sequence.interval(),
            };
            if in_pictures {
                trace.moments.push(moment);
            }
            if in_table {
                trace.rows.push(moment);
            }
        }
        Ok(trace)
    }
}
