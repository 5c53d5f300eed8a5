//! Signs that one engine did not play under the conditions of the other.

use statrs::distribution::{Binomial, DiscreteCDF, Hypergeometric};

use super::{Finding, Rank, Test, is_noteworthy};

/// Below this, events of one engine alone are doubtful.
const ONE_SIDED: f64 = 1e-4;
/// From this share of games on, games that end early by scores are doubtful.
const SHARE_OF_SHORT: f64 = 0.5;
const FEWEST_GAMES: u64 = 20;

/// Events that should happen to both engines alike, but happened to one of them: the
/// two-sided binomial test.
pub fn one_sided(test: Test, what: &str, names: [&str; 2], counts: [u64; 2]) -> Option<Finding> {
    let fewer = counts[0].min(counts[1]);
    let binomial = Binomial::new(0.5, counts[0] + counts[1]).ok()?;
    let p_value = (2.0 * binomial.cdf(fewer)).min(1.0);
    (p_value < ONE_SIDED).then(|| Finding {
        test,
        rank: Rank::Doubtful,
        detail: format!(
            "{what}: {} {}, {} {}",
            names[0], counts[0], names[1], counts[1]
        ),
        p_value: Some(p_value),
    })
}

/// Lost games that scores ended and those that the board ended, of each engine: Fisher's
/// exact test, two-sided.
pub fn resigned_games(names: [&str; 2], resigned: [u64; 2], played: [u64; 2]) -> Option<Finding> {
    let first = resigned[0] + played[0];
    let all_resigned = resigned[0] + resigned[1];
    let all = all_resigned + played[0] + played[1];
    let table = Hypergeometric::new(all, all_resigned, first).ok()?;
    let below = table.cdf(resigned[0]);
    let above = match resigned[0].checked_sub(1) {
        Some(fewer) => table.sf(fewer),
        None => 1.0,
    };
    let p_value = (2.0 * below.min(above)).clamp(0.0, 1.0);
    let side = |at: usize| {
        format!(
            "{} lost {} games by its own scores and {} on the board",
            names[at], resigned[at], played[at]
        )
    };
    is_noteworthy(p_value).then(|| {
        let detail = format!("{}; {}", side(0), side(1));
        Finding::of_chance(Test::ResignedGames, p_value, detail)
    })
}

/// Games that end by scores within few plies.
pub fn short_games(short: u64, games: u64, plies: u32) -> Option<Finding> {
    let is_common = games >= FEWEST_GAMES && short as f64 >= SHARE_OF_SHORT * games as f64;
    is_common.then(|| {
        let detail = format!("{short} of {games} games ended by scores within {plies} plies");
        Finding::of_counts(Test::ShortGames, Rank::Doubtful, detail)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: [&str; 2] = ["dev", "base"];

    #[test]
    fn events_of_one_engine_are_found() {
        let rank = |counts| one_sided(Test::Replays, "replays", NAMES, counts).map(|f| f.rank);
        for counts in [[66, 0], [0, 15], [90, 30]] {
            assert_eq!(rank(counts), Some(Rank::Doubtful), "{counts:?}");
        }
        for counts in [[0, 0], [14, 0], [60, 45], [500, 520]] {
            assert_eq!(rank(counts), None, "{counts:?}");
        }
        let found = one_sided(Test::Replays, "replays", NAMES, [66, 0]).expect("found");
        assert_eq!(found.detail, "replays: dev 66, base 0");
    }

    /// The counts of the tea tasting: p = 0.486 on two sides.
    #[test]
    fn fishers_exact_test() {
        let rank = |resigned, played| resigned_games(NAMES, resigned, played).map(|f| f.rank);
        assert_eq!(rank([0, 320], [250, 0]), Some(Rank::Doubtful));
        assert_eq!(rank([320, 0], [0, 250]), Some(Rank::Doubtful));
        assert_eq!(rank([20, 5], [5, 20]), Some(Rank::Note));
        for (resigned, played) in [
            ([3, 1], [1, 3]),
            ([0, 0], [0, 0]),
            ([300, 280], [0, 0]),
            ([300, 280], [9, 3]),
        ] {
            assert_eq!(rank(resigned, played), None, "{resigned:?} {played:?}");
        }
    }

    #[test]
    fn games_that_end_at_once_are_found() {
        assert!(short_games(20, 40, 16).is_some());
        assert!(short_games(19, 40, 16).is_none() && short_games(19, 19, 16).is_none());
    }
}
