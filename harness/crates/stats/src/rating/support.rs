//! Ratings after few games: the rule of [`Summary`] for every player.

use std::collections::BTreeMap;

use super::games::{Games, results_of, results_of_each};
use super::links::Links;
use super::{Rating, RatingOptions, Ratings};
use crate::counts::Pentanomial;
use crate::elo::Estimate;
use crate::summary::{Interval, Summary};

impl Ratings {
    /// The ratings with the intervals and LOS that `games`, from which they come, support.
    /// A player with too few pairs (or single games) gets at least the width of the
    /// always-valid interval of its score, and no LOS. Players with too few links to
    /// the anchors, or else to most of their pool, get at least that of the games of the
    /// link, and no LOS against players beyond it. The rating of an anchor is exact.
    pub fn supported_by(mut self, games: &Games, options: &RatingOptions) -> Self {
        let is_anchor = |name: &str| options.anchors.iter().any(|(anchor, _)| anchor == name);
        let anchored: Vec<bool> = games.names().iter().map(|name| is_anchor(name)).collect();
        let units = games.units();
        let links = Links::new(&units, &anchored);
        let scale = options.scale / RatingOptions::default().scale;
        let summary = |results| Summary::of_planned(results, options.planned);
        let results = results_of_each(&units, games.names().len());
        // By rating: the first player of its group of linked players; `None` without
        // enough games.
        let mut groups: Vec<Option<usize>> = Vec::new();
        let mut firsts: Vec<usize> = Vec::new();
        for rating in &mut self.ratings {
            let player = games.index_of(&rating.name);
            let own = player.map_or(Pentanomial::default().into(), |player| results[player]);
            let own = summary(own);
            let is_exact = is_anchor(&rating.name);
            if !is_exact {
                rating.widen(&own, scale);
            }
            let has_enough = is_exact || own.interval == Interval::FixedLength;
            let group = player.filter(|_| has_enough).map(|player| {
                let mut known = firsts.iter().copied();
                let linked = known.find(|&first| links.cut(first, player).is_none());
                linked.unwrap_or_else(|| {
                    firsts.push(player);
                    player
                })
            });
            groups.push(group);
        }
        let main = self.main_groups(&groups, &is_anchor);
        for (rating, group) in self.ratings.iter_mut().zip(&groups) {
            let (Some(group), Some(main)) = (group, main.get(&rating.pool)) else {
                continue;
            };
            if group != main
                && let Some(side) = links.cut(*group, *main)
            {
                let results = results_of(&units, |player| Some(side[player]));
                rating.widen(&summary(results), scale);
            }
        }
        for (one, row) in self.los.iter_mut().enumerate() {
            for (other, los) in row.iter_mut().enumerate() {
                let is_linked = groups[one].is_some() && groups[one] == groups[other];
                *los = los.filter(|_| is_linked);
            }
        }
        self
    }

    /// By pool: the group that its ratings are relative to, which has an anchor or else
    /// the most games.
    fn main_groups(
        &self,
        groups: &[Option<usize>],
        is_anchor: &impl Fn(&str) -> bool,
    ) -> BTreeMap<usize, usize> {
        let mut weights: BTreeMap<(usize, usize), (bool, u64)> = BTreeMap::new();
        for (rating, group) in self.ratings.iter().zip(groups) {
            if let Some(group) = group {
                let weight = weights.entry((rating.pool, *group)).or_default();
                weight.0 |= is_anchor(&rating.name);
                weight.1 += rating.games;
            }
        }
        let mut ordered: Vec<_> = weights.into_iter().collect();
        ordered.sort_by_key(|(_, weight)| *weight);
        let mut main = BTreeMap::new();
        for ((pool, group), _) in ordered {
            main.insert(pool, group);
        }
        main
    }
}

