//! The results of a run by opening.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::ledger::Entry;
use crate::rules::Outcome;

/// The results of each opening by its number in the book.
#[derive(Debug, Clone, Default)]
pub(crate) struct Openings(BTreeMap<u64, Totals>);

/// Small: a run has as many as its book.
#[derive(Debug, Clone, Copy, Default)]
struct Totals {
    pairs: u32,
    /// Of the first engine of each pair.
    half_points: u32,
    /// Games won by White, drawn, won by Black.
    by_colour: [u32; 3],
    /// Pairs of which the same colour won both games.
    decided: u32,
}

/// What the openings of a run have come to.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct OpeningFacts {
    /// Different ones.
    pub played: u64,
    /// Pairs of the one that was played most often.
    pub most_often: u64,
    /// Games won by White, drawn, won by Black.
    pub by_colour: [u64; 3],
    /// Pairs of which the same colour won both games: the opening decided.
    pub decided: u64,
    pub pairs: u64,
    /// Those whose results are furthest from level for one engine, the worst
    /// for the first engine at the top.
    pub extreme: Vec<Opening>,
}

/// An opening.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Opening {
    /// In its book, from 1.
    pub opening: u64,
    pub pairs: u64,
    /// The share of the points of the first engine, 0 to 1.
    pub score: f64,
    /// Games won by White, drawn, won by Black.
    pub by_colour: [u64; 3],
}

/// Openings at each end of the list.
const SHOWN: usize = 5;

impl Openings {
    /// Takes the pair that has arrived next.
    pub(crate) fn absorb(&mut self, entry: &Entry) {
        let totals = self.0.entry(entry.opening_number).or_default();
        let outcomes = entry.result.games.each_ref().map(|game| game.outcome);
        totals.pairs += 1;
        totals.half_points += entry.result.half_points() as u32;
        for outcome in outcomes {
            let column = match outcome {
                Outcome::White => 0,
                Outcome::Draw => 1,
                Outcome::Black => 2,
            };
            totals.by_colour[column] += 1;
        }
        let is_decided = outcomes[0] == outcomes[1] && outcomes[0] != Outcome::Draw;
        totals.decided += u32::from(is_decided);
    }

    pub(crate) fn facts(&self) -> OpeningFacts {
        let sum = |of: fn(&Totals) -> u32| self.0.values().map(|one| u64::from(of(one))).sum();
        OpeningFacts {
            played: self.0.len() as u64,
            most_often: self
                .0
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
            extreme: self.extreme(),
        }
    }

    /// By how many half points the first engine is ahead or behind: an opening
    /// played twice with the same end stands out more than one played once.
    fn extreme(&self) -> Vec<Opening> {
        let lead = |one: &Totals| i64::from(one.half_points) - 2 * i64::from(one.pairs);
        let mut all: Vec<_> = self.0.iter().filter(|(_, one)| lead(one) != 0).collect();
        let by_lead = |(number, one): &(&u64, &Totals)| (lead(one), **number);
        if all.len() > 2 * SHOWN {
            // Only the ends are wanted; a sort of all would take longer.
            all.select_nth_unstable_by_key(SHOWN - 1, by_lead);
            let rest = &mut all[SHOWN..];
            let at = rest.len() - SHOWN;
            rest.select_nth_unstable_by_key(at, by_lead);
            all.drain(SHOWN..SHOWN + at);
        }
        all.sort_unstable_by_key(by_lead);
        all.into_iter()
            .map(|(number, one)| Opening {
                opening: *number,
                pairs: one.pairs.into(),
                score: f64::from(one.half_points) / (4.0 * f64::from(one.pairs)),
                by_colour: one.by_colour.map(u64::from),
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::PairResult;
    use crate::rules::{GameResult, Termination};

    fn openings(pairs: &[(u64, [Outcome; 2])]) -> OpeningFacts {
        let mut openings = Openings::default();
        for (number, outcomes) in pairs {
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
            openings.absorb(&Entry {
                result: PairResult {
                    pair: 0,
                    engines: [0, 1],
                    games: outcomes.map(game),
                },
                opening_number: *number,
                pgn: [(0, 0); 2],
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
    fn of_many_openings_only_the_ends_are_listed() {
        use Outcome::{Black, Draw, White};
        let pairs: Vec<_> = (0..100)
            .map(|number| match number % 10 {
                0 => (number, [White, Black]),
                1 => (number, [Black, White]),
                _ => (number, [White, Draw]),
            })
            .collect();
        let facts = openings(&pairs);
        let list: Vec<_> = facts.extreme.iter().map(|o| o.opening).collect();
        assert_eq!(list, [1, 11, 21, 31, 41, 50, 60, 70, 80, 90]);
    }
}
