//! The rating list of a tournament, for the report and the scoreboard.

use serde::Serialize;

use hone_run::Tally;
use hone_stats::Wdl;
use hone_stats::rating::{Game, Games, Rating, RatingError, RatingOptions, rate};
use hone_stats::summary::Interval;

/// A row of the rating list.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Standing {
    #[serde(flatten)]
    pub rating: Rating,
    /// Probability that it is stronger than the next one in the list; `None` if the two
    /// cannot be compared or have too few pairs.
    pub los: Option<f64>,
    /// The same against each engine, in the order of the list; `None` against itself. Empty
    /// without ratings.
    pub los_against: Vec<Option<f64>>,
}

impl Standing {
    pub fn wdl(&self) -> Wdl {
        Wdl::from([self.rating.wins, self.rating.draws, self.rating.losses])
    }

    /// Share of the points, 0 to 1; `None` before the first game.
    pub fn score(&self) -> Option<f64> {
        self.wdl().score()
    }

    /// Why it has no rating although it has played: a phrase that follows its name.
    pub(crate) fn why_unrated(&self) -> Option<&'static str> {
        let rating = &self.rating;
        if rating.elo.is_some() || rating.games == 0 {
            return None;
        }
        Some(match rating.games {
            games if games == rating.wins => "won all its games",
            games if games == rating.losses => "lost all its games",
            _ => "cannot be compared with any other engine",
        })
    }
}

/// The rating list: within each pool, by rating; a pool that only won against another comes
/// before it.
///
/// # Errors
/// If the ratings cannot be computed.
pub(super) fn standings(names: &[String], tally: &Tally) -> Result<Vec<Standing>, RatingError> {
    let games = games(names, tally);
    let options = RatingOptions::default();
    let rated = rate(&games, &options)?.supported_by(&games, &options);
    let rows = rated.ratings.into_iter().zip(rated.los).enumerate();
    Ok(rows
        .map(|(at, (rating, los_against))| Standing {
            rating,
            los: los_against.get(at + 1).copied().flatten(),
            los_against,
        })
        .collect())
}

/// The engines that have played, sorted by their share of the points: the list without
/// ratings.
pub(super) fn by_score(names: &[String], tally: &Tally) -> Vec<Standing> {
    let mut standings: Vec<Standing> = names
        .iter()
        .zip(&tally.engines)
        .filter(|(_, engine)| engine.games > 0)
        .map(|(name, engine)| {
            let wdl = engine.as_white + engine.as_black;
            let rating = Rating {
                name: name.clone(),
                elo: None,
                interval: Interval::AlwaysValid,
                pool: 0,
                games: wdl.games(),
                points: wdl.points(),
                wins: wdl.wins,
                draws: wdl.draws,
                losses: wdl.losses,
            };
            Standing {
                rating,
                los: None,
                los_against: Vec::new(),
            }
        })
        .collect();
    let share = |standing: &Standing| standing.score().unwrap_or(0.0);
    standings.sort_by(|a, b| share(b).total_cmp(&share(a)));
    standings
}

