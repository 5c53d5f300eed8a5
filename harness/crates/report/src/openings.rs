//! Results by opening.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use hone_run::ledger::RecordedPair;
use hone_uci::rules::Outcome;

/// The results of each opening by its number in the book.
#[derive(Debug, Clone, Default)]
pub struct Openings {
    totals: BTreeMap<u64, Totals>,
    /// Indices of the engines that have played.
    engines: BTreeSet<usize>,
}

/// Totals of one opening: kept small, as a book may have millions.
#[derive(Debug, Clone, Copy, Default)]
struct Totals {
    pairs: u32,
    /// Half points of the first engine of each pair.
    half_points: u32,
    /// Games won by White, drawn, won by Black.
    by_colour: [u32; 3],
    /// Pairs in which the same colour won both games.
    decided: u32,
}

/// The results of the openings of a run.
#[derive(Debug, Clone, Serialize)]
pub struct OpeningFacts {
    /// Number of different openings played.
    pub played: u64,
    /// Pairs of the opening that was played most often.
    pub most_often: u64,
    /// Games won by White, drawn, won by Black.
    pub by_colour: [u64; 3],
    /// Pairs in which the same colour won both games: the opening decided.
    pub decided: u64,
    pub pairs: u64,
    /// Whether `extreme` is by the score of White: with more than two engines, the first
    /// engine is not the same in all pairs.
    pub is_by_white: bool,
    /// The openings whose results are furthest from level, the worst for the first engine (or
    /// for White) first.
    pub extreme: Vec<Opening>,
}

/// Results of one opening.
#[derive(Debug, Clone, Serialize)]
pub struct Opening {
    /// Its number in the book, from 1.
    pub opening: u64,
    pub pairs: u64,
    /// The share of the points of the first engine or of White, 0 to 1.
    pub score: f64,
    /// Games won by White, drawn, won by Black.
    pub by_colour: [u64; 3],
}

/// Most openings in the list.
const SHOWN: usize = 10;

impl Totals {
    /// Half points of White.
    fn of_white(&self) -> u32 {
        2 * self.by_colour[0] + self.by_colour[1]
    }
}

impl Openings {
    /// Adds a pair.
    pub fn absorb(&mut self, entry: &RecordedPair) {
        self.engines.extend(entry.result.engines);
        let totals = self.totals.entry(entry.opening_number).or_default();
        let outcomes = entry.result.games.each_ref().map(|game| game.outcome);
        totals.pairs += 1;
        totals.half_points += entry.result.half_points() as u32;
        for outcome in outcomes {
            totals.by_colour[2 - outcome.white_half_points()] += 1;
        }
        let is_decided = outcomes[0] == outcomes[1] && outcomes[0] != Outcome::Draw;
        totals.decided += u32::from(is_decided);
    }

    pub fn facts(&self) -> OpeningFacts {
        let totals = &self.totals;
        let sum = |of: fn(&Totals) -> u32| totals.values().map(|one| u64::from(of(one))).sum();
        OpeningFacts {
            played: totals.len() as u64,
            most_often: totals
                .values()
                .map(|one| one.pairs.into())
                .max()
                .unwrap_or(0),
            by_colour: [
                sum(|one| one.by_colour[0]),
                sum(|one| one.by_colour[1]),
                sum(|one| one.by_colour[2]),
            ],
            decided: sum(|one| one.decided),
            pairs: sum(|one| one.pairs),
            is_by_white: self.is_by_white(),
            extreme: self.extreme(),
        }
    }

    fn is_by_white(&self) -> bool {
        self.engines.len() > 2
    }

