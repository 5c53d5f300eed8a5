//! The worth of a book: how well its games separate two engines.

use std::collections::BTreeMap;

use serde::Serialize;

use super::advantage::{AdvantageModel, Outlook};
use hone_experiment::PairResult;
use hone_stats::{Estimate, Pentanomial, Summary};
use hone_uci::rules::Outcome;

/// Statistics of a book's games between two engines.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Worth {
    pub pairs: u64,
    pub games: u64,
    /// Share of games that were drawn.
    pub draw_rate: f64,
    /// Share of games that White won.
    pub white_rate: f64,
    /// Share of pairs that the opening alone decided: both games were won by
    /// the same colour.
    pub split_rate: f64,
    /// Share of pairs that one of the engines won.
    pub decided_rate: f64,
    /// Share of pairs whose two games have the same moves: the engines play alike at a limit
    /// without a clock.
    pub repeated_rate: f64,
    /// Absolute difference of the engines in normalized Elo, with its 95 % interval.
    /// Normalized Elo is the ratio of signal to noise of a game; the number of games that a
    /// test needs is inversely proportional to its square. So of two books with the same
    /// engines, the one with the larger value needs fewer games. `None` if the pairs do not
    /// support an interval: too few, or too few that differ.
    pub sensitivity: Option<Estimate>,
    /// The effect of another advantage for White, by a model; `None` if White or Black never
    /// won or no game was drawn.
    pub outlook: Option<Outlook>,
}

impl Worth {
    /// The worth of these pairs of the same two engines, in any order.
    ///
    /// # Panics
    /// If there is no pair.
    pub fn new<'a>(pairs: impl IntoIterator<Item = &'a PairResult>) -> Self {
        let mut counts = Pentanomial::default();
        let (mut draws, mut white, mut split, mut repeated) = (0, 0, 0, 0);
        let mut reference = None;
        for pair in pairs {
            let first = *reference.get_or_insert(pair.engines[0]);
            counts.add(if pair.engines[0] == first {
                pair.half_points()
            } else {
                4 - pair.half_points()
            });
            let outcomes = pair.games.each_ref().map(|game| game.outcome);
            draws += count(&outcomes, Outcome::Draw);
            white += count(&outcomes, Outcome::White);
            split += u64::from(is_split(outcomes));
            repeated += u64::from(pair.games[0].digest == pair.games[1].digest);
        }
        let pairs = counts.pairs();
        assert!(pairs > 0, "no pair to judge a book by");
        let share = |part: u64, whole: u64| part as f64 / whole as f64;
        let games = counts.games();
        let white_rate = share(white, games);
        let black_rate = share(games - draws - white, games);
        Self {
            pairs,
            games,
            draw_rate: share(draws, games),
            white_rate,
            split_rate: share(split, pairs),
            decided_rate: share(pairs - counts.0[2], pairs),
            repeated_rate: share(repeated, pairs),
            sensitivity: Summary::new(counts).nelo.map(size),
            outlook: AdvantageModel::of(white_rate, black_rate).map(AdvantageModel::outlook),
        }
    }
}

/// The estimate from the view of the engine that is ahead.
fn size(estimate: Estimate) -> Estimate {
    if estimate.estimate >= 0.0 {
        return estimate;
    }
    Estimate {
        estimate: -estimate.estimate,
        low: -estimate.high,
        high: -estimate.low,
    }
}

fn count(outcomes: &[Outcome; 2], wanted: Outcome) -> u64 {
    outcomes
        .iter()
        .filter(|&&outcome| outcome == wanted)
        .count() as u64
}

fn is_split(outcomes: [Outcome; 2]) -> bool {
    outcomes[0] == outcomes[1] && outcomes[0] != Outcome::Draw
}

/// The results of an opening in all pairs it was used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Usage {
    pub pairs: u64,
    /// Pairs that one of the engines won.
    pub decided: u64,
    /// Level pairs in which the same colour won both games.
    pub split: u64,
}

/// The results of each opening, by its number in the book, from 1.
pub fn usage<'a>(pairs: impl IntoIterator<Item = (u64, &'a PairResult)>) -> BTreeMap<u64, Usage> {
    let mut openings: BTreeMap<u64, Usage> = BTreeMap::new();
    for (number, pair) in pairs {
        let opening = openings.entry(number).or_default();
        opening.pairs += 1;
        opening.decided += u64::from(pair.half_points() != 2);
        let outcomes = pair.games.each_ref().map(|game| game.outcome);
        opening.split += u64::from(is_split(outcomes));
    }
    openings
}