/// The games of a tournament for the rating.
fn games(names: &[String], tally: &Tally) -> Games {
    let mut games = Games::default();
    let players: Vec<usize> = names.iter().map(|name| games.player(name)).collect();
    for (engines, pairing) in &tally.pairings {
        let [first, second] = engines.map(|engine| players[engine]);
        for (one, row) in pairing.outcomes.iter().enumerate() {
            for (two, count) in row.iter().enumerate().filter(|(_, count)| **count > 0) {
                let pair = [
                    Game {
                        white: first,
                        black: second,
                        half_points: one,
                    },
                    Game {
                        white: second,
                        black: first,
                        half_points: 2 - two,
                    },
                ];
                games.add_pairs(pair, *count);
            }
        }
    }
    games
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use hone_run::PairingTally;

    /// Totals of pairings, each with its two engines and the outcomes of its pairs.
    pub(crate) fn tally_of(engines: usize, pairings: &[([usize; 2], [[u64; 3]; 3])]) -> Tally {
        let mut tally = Tally::new(engines);
        for (who, outcomes) in pairings {
            let mut pairing = PairingTally {
                outcomes: *outcomes,
                ..PairingTally::default()
            };
            for (one, row) in outcomes.iter().enumerate() {
                for (two, count) in row.iter().enumerate() {
                    for _ in 0..*count {
                        pairing.pentanomial.add(one + two);
                        for half in [one, two] {
                            pairing.wdl.add(half);
                            tally.engines[who[0]].as_white.add(half);
                            tally.engines[who[1]].as_black.add(2 - half);
                        }
                    }
                    tally.pairs += count;
                    tally.engines[who[0]].games += 2 * count;
                    tally.engines[who[1]].games += 2 * count;
                }
            }
            tally.pairings.insert(*who, pairing);
        }
        tally
    }

    fn names() -> Vec<String> {
        ["one", "two", "three"].map(String::from).to_vec()
    }

    #[test]
    fn engines_are_sorted_by_rating_and_have_los() {
        let tally = tally_of(
            3,
            &[
                ([0, 1], [[5, 5, 5], [5, 20, 10], [5, 10, 20]]),
                ([0, 2], [[5, 5, 5], [5, 20, 10], [5, 10, 20]]),
                ([1, 2], [[5, 5, 5], [5, 20, 10], [5, 10, 30]]),
            ],
        );
        let list = standings(&names(), &tally).expect("rated");
        let order: Vec<_> = list.iter().map(|s| s.rating.name.as_str()).collect();
        assert_eq!(order, ["one", "two", "three"]);
        assert!(list[0].los.is_some_and(|los| los > 0.5));
        assert_eq!(list[2].los, None);
        let los = |one: usize, other: usize| list[one].los_against[other];
        assert_eq!((los(0, 1), los(1, 1)), (list[0].los, None));
        let both = los(0, 2).zip(los(2, 0)).expect("rated");
        assert!((both.0 + both.1 - 1.0).abs() < 1e-9, "{both:?}");
        assert_eq!(list[0].rating.interval, Interval::FixedLength);
        assert_eq!((list[0].rating.games, list[0].rating.wins), (340, 140));
    }

    #[test]
    fn after_few_pairs_the_interval_is_wide_and_los_is_missing() {
        let level = [[0, 0, 1], [0, 1, 0], [1, 0, 0]];
        let tally = tally_of(3, &[([0, 1], level), ([0, 2], level), ([1, 2], level)]);
        for standing in standings(&names(), &tally).expect("rated") {
            assert_eq!(standing.rating.interval, Interval::AlwaysValid);
            assert!(standing.rating.elo.expect("rated").half_width() > 100.0);
            assert_eq!(standing.los, None);
        }
    }

    /// Neither has a rating: a difference in strength without limit fits their games.
    #[test]
    fn an_engine_that_won_all_games_is_first_and_one_that_lost_all_is_last() {
        let mixed = [[5, 5, 5], [5, 20, 10], [5, 10, 20]];
        let won = [[0, 0, 0], [0, 0, 0], [0, 0, 40]];
        let lost = [[40, 0, 0], [0, 0, 0], [0, 0, 0]];
        let pairings = [
            ([0, 1], won),
            ([0, 2], mixed),
            ([0, 3], lost),
            ([1, 2], lost),
            ([1, 3], lost),
            ([2, 3], lost),
        ];
        let names = ["one", "weak", "two", "strong"].map(String::from);
        let list = standings(&names, &tally_of(4, &pairings)).expect("rated");
        let order: Vec<_> = list.iter().map(|s| s.rating.name.as_str()).collect();
        assert_eq!(order, ["strong", "one", "two", "weak"]);
        let why = list.iter().map(Standing::why_unrated).collect::<Vec<_>>();
        let ends = [Some("won all its games"), Some("lost all its games")];
        assert_eq!(why, [ends[0], None, None, ends[1]]);
    }

    #[test]
    fn without_ratings_engines_are_sorted_by_their_share_of_the_points() {
        let tally = tally_of(
            4,
            &[
                ([0, 1], [[4, 0, 0], [0, 0, 0], [0, 0, 0]]),
                ([3, 1], [[0, 0, 0], [0, 1, 0], [0, 0, 0]]),
            ],
        );
        let names = ["a", "b", "idle", "c"].map(String::from);
        let list = by_score(&names, &tally);
        let order: Vec<_> = list.iter().map(|s| s.rating.name.as_str()).collect();
        assert_eq!(order, ["b", "c", "a"]);
    }
}