    /// The openings with the largest leads. A lead is a number of half points, so an opening
    /// that is played twice with the same results has a larger lead than one played once.
    fn extreme(&self) -> Vec<Opening> {
        let half_points = |one: &Totals| {
            if self.is_by_white() {
                one.of_white()
            } else {
                one.half_points
            }
        };
        let lead = |one: &Totals| i64::from(half_points(one)) - 2 * i64::from(one.pairs);
        let mut all: Vec<_> = self
            .totals
            .iter()
            .filter(|(_, one)| lead(one) != 0)
            .collect();
        if all.len() > SHOWN {
            // Faster than to sort all openings.
            all.select_nth_unstable_by_key(SHOWN - 1, |(number, one)| {
                (Reverse(lead(one).abs()), **number)
            });
            all.truncate(SHOWN);
        }
        all.sort_unstable_by_key(|(number, one)| (lead(one), **number));
        all.into_iter()
            .map(|(number, one)| Opening {
                opening: *number,
                pairs: one.pairs.into(),
                score: f64::from(half_points(one)) / (4.0 * f64::from(one.pairs)),
                by_colour: one.by_colour.map(u64::from),
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hone_experiment::PairResult;
    use hone_uci::rules::{GameResult, Termination};

    /// The number of an opening and the results of its two games.
    type PairOutcome = (u64, [Outcome; 2]);

    fn openings(pairs: &[PairOutcome]) -> OpeningFacts {
        let pairs: Vec<_> = pairs.iter().map(|pair| ([0, 1], *pair)).collect();
        openings_of(&pairs)
    }

    fn openings_of(pairs: &[([usize; 2], PairOutcome)]) -> OpeningFacts {
        let mut openings = Openings::default();
        for (engines, (number, outcomes)) in pairs {
            let game = |outcome| GameResult {
                outcome,
                termination: Termination::Checkmate,
                plies: 2,
                ms: [0; 2],
                nodes: [0; 2],
                effort: Default::default(),
                digest: 0,
                line: None,
            };
            openings.absorb(&RecordedPair {
                result: PairResult {
                    pair: 0,
                    engines: *engines,
                    games: outcomes.map(game),
                },
                opening_number: *number,
                pgn: Default::default(),
                worker: 0,
                finished_ms: 0,
                conditions: None,
            });
        }
        openings.facts()
    }

    #[test]
    fn results_by_opening() {
        use Outcome::{Black, Draw, White};
        let facts = openings(&[
            (4, [White, White]),
            (7, [White, Black]),
            (7, [White, Draw]),
            (9, [Black, White]),
            (9, [Draw, Draw]),
        ]);
        assert_eq!((facts.played, facts.most_often, facts.decided), (3, 2, 1));
        assert_eq!(facts.by_colour, [5, 3, 2]);
        let list: Vec<_> = facts.extreme.iter().map(|o| (o.opening, o.score)).collect();
        assert_eq!(list, [(9, 0.25), (7, 0.875)]);
    }

    #[test]
    fn of_many_openings_those_furthest_from_level_are_listed() {
        use Outcome::{Black, Draw, White};
        let list = |pairs: &[(u64, [Outcome; 2])]| -> Vec<u64> {
            openings(pairs).extreme.iter().map(|o| o.opening).collect()
        };
        let pairs: Vec<_> = (0..100)
            .map(|number| match number {
                30 | 70 => (number, [White, Black]),
                11 | 12 | 90 => (number, [Black, White]),
                _ => (number, [White, Draw]),
            })
            .collect();
        // Of those with the same lead, the first in the book.
        assert_eq!(list(&pairs), [11, 12, 90, 0, 1, 2, 3, 4, 30, 70]);
        // All favour the same side.
        let pairs: Vec<_> = (0..30)
            .map(|number| {
                (
                    number,
                    if number < 20 {
                        [White, Draw]
                    } else {
                        [White, Black]
                    },
                )
            })
            .collect();
        assert_eq!(list(&pairs), (20..30).collect::<Vec<_>>());
    }

    #[test]
    fn a_tournament_has_the_openings_that_favour_a_colour() {
        use Outcome::{Black, Draw, White};
        let facts = openings_of(&[
            ([0, 1], (1, [White, Black])),
            ([2, 1], (2, [White, White])),
            ([0, 2], (3, [Black, Draw])),
        ]);
        assert!(facts.is_by_white);
        let list: Vec<_> = facts.extreme.iter().map(|o| (o.opening, o.score)).collect();
        assert_eq!(list, [(3, 0.25), (2, 1.0)]);
    }
}
