//! The Elo that a list of runs shows.

use hone_stats::confidence;
use hone_stats::summary::{Interval, is_enough};
use hone_stats::{Estimate, Pentanomial, Sprt, Summary};

/// Elo of the first engine, by its results `pairs`. Of a test with enough pairs it is
/// corrected for the stopping rule. Of a match it has the always-valid interval, unless
/// `is_as_planned`: the run has ended after the planned number of pairs. `always_valid` is
/// that of the experiment.
pub fn shown_elo(
    pairs: Pentanomial,
    test: Option<&Sprt>,
    always_valid: Option<Estimate>,
    is_as_planned: bool,
) -> Option<Estimate> {
    if let Some(test) = test.filter(|test| is_enough(test.counts())) {
        return Some(test.estimate()?.elo);
    }
    let summary = Summary::new(pairs);
    match summary.interval {
        Interval::FixedLength if is_as_planned => summary.elo,
        _ => at_any_time(always_valid, pairs),
    }
}

/// Elo with an interval that is valid however often it is looked at: that of the experiment,
/// or else that of the pairs.
pub(super) fn at_any_time(always_valid: Option<Estimate>, pairs: Pentanomial) -> Option<Estimate> {
    always_valid.or_else(|| confidence::of_counts(pairs.into()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use hone_stats::SprtConfig;

    const PAIRS: Pentanomial = Pentanomial([10, 20, 40, 20, 20]);

    #[test]
    fn a_match_has_the_always_valid_interval_until_its_planned_end() {
        let own = Estimate {
            estimate: 17.4,
            low: -20.0,
            high: 50.0,
        };
        let summary = Summary::new(PAIRS);
        assert_eq!(summary.interval, Interval::FixedLength);
        assert_eq!(shown_elo(PAIRS, None, Some(own), false), Some(own));
        assert_eq!(shown_elo(PAIRS, None, Some(own), true), summary.elo);
        let of_pairs = confidence::of_counts(PAIRS.into());
        assert_ne!(of_pairs, summary.elo);
        assert_eq!(shown_elo(PAIRS, None, None, false), of_pairs);
    }

    #[test]
    fn elo_after_a_test_is_corrected_for_stopping() {
        let mut test = Sprt::new(SprtConfig {
            elo1: 30.0,
            ..SprtConfig::default()
        })
        .expect("a test");
        for half_points in [1, 2, 3, 1, 2, 1].into_iter().cycle().take(90) {
            test.absorb(half_points);
        }
        let corrected = test.estimate().expect("of many pairs").elo;
        assert_ne!(Summary::new(test.counts()).elo, Some(corrected));
        let shown = shown_elo(test.counts(), Some(&test), None, true);
        assert_eq!(shown, Some(corrected));
    }
}
