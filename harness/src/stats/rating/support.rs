//! Ratings after few games: the rule of [`Summary`] for every player.

use super::games::Games;
use super::{RatingOptions, Ratings};
use crate::stats::elo::Estimate;
use crate::stats::summary::{Interval, Summary};

impl Ratings {
    /// The ratings with what `games`, from which they come, support. A player with
    /// too few pairs (or single games) gets the width of the always-valid interval
    /// of its own score, and no LOS. The rating of an anchor is exact.
    pub fn supported_by(mut self, games: &Games, options: &RatingOptions) -> Self {
        let is_anchor = |name: &str| options.anchors.iter().any(|(anchor, _)| anchor == name);
        for rating in &mut self.ratings {
            if is_anchor(&rating.name) {
                continue;
            }
            let own = Summary::new(games.results_of(&rating.name));
            rating.interval = own.interval;
            if let (Interval::AlwaysValid, Some(elo), Some(valid)) =
                (own.interval, rating.elo, own.elo)
            {
                let scale = options.scale / RatingOptions::default().scale;
                rating.elo = Some(Estimate {
                    estimate: elo.estimate,
                    low: elo.estimate + scale * (valid.low - valid.estimate),
                    high: elo.estimate + scale * (valid.high - valid.estimate),
                });
            }
        }
        let is_enough = |player: usize| self.ratings[player].interval == Interval::FixedLength;
        for (one, row) in self.los.iter_mut().enumerate() {
            for (other, los) in row.iter_mut().enumerate() {
                *los = los.filter(|_| is_enough(one) && is_enough(other));
            }
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Game, rate};
    use super::*;

    /// Pairs of `a` against `b`: a win each, two draws, and one and a half points.
    fn games(pairs: u64, singles: u64) -> Games {
        let mut games = Games::default();
        let (a, b) = (games.player("a"), games.player("b"));
        let game = |white, black, half_points| Game {
            white,
            black,
            half_points,
        };
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
        let own = Summary::new(games(3, 0).results_of("b"))
            .elo
            .expect("played");
        let wide = b.expect("rated").elo.expect("rated").half_width();
        assert!((wide - 1.25 * own.half_width()).abs() < 1e-9);
    }
}