/// Numbers of the openings that were used at least this often and whose pairs
/// all ended 1-1.
pub fn undecided(openings: &BTreeMap<u64, Usage>, min_pairs: u64) -> Vec<u64> {
    openings
        .iter()
        .filter(|(_, usage)| usage.pairs >= min_pairs && usage.decided == 0)
        .map(|(number, _)| *number)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use hone_stats::elo::nelo;
    use hone_uci::rules::{Effort, GameResult, Termination};

    fn pair(engines: [usize; 2], outcomes: [Outcome; 2]) -> PairResult {
        PairResult {
            pair: 0,
            engines,
            games: [0, 1].map(|game| GameResult {
                outcome: outcomes[game],
                termination: Termination::Checkmate,
                plies: 40,
                ms: [0; 2],
                nodes: [0; 2],
                effort: [Effort::default(); 2],
                digest: game as u64,
                line: None,
            }),
        }
    }

    use Outcome::{Black, Draw, White};

    #[test]
    fn rates_are_shares_of_games_and_of_pairs() {
        let mut same = pair([0, 1], [Black, Black]);
        same.games[1].digest = same.games[0].digest;
        let pairs = [
            pair([0, 1], [Draw, Draw]),
            pair([0, 1], [White, White]),
            same,
            // The first engine wins both, then one and a half.
            pair([0, 1], [White, Black]),
            pair([0, 1], [White, Draw]),
        ];
        let worth = Worth::new(&pairs);
        assert_eq!((worth.pairs, worth.games), (5, 10));
        assert_eq!((worth.draw_rate, worth.white_rate), (0.3, 0.4));
        assert_eq!((worth.split_rate, worth.decided_rate), (0.4, 0.4));
        assert_eq!(worth.repeated_rate, 0.2);
        // Five pairs do not support an interval, sixty with enough that differ do.
        assert_eq!(worth.sensitivity, None);
        let many = pairs.iter().cycle().take(60);
        let expected = nelo(Pentanomial([0, 0, 36, 12, 12]));
        assert_eq!(Worth::new(many).sensitivity, expected);
        let level = [&pairs[0]].into_iter().cycle().take(60);
        assert_eq!(Worth::new(level).sensitivity, None);
    }

    /// Of these pairs, each thirty times.
    fn sensitivity(pairs: &[PairResult]) -> Option<Estimate> {
        Worth::new(pairs.iter().cycle().take(30 * pairs.len())).sensitivity
    }

    #[test]
    fn the_side_does_not_matter() {
        let won = [
            pair([0, 1], [White, Black]),
            pair([0, 1], [Draw, Draw]),
            pair([0, 1], [White, White]),
        ];
        // The same from the other engine's side, or with colours exchanged.
        let lost = [
            pair([1, 0], [Black, White]),
            pair([1, 0], [Draw, Draw]),
            pair([1, 0], [White, White]),
        ];
        let mixed = [
            won[0].clone(),
            lost[0].clone(),
            won[1].clone(),
            lost[2].clone(),
        ];
        let [from_won, from_lost] = [&won, &lost].map(|pairs| sensitivity(pairs).unwrap());
        for (won, lost) in [
            (from_won.estimate, from_lost.estimate),
            (from_won.low, from_lost.low),
            (from_won.high, from_lost.high),
        ] {
            assert!((won - lost).abs() < 1e-9, "{won} {lost}");
        }
        let expected = nelo(Pentanomial([0, 0, 60, 0, 60]));
        assert_eq!(sensitivity(&mixed), expected);
        assert!(expected.is_some_and(|nelo| nelo.estimate > 0.0));
    }

    #[test]
    fn openings_that_never_decide_are_found() {
        let level = pair([0, 1], [Draw, Draw]);
        let split = pair([0, 1], [White, White]);
        let decided = pair([0, 1], [White, Draw]);
        let openings = usage([
            (3, &level),
            (3, &split),
            (5, &level),
            (5, &decided),
            (9, &split),
        ]);
        let third = Usage {
            pairs: 2,
            decided: 0,
            split: 1,
        };
        assert_eq!(openings[&3], third);
        assert_eq!(undecided(&openings, 1), [3, 9]);
        assert_eq!(undecided(&openings, 2), [3]);
    }
}