impl Rating {
    /// Makes the interval at least as wide as that of `results`, if they are too few.
    fn widen(&mut self, results: &Summary, scale: f64) {
        if results.interval != Interval::AlwaysValid {
            return;
        }
        self.interval = Interval::AlwaysValid;
        if let (Some(elo), Some(valid)) = (self.elo, results.elo) {
            let low = elo.estimate + scale * (valid.low - valid.estimate);
            let high = elo.estimate + scale * (valid.high - valid.estimate);
            self.elo = Some(Estimate {
                estimate: elo.estimate,
                low: low.min(elo.low),
                high: high.max(elo.high),
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::games::game;
    use super::super::rate;
    use super::*;

    /// Pairs of `a` against `b`: a win each, two draws, and one and a half points.
    fn games(pairs: u64, singles: u64) -> Games {
        let mut games = Games::default();
        let (a, b) = (games.player("a"), games.player("b"));
        for (one, two) in [(2, 2), (1, 1), (2, 1), (0, 1)] {
            games.add_pairs([game(a, b, one), game(b, a, two)], pairs);
        }
        for half_points in 0..=2 {
            games.add_single(game(b, a, half_points), singles);
        }
        games
    }

    fn supported(games: &Games, options: &RatingOptions) -> Ratings {
        let ratings = rate(games, options).expect("rated");
        ratings.supported_by(games, options)
    }

    #[test]
    fn few_pairs_or_games_have_a_wide_interval_and_no_order() {
        let options = RatingOptions::default();
        for (pairs, singles) in [(3, 0), (0, 5), (3, 5)] {
            let games = games(pairs, singles);
            let plain = rate(&games, &options).expect("rated");
            let wide = plain.clone().supported_by(&games, &options);
            for (wide, plain) in wide.ratings.iter().zip(&plain.ratings) {
                assert_eq!(wide.interval, Interval::AlwaysValid);
                let [wide, plain] = [wide, plain].map(|rating| rating.elo.expect("rated"));
                assert_eq!(wide.estimate, plain.estimate);
                assert!(wide.half_width() > 1.5 * plain.half_width());
            }
            assert!(wide.los.iter().flatten().all(Option::is_none));
        }
        for (pairs, singles) in [(15, 0), (0, 20)] {
            let games = games(pairs, singles);
            let plain = rate(&games, &options).expect("rated");
            assert_eq!(plain.clone().supported_by(&games, &options), plain);
        }
    }

    /// A player whose only opponent has few games against the anchor.
    #[test]
    fn a_rating_is_not_more_certain_than_those_it_rests_on() {
        let options = RatingOptions {
            anchors: vec![("a".to_owned(), 0.0)],
            white_advantage: Some(0.0),
            ..RatingOptions::default()
        };
        let mut games = Games::default();
        let [a, b, c] = ["a", "b", "c"].map(|name| games.player(name));
        let mut pairs = |one: usize, two: usize, halves: [usize; 2], count: u64| {
            games.add_pairs(
                [game(one, two, halves[0]), game(two, one, halves[1])],
                count,
            );
        };
        for halves in [[2, 1], [1, 1], [0, 1], [1, 1], [2, 0]] {
            pairs(b, a, halves, 1);
        }
        for (halves, count) in [([2, 0], 15), ([1, 1], 29), ([2, 1], 8), ([0, 1], 7)] {
            pairs(c, b, halves, count);
        }
        let plain = rate(&games, &options).expect("rated");
        let wide = plain.clone().supported_by(&games, &options);
        for (wide, plain) in wide.ratings.iter().zip(&plain.ratings) {
            let [wide, plain] = [wide, plain].map(|rating| rating.elo.expect("rated"));
            assert!(wide.low <= plain.low && wide.high >= plain.high);
        }
    }

    /// One drawn game links two events. It is fitted exactly, whatever its result is.
    #[test]
    fn a_thin_link_gives_a_wide_interval_and_no_order() {
        let mut games = Games::default();
        let [a, b, c, d] = ["a", "b", "c", "d"].map(|name| games.player(name));
        for (one, two) in [(a, b), (c, d)] {
            for (halves, count) in [([2, 2], 30), ([1, 1], 40), ([2, 1], 15), ([1, 2], 15)] {
                let pair = [game(one, two, halves[0]), game(two, one, halves[1])];
                games.add_pairs(pair, count);
            }
        }
        games.add_single(game(b, c, 1), 1);
        for anchors in [vec![], vec![("a".to_owned(), 0.0)]] {
            let options = RatingOptions {
                anchors,
                ..RatingOptions::default()
            };
            let plain = rate(&games, &options).expect("rated");
            let ratings = plain.clone().supported_by(&games, &options);
            let at = |name: &str| {
                let mut all = ratings.ratings.iter();
                all.position(|rating| rating.name == name).expect("rated")
            };
            let elo = |ratings: &Ratings, name: &str| ratings.ratings[at(name)].elo.expect("rated");
            assert!(elo(&plain, "c").half_width() < 100.0, "too certain");
            // Those beyond the link from the anchor; without one, either event.
            let beyond = ["c", "d"].map(|name| &ratings.ratings[at(name)]);
            let others = ["a", "b"].map(|name| &ratings.ratings[at(name)]);
            let is_wide = |all: [&Rating; 2]| {
                let widths = all.map(|rating| rating.elo.expect("rated").half_width());
                widths
                    .into_iter()
                    .all(|width| width > 300.0 || width == 0.0)
                    && all
                        .iter()
                        .any(|rating| rating.interval == Interval::AlwaysValid)
            };
            assert!(is_wide(beyond) || options.anchors.is_empty() && is_wide(others));
            for (one, two) in [("a", "c"), ("b", "c"), ("d", "a")] {
                assert_eq!(ratings.los[at(one)][at(two)], None, "{one}, {two}");
            }
            for (one, two) in [("a", "b"), ("c", "d")] {
                assert!(ratings.los[at(one)][at(two)].is_some(), "{one}, {two}");
            }
        }
    }

    /// Enough games between two groups do not help if neither is linked to the anchor.
    #[test]
    fn every_group_beyond_a_thin_link_is_uncertain() {
        let mut games = Games::default();
        let names = ["a", "b", "c", "d", "e", "f"];
        let players = names.map(|name| games.player(name));
        for event in players.chunks(2) {
            for (halves, count) in [([2, 2], 30), ([1, 1], 40), ([2, 1], 15), ([1, 2], 15)] {
                let [one, two] = [event[0], event[1]];
                games.add_pairs(
                    [game(one, two, halves[0]), game(two, one, halves[1])],
                    count,
                );
            }
        }
        games.add_single(game(players[1], players[2], 1), 1);
        for (half_points, count) in [(0, 15), (1, 29), (2, 15)] {
            games.add_single(game(players[3], players[4], half_points), count);
        }
        let options = RatingOptions {
            anchors: vec![("a".to_owned(), 0.0)],
            ..RatingOptions::default()
        };
        let ratings = supported(&games, &options).ratings;
        for name in ["c", "d", "e", "f"] {
            let rating = ratings.iter().find(|rating| rating.name == name);
            let rating = rating.expect("rated");
            assert_eq!(rating.interval, Interval::AlwaysValid, "{name}");
            assert!(rating.elo.expect("rated").half_width() > 300.0, "{name}");
        }
    }

    #[test]
    fn the_interval_of_one_match_is_that_of_its_planned_pairs() {
        let options = RatingOptions {
            anchors: vec![("a".to_owned(), 0.0)],
            planned: Some(12),
            ..RatingOptions::default()
        };
        let ratings = supported(&games(3, 0), &options).ratings;
        let b = ratings.iter().find(|rating| rating.name == "b");
        let results = results_of(&games(3, 0).units(), |player| Some(player == 1));
        let own = Summary::of_planned(results, Some(12)).elo.expect("played");
        let wide = b.expect("rated").elo.expect("rated").half_width();
        assert!((wide - own.half_width()).abs() < 1e-9);
        assert!(wide < Summary::new(results).elo.expect("played").half_width());
    }

    #[test]
    fn an_anchor_is_exact_after_any_number_of_games() {
        let options = RatingOptions {
            anchors: vec![("a".to_owned(), 100.0)],
            scale: 500.0,
            ..RatingOptions::default()
        };
        let ratings = supported(&games(3, 0), &options).ratings;
        let [a, b] = ["a", "b"].map(|name| ratings.iter().find(|rating| rating.name == name));
        assert_eq!(a.expect("rated").elo.expect("given").half_width(), 0.0);
        let results = results_of(&games(3, 0).units(), |player| Some(player == 1));
        let own = Summary::new(results).elo.expect("played");
        let wide = b.expect("rated").elo.expect("rated").half_width();
        assert!((wide - 1.25 * own.half_width()).abs() < 1e-9);
    }
}
