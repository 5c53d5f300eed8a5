//! Games that are not independent evidence: repeated games, too few openings,
//! engines that play the same moves or ignore their limit. These are counts, not
//! tests: they have no p-value, and their thresholds are far outside of an
//! ordinary run.

use super::{Finding, Rank, Test};

/// The fewest pairs for a finding about openings or about engines that play the
/// same moves.
const FEWEST_PAIRS: u64 = 20;
/// From this number of pairs for each opening on, the openings are too few.
const PAIRS_AN_OPENING: u64 = 10;
/// Repeats that are counted are reported from this number and this share of all pairs on.
const FEWEST_REPEATS: u64 = 3;
const SHARE_OF_REPEATS: f64 = 0.02;
/// From this share of repeated pairs on, a result is doubtful.
const DOUBTFUL_REPEATS: f64 = 0.1;
/// From this share of pairs with the same moves in both games on, both engines are
/// probably the same.
const SHARE_OF_MIRRORED: f64 = 0.9;

/// Pairs that repeat earlier games, and how many of them were left out.
#[derive(Debug, Clone, Copy, Default)]
pub struct Repetition {
    /// All pairs, those left out among them.
    pub pairs: u64,
    pub repeated: u64,
    pub dropped: u64,
    pub distinct_games: u64,
}

/// Repeats that were left out are always reported; those that were counted only
/// if there are more than chance explains.
pub fn repeated_games(found: Repetition) -> Option<Finding> {
    let Repetition {
        pairs,
        repeated,
        dropped,
        distinct_games,
    } = found;
    let share = repeated as f64 / pairs.max(1) as f64;
    let is_common = repeated >= FEWEST_REPEATS && share >= SHARE_OF_REPEATS;
    if dropped == 0 && !is_common {
        return None;
    }
    let consequence = match dropped {
        0 => "they are counted, but are weaker evidence than new games",
        _ => "they are not counted, and because repeating depends on the result, the Elo is biased",
    };
    let rank = if share >= DOUBTFUL_REPEATS {
        Rank::Doubtful
    } else {
        Rank::Note
    };
    Some(Finding::of_counts(
        Test::RepeatedGames,
        rank,
        format!(
            "{repeated} of {pairs} pairs repeat earlier games ({distinct_games} distinct games): {consequence}"
        ),
    ))
}

/// Too few openings for the pairs of a pairing. A book is played through before it
/// is played again, so the effective number of openings is that of the book or of
/// the pairs.
pub fn few_openings(pairs: u64, openings: u64) -> Option<Finding> {
    let is_few = pairs >= FEWEST_PAIRS && pairs >= PAIRS_AN_OPENING * openings;
    is_few.then(|| {
        let s = if openings == 1 { "" } else { "s" };
        Finding::of_counts(
            Test::FewOpenings,
            Rank::Doubtful,
            format!(
                "{pairs} pairs from {openings} distinct opening{s}: the games are not independent"
            ),
        )
    })
}

/// Engines that play the same moves from both sides of nearly every opening.
pub fn alike(pairs: u64, mirrored: u64) -> Option<Finding> {
    let is_one = pairs >= FEWEST_PAIRS && mirrored as f64 >= SHARE_OF_MIRRORED * pairs as f64;
    is_one.then(|| {
        Finding::of_counts(
            Test::AlikeEngines,
            Rank::Note,
            format!(
                "in {mirrored} of {pairs} pairs both games have the same moves: the engines may be the same program"
            ),
        )
    })
}

/// An engine that stands out; `what` describes it.
pub fn of_engine(test: Test, rank: Rank, engine: &str, what: &str) -> Finding {
    Finding::of_counts(test, rank, format!("{engine}: {what}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_repeats_are_doubtful_and_those_left_out_bias_the_elo() {
        let found = |repeated, dropped| {
            repeated_games(Repetition {
                pairs: 100,
                repeated,
                dropped,
                distinct_games: 2 * (100 - repeated),
            })
            .expect("found")
        };
        for (repeated, rank) in [(9, Rank::Note), (10, Rank::Doubtful)] {
            let left_out = found(repeated, repeated);
            assert_eq!(left_out.rank, rank);
            assert!(left_out.detail.contains("the Elo is biased"));
            assert!(!found(repeated, 0).detail.contains("biased"));
        }
    }

    #[test]
    fn bounds() {
        let repeated = |pairs, repeated, dropped| {
            let found = Repetition {
                pairs,
                repeated,
                dropped,
                distinct_games: 2 * (pairs - repeated),
            };
            repeated_games(found).is_some()
        };
        assert!(repeated(500, 1, 1));
        assert!(!repeated(10, 2, 0) && repeated(10, 3, 0));
        assert!(!repeated(1000, 19, 0) && repeated(1000, 20, 0));
        assert!(few_openings(20, 1).is_some() && few_openings(19, 1).is_none());
        assert!(few_openings(30, 3).is_some() && few_openings(29, 3).is_none());
        assert!(few_openings(20_000, 5_000).is_none());
        assert!(alike(20, 18).is_some() && alike(20, 17).is_none() && alike(10, 10).is_none());
    }
}
