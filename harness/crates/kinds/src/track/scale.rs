//! One rating scale for all nights, from all their games.

use std::collections::BTreeMap;

use super::night::Night;
use hone_stats::Estimate;
use hone_stats::rating::{Game, Games, RatingOptions, rate};
use hone_stats::summary::Interval;

/// Elo of a build, and the kind of its interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Rated {
    pub elo: Estimate,
    pub interval: Interval,
}

/// Elo of builds on one scale.
#[derive(Debug, Clone, Default)]
pub(super) struct Scale {
    builds: BTreeMap<String, Rated>,
}

impl Scale {
    /// The scale on which the build of `zero` has Elo 0. Intervals are relative to that
    /// build. Builds that are not connected to it by games have no rating.
    pub(super) fn new<'a>(nights: impl IntoIterator<Item = &'a Night>, zero: &str) -> Self {
        let games = games(nights);
        let options = RatingOptions {
            anchors: vec![(zero.to_string(), 0.0)],
            // Each pair is played with both colours, and only its total is available.
            white_advantage: Some(0.0),
            ..RatingOptions::default()
        };
        let Ok(rated) = rate(&games, &options) else {
            return Self::default();
        };
        let rated = rated.supported_by(&games, &options);
        let anchor = rated.ratings.iter().find(|rating| rating.name == zero);
        let pool = anchor.map(|rating| rating.pool);
        let comparable = rated
            .ratings
            .iter()
            .filter(|rating| Some(rating.pool) == pool);
        let builds = comparable.filter_map(|rating| {
            let rated = Rated {
                elo: rating.elo?,
                interval: rating.interval,
            };
            Some((rating.name.clone(), rated))
        });
        Self {
            builds: builds.collect(),
        }
    }

    /// The Elo of a commit's build with its interval.
    pub(super) fn rated(&self, commit: &str) -> Option<Rated> {
        self.builds.get(commit).copied()
    }

    /// The Elo of a commit's build.
    pub(super) fn elo(&self, commit: &str) -> Option<Estimate> {
        self.rated(commit).map(|rated| rated.elo)
    }
}

/// Elo of one build minus that of another, from all games.
pub(super) fn difference(nights: &[&Night], build: &str, than: &str) -> Option<Rated> {
    Scale::new(nights.iter().copied(), than).rated(build)
}

fn games<'a>(nights: impl IntoIterator<Item = &'a Night>) -> Games {
    let mut games = Games::default();
    for night in nights {
        let first = games.player(&night.commit);
        for played in &night.matches {
            let second = games.player(&played.commit);
            for (half_points, &count) in played.pentanomial.0.iter().enumerate() {
                games.add_pairs(pair(first, second, half_points), count);
            }
        }
    }
    games
}

/// Two games with this sum of half points for the first.
fn pair(first: usize, second: usize, half_points: usize) -> [Game; 2] {
    let one = half_points.div_ceil(2);
    let game = |white, black, half_points| Game {
        white,
        black,
        half_points,
    };
    [
        game(first, second, one),
        game(second, first, 2 - (half_points - one)),
    ]
}

#[cfg(test)]
mod tests {
    use super::super::night::tests::night;
    use super::*;
    use crate::track::Role;

    #[test]
    fn large_counts_take_no_time() {
        let many = night(1, "b", &[(Role::Anchor, "a", [1 << 31; 5])]);
        let elo = Scale::new([&many], "a").elo("b").expect("rated");
        assert!(elo.estimate.abs() < 1e-6 && elo.half_width() < 0.1);
    }

    #[test]
    fn old_games_sharpen_old_points() {
        let even = [10, 20, 40, 20, 10];
        let first = night(1, "b", &[(Role::Anchor, "a", even)]);
        let alone = Scale::new([&first], "a").elo("b").expect("rated");
        assert!(alone.estimate.abs() < 1e-6);
        // The next night's games also inform the rating of the previous nightly.
        let second = night(
            2,
            "c",
            &[(Role::Anchor, "a", even), (Role::Previous, "b", even)],
        );
        let both = Scale::new([&first, &second], "a");
        assert!(both.elo("b").expect("rated").half_width() < alone.half_width());
        assert_eq!(both.elo("a").expect("the anchor").half_width(), 0.0);
    }

    #[test]
    fn results_add_up_along_the_chain() {
        let ahead = [5, 15, 40, 25, 15];
        let nights = [
            night(1, "b", &[(Role::Anchor, "a", ahead)]),
            night(2, "c", &[(Role::Previous, "b", ahead)]),
        ];
        let scale = Scale::new(&nights, "a");
        let (b, c) = (scale.elo("b").expect("b"), scale.elo("c").expect("c"));
        assert!((c.estimate - 2.0 * b.estimate).abs() < 1e-6);
        // The same as the pairs' own Elo.
        let own = hone_stats::Summary::new(hone_stats::Pentanomial(ahead));
        assert!((b.estimate - own.elo.expect("defined").estimate).abs() < 0.01);
        let order: Vec<&Night> = nights.iter().collect();
        let difference = difference(&order, "c", "b").expect("compared");
        assert!((difference.elo.estimate - b.estimate).abs() < 1e-6);
        assert_eq!(scale.elo("unknown"), None);
    }
}
